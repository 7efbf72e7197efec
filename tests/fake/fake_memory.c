/* SPDX-License-Identifier: MIT
 *
 * One process, number 5000, whose resident size and heap follow the lines `memory` of its program, straight from one to the
 * next. Its heap is written on the board as the preloaded library would, and only when the environment names it. */
#include "alloc_board.h"
#include "fake_parts.h"
#include "fake_reading.h"
#include "fake_state.h"
#include "plat.h"
#include "plat_memory.h"
#include "posix.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 5000, DEFAULT_RSS = 2000000 };

struct plat_tree {
    struct plat_tree_process only;
};

/* The run in progress; there is one world, see fake_state.c. */
static struct {
    bool runs, counts;
    const struct fake_program *program;
    double rss, heap;
} now;
static struct alloc_board *board;

/* ---- the script ---- */

bool fake_set_memory(struct reading *r)
{
    r->s->memory_hidden = fake_words_accept(&r->w, "hidden");
    return r->s->memory_hidden || fake_words_fault(&r->w, "memory can only be hidden");
}

bool fake_program_memory(struct reading *r)
{
    struct fake_memory *m = append(r, &r->program->memory);
    if (!m || !fake_words_percent(&r->w, &m->at) || !fake_words_quantity(&r->w, "bytes", &m->rss))
        return false;
    m->heap = NAN;
    return !fake_words_number_next(&r->w) || fake_words_quantity(&r->w, "bytes", &m->heap);
}

bool fake_program_nopreload(struct reading *r)
{
    char *why;
    if (!fake_words_text(&r->w, "the reason", &why))
        return false;
    r->program->nopreload = why;
    return true;
}

/* ---- the child's side ---- */

static double between(double a, double b, double part)
{
    return a + (b - a) * part;
}

static void read_script(double part)
{
    const struct fake_memory *before = now.program ? now.program->memory : NULL;
    now.rss = before ? before->rss : DEFAULT_RSS;
    now.heap = before ? before->heap : NAN;
    for (const struct fake_memory *m = before; m && m->next && m->at <= part; m = m->next) {
        const struct fake_memory *next = m->next;
        double way = next->at > m->at ? fmin((part - m->at) / (next->at - m->at), 1) : 1;
        now.rss = between(m->rss, next->rss, way);
        now.heap = between(m->heap, next->heap, way);
    }
}

static bool names_board(const char *const *envp)
{
    size_t n = strlen(ALLOC_BOARD_VARIABLE);
    for (; *envp; envp++)
        if (!strncmp(*envp, ALLOC_BOARD_VARIABLE, n) && (*envp)[n] == '=')
            return true;
    return false;
}

static void write_board(void)
{
    struct alloc_slot *s = &board->slot[0];
    int64_t heap = (int64_t)now.heap, before = s->live_bytes;
    if (heap > before) {
        s->allocations++;
        s->allocated_bytes += heap - before;
    }
    s->frees += heap < before;
    s->live_bytes = heap;
    if (heap > s->peak_bytes) {
        s->peak_bytes = heap;
        s->peak_ns = fake_state()->now_ns;
    }
}

void fake_memory_live(double part)
{
    read_script(part);
    if (now.counts)
        write_board();
}

void fake_memory_begin(const struct fake_program *p, const struct plat_child_spec *spec)
{
    now.runs = true;
    now.program = p;
    now.counts = board && names_board(spec->envp) && p && p->memory && !isnan(p->memory->heap);
    if (now.counts) {
        board->pid[0] = PID;
        board->used = 1;
    }
    fake_memory_live(0);
}

void fake_memory_end(void)
{
    now.runs = false;
}

/* ---- the watcher's side ---- */

enum tare_status plat_tree_create(struct plat_tree **out, struct plat_spawner *s, struct tare_err *err)
{
    (void)s;
    *out = NULL;
    if (fake_state()->script.memory_hidden)
        return err_set(err, TARE_UNSUPPORTED, "/proc cannot be read");
    *out = calloc(1, sizeof **out);
    return *out ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory to watch processes");
}

int plat_tree_sample(struct plat_tree *t, bool new_ones, const struct plat_tree_process **processes)
{
    (void)new_ones;
    t->only = (struct plat_tree_process){.pid = PID, .rss_bytes = (int64_t)now.rss, .image = 1};
    *processes = &t->only;
    return now.runs;
}

