/* SPDX-License-Identifier: MIT */
#include "csv_text.h"
#include "json_write.h"
#include <string.h>

void csv_text(struct buf *b, const char *prefix, const char *value)
{
    if (!value)
        return;
    bool quotes = strpbrk(value, ",\"\r\n") != NULL;
    if (quotes)
        buf_char(b, '"');
    buf_str(b, prefix);
    for (const char *p = value; *p;) {
        int n = utf8_sequence(p);
        if (*p == '"')
            buf_char(b, '"');
        buf_add(b, n ? p : "\xef\xbf\xbd", n ? (size_t)n : 3);
        p += n ? n : 1;
    }
    if (quotes)
        buf_char(b, '"');
}
