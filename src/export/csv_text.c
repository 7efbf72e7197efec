/* SPDX-License-Identifier: MIT */
#include "csv_text.h"
#include "quote.h"
#include <stdbool.h>
#include <string.h>

/* What a spreadsheet would take for a formula. */
static bool is_formula(const char *value)
{
    bool number = strchr("+-", *value) && value[1 + strspn(value + 1, "0123456789.")] == 0;
    return *value && strchr("=+-@\t\r", *value) && !number;
}

void csv_text(struct buf *b, const char *prefix, const char *value)
{
    if (!value)
        return;
    bool quotes = strpbrk(value, ",\"\r\n") != NULL;
    if (quotes)
        buf_char(b, '"');
    buf_str(b, prefix);
    if (!*prefix && is_formula(value))
        buf_char(b, '\'');
    char escape[QUOTE_ESCAPE];
    for (int n; (n = quote_character(value, escape)); value += n) {
        bool as_is = !*escape || strchr("\t\r\n", *value);
        if (*value == '"')
            buf_char(b, '"');
        buf_add(b, as_is ? value : escape, as_is ? (size_t)n : strlen(escape));
    }
    if (quotes)
        buf_char(b, '"');
}