void plat_tree_destroy(struct plat_tree *t)
{
    free(t);
}

enum tare_status plat_shared_create(struct plat_shared *out, size_t bytes, struct tare_err *err)
{
    *out = (struct plat_shared){.bytes = bytes, .fd = -1, .path = "/fake/board", .memory = calloc(1, bytes)};
    board = out->memory;
    return board ? TARE_OK : err_set(err, TARE_NO_MEMORY, "cannot make memory to share with the commands: out of memory");
}

void plat_shared_destroy(struct plat_shared *s)
{
    if (s->memory == board)
        board = NULL;
    free(s->memory);
    *s = (struct plat_shared){0};
}

enum tare_status plat_alloc_library(struct buf *path, struct tare_err *err)
{
    (void)err;
    buf_str(path, "/fake/libexec/libtare_alloc.so");
    return path->status;
}

const char *plat_preload_refused(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (const struct fake_program *p = fake_state()->script.programs; p; p = p->next)
        if (p->nopreload && (!strcmp(p->words[0], name) || !strcmp(p->words[0], program)))
            return p->nopreload;
    return NULL;
}

/* ---- followed for its peak ---- */

/* ---- words ---- */

static const struct {
    const char *name;
    enum plat_peak_why why;
} refusals[] = {
    {"traced", PEAK_TRACED_ALREADY}, {"filtered", PEAK_FILTERED}, {"yama", PEAK_YAMA},
    {"forbidden", PEAK_FORBIDDEN},   {"missing", PEAK_NO_PTRACE}, {"unreadable", PEAK_NOT_BEGUN},
};

static bool read_size(struct reading *r, int64_t *out)
{
    double bytes;
    if (!fake_words_quantity(&r->w, "bytes", &bytes))
        return false;
    *out = (int64_t)bytes;
    return (bytes >= 0 && bytes < 1e15) || fake_words_fault(&r->w, "a size is not negative");
}

bool fake_set_peak(struct reading *r)
{
    if (fake_words_accept(&r->w, "floor")) {
        r->s->floor_told = true;
        return read_size(r, &r->s->floor_helper_bytes) && read_size(r, &r->s->floor_unseen_bytes);
    }
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (fake_words_accept(&r->w, refusals[i].name)) {
            r->s->peak_refused = (int)refusals[i].why;
            return true;
        }
    return fake_words_fault(&r->w, "peak has floor, traced, filtered, yama, forbidden, missing and unreadable");
}

bool fake_program_peak(struct reading *r)
{
    if (fake_words_accept(&r->w, "privileged"))
        return r->program->privileged = true;
    return fake_words_model(&r->w, "bytes", &r->program->peak);
}

bool fake_program_tree(struct reading *r)
{
    return fake_words_model(&r->w, "bytes", &r->program->tree);
}

/* ---- what comes of them ---- */

enum plat_peak_why fake_peak_refusal(const struct fake_state *w, const struct fake_program *p)
{
    return w->script.peak_refused ? (enum plat_peak_why)w->script.peak_refused
           : p && p->privileged   ? PEAK_PRIVILEGED
                                  : PEAK_KNOWN;
}

static int64_t draw(struct fake_model *m, struct fake_program *p, double otherwise)
{
    double bytes = m->terms ? fake_model_draw(m, &p->rng, p->runs, 0) : otherwise;
    return bytes > 0 ? (int64_t)(bytes + 0.5) : 0;
}

void fake_peak_draw(struct fake_program *p, struct plat_child_result *result)
{
    result->peak_why = PEAK_KNOWN;
    result->peak_bytes = p ? draw(&p->peak, p, 2.5e6) : 2500000;
    bool grouped = p && p->tree.terms;
    result->tree_why = grouped ? PEAK_KNOWN : PEAK_NO_GROUP;
    result->tree_bytes = grouped ? draw(&p->tree, p, 0) : -1;
}

enum tare_status plat_rss_floor(const struct plat_spawner *s, struct plat_rss_floor *out)
{
    const struct fake_script *script = &fake_state()->script;
    (void)s;
    *out = (struct plat_rss_floor){script->floor_helper_bytes, script->floor_unseen_bytes};
    return script->floor_told ? TARE_OK : TARE_UNSUPPORTED;
}
