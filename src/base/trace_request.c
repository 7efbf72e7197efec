/* SPDX-License-Identifier: MIT
 *
 * The request of trace_request.h, as text:
 *
 *     tare-trace 1
 *     folder /tmp/session
 *     session 12345
 *     mode trace
 *     modes off 4 5 6
 *     order ordered
 */
#include "trace_request.h"
#include <limits.h>
#include <string.h>

static const char *const MODE_WORDS[TRACE_MODES] = {"off", "count", "aggregate", "trace", "burst"};
static const char *const ORDER_WORDS[] = {"", "ordered", "fast", "precise"};
static const char *const FULL_WORDS[] = {"", "aggregate", "stop", "wrap"};
enum { ORDERS = sizeof ORDER_WORDS / sizeof *ORDER_WORDS, FULLS = sizeof FULL_WORDS / sizeof *FULL_WORDS };
enum { AS_THE_OTHERS = 0xFF };

struct trace_request trace_request_default(const char *folder)
{
    struct trace_request q = {.mode = TRACE_TRACE,
                              .order = TRACE_ORDERED,
                              .full = TRACE_FULL_AGGREGATE,
                              .limit_bytes = UINT64_C(64) << 30,
                              .burst = 1000,
                              .burst_gap = 100000,
                              .repeat = 1,
                              .clock = "auto"};
    memset(q.modes, AS_THE_OTHERS, sizeof q.modes);
    struct buf b = buf_over(q.folder, sizeof q.folder);
    buf_str(&b, folder);
    return q;
}

static void write_modes(struct buf *out, const struct trace_request *q)
{
    for (int mode = 0; mode < TRACE_MODES; mode++) {
        bool begun = false;
        for (int group = 0; group < TRACE_GROUPS; group++) {
            if (q->modes[group] != mode)
                continue;
            if (!begun)
                buf_format(out, "modes %s", MODE_WORDS[mode]);
            begun = true;
            buf_format(out, " %d", group);
        }
        if (begun)
            buf_char(out, '\n');
    }
}

void trace_request_write(struct buf *out, const struct trace_request *q)
{
    buf_format(out, "tare-trace %d\nfolder %s\nsession %llu\nmode %s\n", TRACE_REQUEST_VERSION, q->folder,
               (unsigned long long)q->session, MODE_WORDS[q->mode]);
    write_modes(out, q);
    buf_format(out, "order %s\nfull %s\nlimit %llu\nseed %llu\n", ORDER_WORDS[q->order], FULL_WORDS[q->full],
               (unsigned long long)q->limit_bytes, (unsigned long long)q->seed);
    buf_format(out, "burst %u\nburst-gap %u\nrepeat %u\nmicro-hz %llu\nclock %s\n", q->burst, q->burst_gap, q->repeat,
               (unsigned long long)q->micro_hz, q->clock);
}

/* ---- reading ---- */

struct line {
    const char *word, *value;
    size_t word_size, value_size;
};

static bool next_line(const char **text, struct line *out)
{
    const char *begin = *text;
    if (!*begin)
        return false;
    size_t size = strcspn(begin, "\n"), word = strcspn(begin, " \n");
    word = word < size ? word : size;
    *out = (struct line){.word = begin, .word_size = word, .value = begin + word, .value_size = size - word};
    if (out->value_size) { /* the blank */
        out->value++;
        out->value_size--;
    }
    *text = begin + size + (begin[size] == '\n');
    return true;
}

