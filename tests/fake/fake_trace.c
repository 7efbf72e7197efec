/* SPDX-License-Identifier: MIT
 *
 * Scripted programs with control points: one file of trace_format.h for each process, with a row of empty passes and then the arcs in the
 * script's order, one thread, whole segments. Its counter runs at 1 GHz, so that a tick is a nanosecond.
 */
#include "crc.h"
#include "fake_parts.h"
#include "fake_reading.h"
#include "trace_request.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 2000, WEIGH_PASSES = 17, FILE_BYTES_MAX = 256 << 20, START_TICK = 1000000 };

static const double HZ = 1e9;
static const int64_t UTC_NS = INT64_C(1767225600000000000);

/* ---- the script ---- */

bool fake_program_point(struct reading *r)
{
    struct fake_point *p = append(r, &r->program->points);
    int64_t line;
    if (!p || !fake_words_text(&r->w, "a file", &p->file) || !fake_words_integer(&r->w, "a line", 1, INT32_MAX, &line) ||
        !fake_words_text(&r->w, "a function", &p->func))
        return false;
    p->line = (uint32_t)line;
    return !fake_words_left(&r->w) || fake_words_text(&r->w, "a name", &p->name);
}

static int64_t points_of(const struct fake_program *p)
{
    int64_t n = 0;
    for (const struct fake_point *at = p->points; at; at = at->next)
        n++;
    return n;
}

bool fake_program_arc(struct reading *r)
{
    struct fake_arc *a = append(r, &r->program->arcs);
    int64_t points = points_of(r->program);
    if (!a)
        return false;
    a->times = 1;
    if (points < 1)
        return fake_words_fault(&r->w, "an arc goes from point to point; name them first (point FILE LINE FUNC)");
    if (!fake_words_integer(&r->w, "a point", 1, points, &a->from) || !fake_words_integer(&r->w, "a point", 1, points, &a->to))
        return false;
    if (fake_words_accept(&r->w, "times") && !fake_words_integer(&r->w, "a number", 1, 1000000, &a->times))
        return false;
    return fake_words_model(&r->w, "ns", &a->ns);
}

bool fake_program_probe(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->probe);
}

bool fake_program_leaves(struct reading *r)
{
    static const struct {
        const char *word;
        enum fake_trace_fault fault;
    } faults[] = {{"nothing", TRACES_NOTHING},
                  {"foreign", TRACES_FOREIGN},
                  {"newer", TRACES_NEWER},
                  {"cut", TRACES_CUT},
                  {"empty", TRACES_EMPTY}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (fake_words_accept(&r->w, faults[i].word)) {
            r->program->leaves = faults[i].fault;
            return true;
        }
    return fake_words_fault(&r->w, "a program leaves nothing, or what is foreign, newer, cut or empty");
}

/* ---- words ---- */

struct writing {
    struct fake_program *p;
    struct buf words;
    uint64_t tick;
    double rest, probe_ns; /* of a tick that was not counted yet */
    int64_t run;
    int repeat;
    int64_t last; /* point; 0: none */
};

static void spend(struct writing *w, double ns)
{
    double whole = floor(ns + w->rest);
    w->rest += ns - whole;
    w->tick += (uint64_t)whole;
}

static void put_word(struct writing *w, unsigned id)
{
    uint64_t word = w->tick << 16 | id;
    buf_add(&w->words, (const char *)&word, sizeof word);
}

static void pass(struct writing *w, int64_t point)
{
    for (int i = 0; i < w->repeat; i++) {
        put_word(w, (unsigned)point);
        spend(w, w->probe_ns);
    }
    w->last = point;
}

static void weigh(struct writing *w)
{
    for (int i = 0; i < WEIGH_PASSES; i++) {
        put_word(w, CONTROL_WEIGH);
        spend(w, w->repeat * w->probe_ns);
    }
}

static void put_arc(struct writing *w, struct fake_arc *a)
{
    for (int64_t i = 0; i < a->times; i++) {
        if (w->last != a->from) {
            if (w->last)
                put_word(w, CONTROL_BREAK);
            pass(w, a->from);
        }
        spend(w, fake_model_draw(&a->ns, &w->p->rng, w->run, 0));
        pass(w, a->to);
    }
}

/* ---- the file ---- */

static struct trace_moment moment_at(uint64_t tick)
{
    return (struct trace_moment){.tick = tick, .raw_ns = tick, .real_ns = (uint64_t)UTC_NS + tick, .width = 40};
}

static void pad_to(struct buf *b, size_t bytes)
{
    while (b->len < bytes && !b->status)
        buf_char(b, 0);
}

static uint32_t count_points(const struct fake_program *p)
{
    return (uint32_t)points_of(p);
}

static void put_head(struct buf *out, const struct writing *w, const struct trace_request *q, uint64_t units, bool ended)
{
    struct trace_head h = {.version = TRACE_VERSION + (w->p->leaves == TRACES_NEWER),
                           .head_bytes = sizeof h,
                           .unit_bytes = TRACE_UNIT,
                           .session = q->session,
                           .pid = (uint32_t)(PID + w->run),
                           .parent = PID,
                           .process_start = (uint64_t)w->run,
                           .clock = TRACE_CLOCK_TSC,
                           .order = q->order,
                           .full = q->full,
                           .repeat = q->repeat,
                           .hz = HZ,
                           .step_ticks = 1,
                           .start = moment_at(START_TICK),
                           .argc = 1,
                           .units = units,
                           .points = count_points(w->p),
                           .threads = 1,
                           .end = ended ? TRACE_ENDED : TRACE_RUNNING};
    memcpy(h.magic, TRACE_MAGIC, sizeof h.magic);
    struct buf program = buf_over(h.program, sizeof h.program);
    buf_str(&program, w->p->words[0]);
    for (int i = 0; i < TRACE_GROUPS; i++)
        h.modes[i] = q->modes[i] == 0xFF ? (uint8_t)q->mode : q->modes[i];
    if (ended)
        h.last = moment_at(w->tick);
    size_t from = offsetof(struct trace_head, session), to = offsetof(struct trace_head, counted);
    h.crc = crc_of((const char *)&h + from, to - from);
    buf_add(out, (const char *)&h, sizeof h);
    pad_to(out, TRACE_TABLE_AT);
}

static void put_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text) + 1);
}

