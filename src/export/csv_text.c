/* SPDX-License-Identifier: MIT */
#include "csv_text.h"
#include "quote.h"
#include <string.h>

void csv_text(struct buf *b, const char *prefix, const char *value)
{
    if (!value)
        return;
    bool quotes = strpbrk(value, ",\"\r\n") != NULL;
    if (quotes)
        buf_char(b, '"');
    buf_str(b, prefix);
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
