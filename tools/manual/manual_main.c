/* SPDX-License-Identifier: MIT
 *
 * Build tool: fills a template of the manual from standard input to standard output (manual.h). Never installed. */
#include "manual.h"
#include <stdio.h>

static int read_all(struct buf *b)
{
    char piece[4096];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, stdin)) > 0)
        buf_add(b, piece, n);
    return ferror(stdin) || b->status;
}

int main(void)
{
    struct buf template_text = BUF_INIT(1 << 20), page = BUF_INIT(1 << 20);
    struct tare_err err;
    int failed = read_all(&template_text);
    if (!failed && manual_fill(&page, buf_text(&template_text), CLI_VERSION, &err)) {
        fprintf(stderr, "manual: %s\n", err.text);
        failed = 1;
    }
    failed = failed || fwrite(page.data, 1, page.len, stdout) != page.len || fflush(stdout);
    buf_finish(&template_text);
    buf_finish(&page);
    return failed;
}