static void put_point(struct buf *out, const struct fake_point *p, uint32_t id)
{
    struct buf texts = BUF_INIT(1 << 16);
    put_text(&texts, p->file);
    put_text(&texts, p->func);
    put_text(&texts, p->name ? p->name : "");
    struct trace_point t = {.magic = TRACE_POINT_MAGIC, .id = id, .line = p->line, .kind = TRACE_POINT};
    size_t from = offsetof(struct trace_point, length);
    t.length = (uint32_t)(sizeof t - from + texts.len);
    t.crc = crc_more(crc_of((const char *)&t + from, sizeof t - from), texts.data, texts.len);
    size_t at = out->len;
    buf_add(out, (const char *)&t, sizeof t);
    buf_add(out, texts.data, texts.len);
    pad_to(out, at + (sizeof t + texts.len + TRACE_CELL - 1) / TRACE_CELL * TRACE_CELL);
    buf_finish(&texts);
}

static void put_segment(struct buf *out, const struct writing *w, uint32_t units, bool ended)
{
    struct trace_segment s = {.magic = TRACE_SEGMENT_MAGIC,
                              .kind = TRACE_EVENTS,
                              .units = units,
                              .tid = (uint32_t)(PID + w->run),
                              .moment = moment_at(START_TICK)};
    s.crc = crc_of(&s, offsetof(struct trace_segment, used));
    s.used = ended ? w->words.len : 0;
    buf_add(out, (const char *)&s, sizeof s);
    buf_add(out, w->words.data, w->words.len);
}

static void put_file(struct buf *out, const struct writing *w, const struct trace_request *q, bool ended)
{
    uint32_t units = (uint32_t)((sizeof(struct trace_segment) + w->words.len + TRACE_UNIT - 1) / TRACE_UNIT), id = 1;
    put_head(out, w, q, 1 + units, ended);
    for (const struct fake_point *p = w->p->points; p; p = p->next)
        put_point(out, p, id++);
    pad_to(out, TRACE_UNIT);
    put_segment(out, w, units, ended);
    pad_to(out, (size_t)(1 + units) * TRACE_UNIT);
    if (w->p->leaves == TRACES_FOREIGN)
        memcpy(out->data, "ELF-like", sizeof "ELF-like" - 1);
    if (w->p->leaves == TRACES_CUT)
        out->len = TRACE_UNIT + sizeof(struct trace_segment) + w->words.len / 2;
    if (w->p->leaves == TRACES_EMPTY)
        out->len = 0;
}

static void store(const struct buf *bytes, const struct writing *w, const struct trace_request *q)
{
    struct plat_file *f;
    struct buf path = BUF_INIT(1 << 16);
    buf_format(&path, "%s/%lld-%lld" TRACE_SUFFIX, q->folder, (long long)(PID + w->run), (long long)w->run);
    if (!plat_file_create(&f, buf_text(&path), PLAT_FILE_APPEND_NEW, NULL)) {
        plat_file_write(f, bytes->data, bytes->len, NULL);
        plat_file_commit(f, NULL);
    }
    buf_finish(&path);
}

static const char *asked(const char *const *envp)
{
    static const char name[] = TRACE_VARIABLE "=";
    for (; *envp; envp++)
        if (!strncmp(*envp, name, sizeof name - 1))
            return *envp + sizeof name - 1;
    return NULL;
}

void fake_trace_leave(struct fake_program *p, const struct plat_child_spec *spec, int64_t start_ns, bool ended)
{
    const char *text = asked(spec->envp);
    struct trace_request q;
    if (!text || !p->points || p->leaves == TRACES_NOTHING || trace_request_read(text, &q, NULL))
        return;
    struct writing w = {.p = p,
                        .words = BUF_INIT(FILE_BYTES_MAX),
                        .tick = START_TICK + (uint64_t)start_ns,
                        .run = p->runs,
                        .repeat = (int)q.repeat};
    w.probe_ns = p->probe.terms ? fake_model_draw(&p->probe, &p->rng, w.run, 0) : 20;
    weigh(&w);
    for (struct fake_arc *a = p->arcs; a; a = a->next)
        put_arc(&w, a);
    struct buf bytes = BUF_INIT(FILE_BYTES_MAX + (1 << 20));
    put_file(&bytes, &w, &q, ended);
    if (!bytes.status && !w.words.status)
        store(&bytes, &w, &q);
    buf_finish(&bytes);
    buf_finish(&w.words);
}
