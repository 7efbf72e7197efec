/* SPDX-License-Identifier: MIT
 *
 * gate_page.h - the answer of a gate as text: a line for the verdict, the benchmarks that changed, the others as a count, the environment.
 */
#ifndef GATE_PAGE_H
#define GATE_PAGE_H

#include "gate_session.h"

enum exit_code gate_print(const struct gate *g); /* on the screen */
enum exit_code gate_print_annotations(const struct gate *g);

/* Parts of all pages; text as it is, for the writer to mask. */
extern const char *const gate_verdict_words[];              /* "PASS", "FAIL", "CANNOT TELL", "NO RESULT" */
extern const char *const gate_kind_words[];                 /* of enum gate_kind: why it is not compared */
void gate_put_verdict(const struct gate *g, struct buf *b); /* "FAIL: 1 of 12 benchmarks is slower by 2 % or more" */
void gate_put_change(const struct gate *g, const struct gate_benchmark *i, struct buf *b); /* "5.1 % slower (4.2–6.0)" */
void gate_put_value(const struct gate *g, const struct gate_benchmark *i, enum gate_side side,
                    struct buf *b); /* "12.3 ns", "12.3 ns–15.1 ns" on several machines */
/* "FAIL", "accepted", "control", "faster" ...: why it is listed. */
const char *gate_word(const struct gate *g, const struct gate_benchmark *i);
bool gate_is_time(const struct gate *g);          /* what is compared; else it is memory, or a counter */
bool gate_listed(const struct gate_benchmark *i); /* it changed, or has no clear answer */
void gate_put_remark(const struct gate *g, const struct gate_benchmark *i,
                     struct buf *b); /* what is to be known of its row; may be nothing */
/* Sentences about all: of index 0, 1 ...; false: there is no further one. Those from GATE_NOTES_PLAIN on are about the session. */
enum { GATE_NOTES_PLAIN = 7 };
bool gate_put_note(const struct gate *g, int index, struct buf *b);
/* Their indexes in the order of the page: the worst first. In the arena; NULL: no memory. */
int *gate_order(const struct gate *g);

/* Files. `text` is finished. */
/* As on the screen, so many columns wide (0: as wide as it is), and what a build said that failed. */
void gate_put_text(const struct gate *g, int width, struct buf *b);
void gate_put_markdown(const struct gate *g, size_t most_bytes, struct buf *b);
void gate_put_junit(const struct gate *g, struct buf *b);
void gate_put_json(const struct gate *g, struct buf *b);
/* The answer, then the benchmarks if it came to that: what confirms a slowdown, and the first phase. */
enum exit_code gate_write_html(struct gate *g, struct outputs *files);

/* What stands first on a page, as wide as it is and in ANSWER_NARROW columns. */
struct gate_text {
    struct buf title, wide, narrow;
};
#define GATE_TEXT_INIT ((struct gate_text){BUF_INIT(1 << 10), BUF_INIT(16 << 20), BUF_INIT(16 << 20)})
void gate_text_finish(struct gate_text *text);
/* Of a gate without a session, or of many: the command line alone. */
void gate_record_none(const struct gate *g, struct record *r);
enum exit_code gate_write_page(struct gate *g, struct outputs *files, const struct gate_text *text, const struct record *r);

#endif