static bool is(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

static int word_index(const char *text, size_t size, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (size && is(text, size, words[i]))
            return i;
    return -1;
}

static bool read_uint(const char *text, size_t size, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (digit > max || value > (max - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return size > 0;
}

static bool read_text(const struct line *l, char *out, size_t size)
{
    if (!l->value_size || l->value_size >= size || memchr(l->value, 0, l->value_size))
        return false;
    memcpy(out, l->value, l->value_size);
    out[l->value_size] = 0;
    return true;
}

/* "off 4 5 6" */
static bool read_modes(const struct line *l, uint8_t modes[TRACE_GROUPS])
{
    const char *at = l->value, *end = l->value + l->value_size;
    int mode = -1;
    while (at < end) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        const char *stop = blank ? blank : end;
        uint64_t group = 0;
        if (mode < 0)
            mode = word_index(at, (size_t)(stop - at), MODE_WORDS, TRACE_MODES);
        else if (read_uint(at, (size_t)(stop - at), TRACE_GROUPS - 1, &group))
            modes[group] = (uint8_t)mode;
        else
            return false;
        if (mode < 0)
            return false;
        at = blank ? blank + 1 : end;
    }
    return mode >= 0;
}

static bool read_chosen(const struct line *l, struct trace_request *q)
{
    int chosen = -1;
    if (is(l->word, l->word_size, "mode")) {
        chosen = word_index(l->value, l->value_size, MODE_WORDS, TRACE_MODES);
        q->mode = (enum trace_mode)chosen;
    } else if (is(l->word, l->word_size, "order")) {
        chosen = word_index(l->value, l->value_size, ORDER_WORDS, ORDERS);
        q->order = (enum trace_order)chosen;
    } else {
        chosen = word_index(l->value, l->value_size, FULL_WORDS, FULLS);
        q->full = (enum trace_full)chosen;
    }
    return chosen >= 0;
}

/* repeat is 1 to 3; the others have a default for 0. */
static bool read_number(const struct line *l, struct trace_request *q, bool *known)
{
    const struct {
        const char *word;
        uint64_t max;
        uint64_t *out;
        uint32_t *out_short;
    } numbers[] = {{"session", UINT64_MAX, &q->session, NULL},
                   {"limit", UINT64_MAX, &q->limit_bytes, NULL},
                   {"seed", UINT64_MAX, &q->seed, NULL},
                   {"micro-hz", UINT64_C(100000000000000000), &q->micro_hz, NULL},
                   {"burst", 1000000000, NULL, &q->burst},
                   {"burst-gap", 1000000000, NULL, &q->burst_gap},
                   {"repeat", 3, NULL, &q->repeat}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!is(l->word, l->word_size, numbers[i].word))
            continue;
        uint64_t value = 0;
        *known = true;
        if (!read_uint(l->value, l->value_size, numbers[i].max, &value))
            return false;
        if (numbers[i].out)
            *numbers[i].out = value;
        if (numbers[i].out_short)
            *numbers[i].out_short = (uint32_t)value;
        return true;
    }
    return true;
}

static bool read_line(const struct line *l, struct trace_request *q)
{
    bool known = false;
    if (!read_number(l, q, &known))
        return false;
    if (known)
        return true;
    if (is(l->word, l->word_size, "folder"))
        return read_text(l, q->folder, sizeof q->folder) && q->folder[0] == '/';
    if (is(l->word, l->word_size, "clock"))
        return read_text(l, q->clock, sizeof q->clock) && (!strcmp(q->clock, "auto") || !strcmp(q->clock, "raw"));
    if (is(l->word, l->word_size, "modes"))
        return read_modes(l, q->modes);
    if (is(l->word, l->word_size, "mode") || is(l->word, l->word_size, "order") || is(l->word, l->word_size, "full"))
        return read_chosen(l, q);
    return true; /* of a later day */
}

static enum tare_status read_first(const struct line *l, struct tare_err *err)
{
    uint64_t version = 0;
    if (!is(l->word, l->word_size, "tare-trace") || !read_uint(l->value, l->value_size, INT_MAX, &version))
        return err_set(err, TARE_FORMAT, "%s does not begin with \"tare-trace VERSION\"", TRACE_VARIABLE);
    if (version != TRACE_REQUEST_VERSION)
        return err_set(err, TARE_VERSION,
                       "this program understands version %d of what tare asks of traced programs, the runner speaks version "
                       "%llu: build both "
                       "from one tare",
                       TRACE_REQUEST_VERSION, (unsigned long long)version);
    return TARE_OK;
}

static void fill_defaults(struct trace_request *q)
{
    const struct trace_request d = trace_request_default("/");
    q->limit_bytes = q->limit_bytes ? q->limit_bytes : d.limit_bytes;
    q->burst = q->burst ? q->burst : d.burst;
    q->burst_gap = q->burst_gap ? q->burst_gap : d.burst_gap;
}

enum tare_status trace_request_read(const char *text, struct trace_request *q, struct tare_err *err)
{
    *q = trace_request_default("");
    struct line l;
    if (!text || !next_line(&text, &l))
        return err_set(err, TARE_FORMAT, "%s holds no request", TRACE_VARIABLE);
    enum tare_status status = read_first(&l, err);
    if (status)
        return status;
    while (next_line(&text, &l))
        if (!read_line(&l, q))
            return err_set(err, TARE_FORMAT, "%s: the line \"%.*s %.*s\" is not understood", TRACE_VARIABLE, (int)l.word_size,
                           l.word, (int)l.value_size, l.value);
    if (!q->folder[0])
        return err_set(err, TARE_FORMAT, "%s names no folder", TRACE_VARIABLE);
    if (!q->repeat)
        return err_set(err, TARE_FORMAT, "%s: a pass is written 1 to 3 times, not 0", TRACE_VARIABLE);
    fill_defaults(q);
    return TARE_OK;
}
