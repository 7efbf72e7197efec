/* SPDX-License-Identifier: MIT
 *
 * A journal of any bytes: nothing in it leads out of the places where settings lie, and what was read can be written and read again. The first byte chooses: even, the
 * checksums of the lines that follow are put right, so that the fields are reached; odd, the bytes are taken as they are.
 */
#include "crc.h"
#include "journal_parts.h"
#include "require.h"
#include "same_text.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines of a corpus begin with their checksum or with a tab. */
static void put_right(struct buf *out, const char *text, size_t n)
{
    for (const char *p = text, *stop = text + n; p < stop;) {
        const char *end = memchr(p, '\n', (size_t)(stop - p)), *tab = memchr(p, '\t', (size_t)(stop - p));
        size_t bytes = (size_t)((end ? end : stop) - p);
        const char *body = tab && tab < p + bytes ? tab + 1 : p;
        size_t body_n = bytes - (size_t)(body - p);
        buf_format(out, "%08x\t", (unsigned)crc_of(body, body_n));
        buf_add(out, body, body_n);
        buf_str(out, end ? "\n" : "");
        p += bytes + 1;
    }
}

static void check_entry(const struct journal_entry *e)
{
    static const enum knob_use uses[] = {
        [SETTING_FILE] = KNOB_WRITES, [SETTING_FOLDER] = KNOB_MAKES, [SETTING_TASKS] = KNOB_FILLS};
    require(e->kind != SETTING_HELD && e->knob && e->identity, "a change that is none", e->path);
    require(knob_may(uses[e->kind], e->path), "a path that is not allowed", e->path);
    require(!strstr(e->path, ".."), "a path that leads upwards", e->path);
    require(!e->from || knob_may(KNOB_EMPTIES, e->from), "a list that is not allowed", e->path);
    require(!e->identity_path || knob_may(KNOB_READS, e->identity_path), "an identity that is not allowed", e->path);
    require(e->kind == SETTING_FILE || !e->old, "an old value of what has none", e->path);
    require(e->first > 0 && e->last >= e->first, "numbers that go down", e->path);
}

static void check_lines(const char *text, size_t n)
{
    struct buf again = BUF_INIT(1 << 24), copy = BUF_INIT(1 << 24);
    struct journal_line line, back;
    buf_add(&copy, text, n);
    for (char *p = copy.data, *end; p && (end = memchr(p, '\n', copy.len - (size_t)(p - copy.data))); p = end + 1) {
        if (!journal_line_read(&line, p, (size_t)(end - p)))
            continue;
        buf_clear(&again);
        journal_line_write(&again, line.n, line.fields);
        require(!again.status && journal_line_read(&back, again.data, again.len - 1), "a line that cannot be written again", "");
        require(back.n == line.n, "a line that has another length", "");
        for (int i = 0; i < line.n; i++)
            require(same_text(line.fields[i], back.fields[i]), "a field that changed", "");
        if (end + 1 >= copy.data + copy.len)
            break;
    }
    buf_finish(&again);
    buf_finish(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = BUF_INIT(1 << 24);
    struct journal_content c;
    struct tare_err err = {.text = ""};
    if (!size)
        return 0;
    if (data[0] % 2)
        buf_add(&text, data + 1, size - 1);
    else
        put_right(&text, (const char *)data + 1, size - 1);
    check_lines(buf_text(&text), text.len);
    size_t n = text.len;
    if (n && journal_content_read(&c, text.data, n, "journal", &err) == TARE_OK) {
        require(c.good_bytes + c.truncated_bytes == n, "bytes that are neither whole nor torn", "");
        for (int i = 0; i < c.n; i++)
            check_entry(&c.entries[i]);
        journal_content_finish(&c);
    } else if (n) {
        require(err.text[0] && !strchr(err.text, '\n'), "a refusal without a line that says why", "");
    }
    buf_finish(&text);
    return 0;
}
