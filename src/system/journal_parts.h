/* SPDX-License-Identifier: MIT
 *
 * journal_parts.h - what the files of the journal share: its state, and how a line changes that. Never included elsewhere.
 *
 * Reading and writing go the same way: a line that is written is applied as if it had been read, so what a later process finds is what this one had.
 *
 *     journal_line_write(&b, 3, (const char *const[]){"reverted", "7", NULL});         // "8a3f01c2\treverted\t7\t\\-\n"
 *
 * A line is a checksum, then texts of any bytes. The checksum is the CRC-32 of what stands behind it and the tab, in eight hexadecimal digits. Fields are closed by
 * tabs. In a field \\ \t \n \r and \xHH stand for bytes that would end it or steer a terminal; \- alone is the absent text.
 */
#ifndef JOURNAL_PARTS_H
#define JOURNAL_PARTS_H

#include "arena.h"
#include "journal.h"

#define JOURNAL_NAME "journal"

struct plat_state;

enum { JOURNAL_FIELDS_MAX = 12 };

struct journal_line {
    const char *fields[JOURNAL_FIELDS_MAX]; /* NULL: absent */
    int n;
};

void journal_line_write(struct buf *out, int n, const char *const *fields);
/* Text without its line end, which is written over: the fields point into it. False: truncated or damaged. */
bool journal_line_read(struct journal_line *out, char *text, size_t n);

struct journal_content {
    struct arena arena;
    struct journal_entry *entries;
    uint32_t *sums; /* of their paths, for journal_find */
    int n, room;
    int sequence; /* the last one given */
    bool settled, left;
    const char *boot; /* NULL: no header yet */
    int64_t owner, owner_began;
    size_t good_bytes, truncated_bytes;
    int damaged; /* whole lines with a wrong checksum: what they said is not known */
    int missing; /* numbers of changes that were passed over; those of damaged lines are among them */
};

struct journal {
    const struct system_root *root;
    struct plat_state *state;
    struct journal_content content;
    struct buf waiting; /* lines that are not in the file yet */
    char *path;
    char boot[64]; /* of the running kernel; "" : it does not tell */
    bool on_disk, writing;
    bool session;   /* of ours, in which changes are made */
    int after_left; /* the first number that was free when we came, all before having been left on purpose; 1: they had not */
    int held[JOURNAL_HELD_MAX], n_held;
};

/* Text is written over. `name` is for messages. A content that was refused holds nothing. */
enum tare_status journal_content_read(struct journal_content *c, char *text, size_t n, const char *name, struct tare_err *err);
/* One whole line. FORMAT: it is none of ours. */
enum tare_status journal_content_apply(struct journal_content *c, const struct journal_line *line, struct tare_err *err);
void journal_content_finish(struct journal_content *c);
struct journal_entry *journal_content_find(const struct journal_content *c, const char *path);

#endif
