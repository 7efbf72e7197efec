/* SPDX-License-Identifier: MIT
 *
 * valgrind --tool=memcheck --xml=yes --xml-file=FILE ... PROGRAM ARG...
 *
 * with a request for taint in the program's environment; the program's own report comes through its inherited descriptor as ever, valgrind's
 * through another file in memory, which it opens by the path that our descriptor has: whoever ends us, nothing is left behind. */
#include "taint.h"
#include "quote.h"
#include "units.h"
#include "wire.h"
#include <stdlib.h>
#include <string.h>

enum { REPORT_BYTES = 1 << 20, XML_BYTES = 256 << 20, MSAN_BYTES = 16 << 20, FOUND_CODE = 99, WORDS_MAX = 24 };

static const char needs_valgrind[] = "valgrind is needed for --taint and is not on PATH (Debian: apt-get install valgrind)";

const char *taint_state_word(enum taint_state state)
{
    static const char *const words[] = {"clean", "found", "failed", "not run"};
    return words[state];
}

struct taint_work {
    struct plat_spawner *spawner;
    const struct taint_request *q;
    struct arena *arena;
    struct taint_result *out;
    const char *valgrind; /* path; NULL: an MSan build runs by itself */
    int xml;              /* valgrind's report */
    const char *path;     /* what is executed */
    const char *const *argv;
    struct tare_err *err;
};

static enum tare_status choose_tool(struct taint_work *w)
{
    struct buf path = BUF_INIT(1 << 16);
    w->out->msan = w->q->known & WIRE_TAINT_MSAN;
    if (w->out->msan)
        return TARE_OK;
    if (!(w->q->known & WIRE_TAINT_MEMCHECK))
        return err_set(w->err, TARE_UNSUPPORTED,
                       "the program's libtare marks no secrets: it was built without valgrind's header. Install it (Debian: "
                       "valgrind), build libtare and the program again, or build both with clang -fsanitize=memory");
    enum tare_status status = plat_find_program("valgrind", w->q->environment, w->q->cwd, &path, NULL);
    w->valgrind = status ? NULL : arena_strdup(w->arena, buf_text(&path));
    buf_finish(&path);
    return w->valgrind ? TARE_OK : err_set(w->err, TARE_UNSUPPORTED, "%s", needs_valgrind);
}

static enum tare_status check_suppressions(const struct taint_work *w)
{
    struct plat_file_state state;
    if (!w->q->suppressions || w->out->msan)
        return TARE_OK;
    return plat_file_state(w->q->suppressions, &state, w->err) ? TARE_INVALID : TARE_OK;
}

static const char *xml_word(struct taint_work *w)
{
    struct buf word = BUF_INIT(1 << 8);
    buf_str(&word, "--xml-file=");
    plat_scratch_path(w->xml, &word);
    return arena_keep(w->arena, &word);
}

static enum tare_status prepare_valgrind(struct taint_work *w)
{
    static const char *const options[] = {"--tool=memcheck",
                                          "--xml=yes",
                                          "--error-exitcode=99",
                                          "--track-origins=yes",
                                          "--num-callers=16",
                                          "--error-limit=no",
                                          "--leak-check=no",
                                          "--vgdb=no",
                                          "--child-silent-after-fork=yes",
                                          "--undef-value-errors=yes",
                                          "--command-line-only=yes" /* VALGRIND_OPTS and ~/.valgrindrc may hide what is found */};
    enum { OPTIONS = sizeof options / sizeof *options };
    _Static_assert(OPTIONS + 4 < WORDS_MAX, "room for all words");
    int n = 0, k = 0;
    while (w->q->argv[n])
        n++;
    const char **argv = arena_array(w->arena, (size_t)n + WORDS_MAX, sizeof *argv);
    if (!argv)
        return err_no_memory(w->err);
    argv[k++] = w->valgrind;
    for (int i = 0; i < OPTIONS; i++)
        argv[k++] = options[i];
    argv[k++] = xml_word(w);
    if (w->q->suppressions)
        argv[k++] = arena_format(w->arena, "--suppressions=%s", w->q->suppressions);
    for (int i = 1; i < k; i++)
        if (!argv[i])
            return err_no_memory(w->err);
    memcpy(argv + k, w->q->argv, (size_t)(n + 1) * sizeof *argv);
    w->argv = argv;
    w->path = w->valgrind;
    return TARE_OK;
}

static enum tare_status prepare_program(struct taint_work *w)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = plat_find_program(w->q->argv[0], w->q->environment, w->q->cwd, &path, w->err);
    w->path = status ? NULL : arena_strdup(w->arena, buf_text(&path));
    w->argv = w->q->argv;
    buf_finish(&path);
    return status ? status : w->path ? TARE_OK : err_no_memory(w->err);
}

static const char *request_of(struct taint_work *w, const char *target)
{
    struct wire_request request = wire_request_default(CHILD_REPORT);
    struct buf text = BUF_INIT(1 << 17);
    request.mode = WIRE_LEAK;
    request.leak_kind = WIRE_TAINT;
    request.seed = w->q->seed;
    buf_str(&text, WIRE_VARIABLE "=");
    wire_request_write(&text, &request);
    wire_request_add(&text, target, 0);
    return arena_keep(w->arena, &text);
}

/* The environment with the request; an MSan build also goes on after its first report, where it was built so that it can, and reports to where we read. */
static const char *const *environment_for(struct taint_work *w, const char *target)
{
    static const char name[] = "MSAN_OPTIONS=", mine[] = "halt_on_error=0:print_summary=1:exit_code=99:log_path=stderr";
    int n = 0, k = 0;
    while (w->q->environment[n])
        n++;
    const char **all = arena_array(w->arena, (size_t)n + 3, sizeof *all), *options = NULL;
    for (int i = 0; all && i < n; i++) {
        if (w->out->msan && !strncmp(w->q->environment[i], name, sizeof name - 1))
            options = arena_format(w->arena, "%s:", w->q->environment[i]);
        else
            all[k++] = w->q->environment[i];
    }
    const char *request = request_of(w, target);
    if (!all || !request)
        return NULL;
    all[k++] = request;
    if (w->out->msan)
        all[k++] = arena_format(w->arena, "%s%s", options ? options : name, mine);
    return k && all[k - 1] ? all : NULL;
}

static char *scratch_text(int fd, size_t most, struct arena *arena, size_t *n)
{
    int64_t size = plat_scratch_size(fd);
    *n = size < 0 ? 0 : (size_t)size < most ? (size_t)size : most;
    char *text = arena_alloc(arena, *n + 1);
    if (text && *n && plat_scratch_read(fd, 0, text, *n, NULL))
        *n = 0;
    return text;
}

static enum tare_status run_process(struct taint_work *w, const char *target, int report, int talk,
                                    struct plat_child_result *result)
{
    const char *const *environment = environment_for(w, target);
    int null = plat_open_null();
    if (!environment || null < 0) {
        plat_close(null);
        return err_no_memory(w->err);
    }
    const struct plat_child_spec spec = {.path = w->path,
                                         .argv = w->argv,
                                         .envp = environment,
                                         .cwd = w->q->cwd,
                                         .fd_in = null,
                                         .fd_out = w->q->show_output ? 1 : null,
                                         .fd_err = talk,
                                         .timeout_ns = w->q->timeout_ns,
                                         .pin_cpu = -1,
                                         .drain_fd = -1,
                                         .scratch_bytes = MSAN_BYTES,
                                         .fd_report = report,
                                         .report_bytes = REPORT_BYTES};
    enum tare_status status = plat_child_run(w->spawner, &spec, result, w->err);
    plat_close(null);
    return status;
}

struct told {
    bool active, began, ended;
    enum wire_state state;
    const char *reason;
};

static struct told read_wire(struct taint_work *w, const char *bytes, size_t n)
{
    struct told t = {.reason = ""};
    struct wire_reader reader = {bytes, n, 0};
    struct wire_frame f;
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type == WIRE_HELLO)
            t.active = f.u.hello.taint & WIRE_TAINT_ACTIVE;
        else if (f.type == WIRE_TARGET)
            t.began = true;
        else if (f.type == WIRE_TARGET_END) {
            t.ended = true;
            t.state = f.u.target_end.state;
            t.reason = arena_strdup(w->arena, f.u.target_end.reason ? f.u.target_end.reason : "");
        }
    }
    return t;
}

BUF_FORMATS(2, 3) static const char *made_sentence(struct taint_work *w, const char *format, ...)
{
    char room[512];
    struct buf b = buf_over(room, sizeof room);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    const char *kept = arena_strdup(w->arena, buf_text(&b));
    return kept ? kept : "no memory";
}

/* The last line of what came on standard error: valgrind says there why it gave up. */
static const char *last_line(char *text, size_t n)
{
    while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
        text[--n] = 0;
    text[n] = 0;
    char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* NULL: all went well. */
static const char *trouble_of(struct taint_work *w, const struct told *t, const struct plat_child_result *r, char *talk, size_t n)
{
    if (r->end == CHILD_TIMED_OUT)
        return made_sentence(w, "stopped after %s (--timeout)", figure_text(figure_limit, (double)w->q->timeout_ns / 1e9).at);
    if (r->end == CHILD_NOT_STARTED)
        return made_sentence(w, "could not be started: %s", plat_errno_text(r->code));
    if (r->end == CHILD_SIGNALLED)
        return made_sentence(w, "ended by %s%s", plat_signal_name(r->code), t->began ? "" : ", before the target");
    if (t->ended && t->state != WIRE_OK)
        return made_sentence(w, "%s: %s", wire_state_word(t->state), t->reason ? t->reason : "");
    if (t->ended && !t->active)
        return "its marks had no effect";
    if (!t->ended && w->out->msan && r->code == FOUND_CODE)
        return "stopped at its first report; build with -fsanitize-recover=memory to continue";
    if (!t->ended && strstr(talk, "debuginfo reader"))
        return "valgrind cannot read the program's debug information: build it with -gdwarf-4";
    if (!t->ended)
        return made_sentence(w, "ended with code %d before the target was done%s%s", r->code, n ? ": " : "",
                             n ? last_line(talk, n) : "");
    return r->code && r->code != FOUND_CODE ? made_sentence(w, "ended with code %d", r->code) : NULL;
}

static enum tare_status read_report(struct taint_work *w, const char *talk, size_t n, struct taint_report *out,
                                    const char **trouble)
{
    struct tare_err err = {""};
    size_t n_xml;
    if (w->out->msan)
        return taint_msan_read(talk, n, w->arena, out, w->err);
    const char *xml = scratch_text(w->xml, XML_BYTES, w->arena, &n_xml);
    enum tare_status status = xml ? taint_xml_read(xml, n_xml, w->arena, out, &err) : TARE_NO_MEMORY;
    if (status == TARE_NO_MEMORY)
        return err_no_memory(w->err);
    if (status && !*trouble)
        *trouble = made_sentence(w, "%s", err.text);
    return TARE_OK;
}

static int64_t secret_uses(const struct taint_report *r)
{
    return r->count[TAINT_JUMP] + r->count[TAINT_ADDRESS] + r->count[TAINT_SYSCALL] + r->count[TAINT_USE];
}

static bool found_anything(const struct taint_report *r)
{
    return secret_uses(r) || r->count[TAINT_MEMORY];
}

static enum tare_status conclude_target(struct taint_work *w, struct taint_target *t, const struct plat_child_result *result,
                                        int report, int talk)
{
    size_t n_wire, n_talk;
    char *wire = scratch_text(report, REPORT_BYTES, w->arena, &n_wire), *said = scratch_text(talk, MSAN_BYTES, w->arena, &n_talk);
    if (!wire || !said)
        return err_no_memory(w->err);
    struct told told = read_wire(w, wire, n_wire);
    const char *trouble = NULL;
    enum tare_status status = read_report(w, said, n_talk, &t->report, &trouble);
    const char *first = trouble_of(w, &told, result, said, n_talk);
    trouble = first ? first : trouble;
    if (!trouble && result->code == FOUND_CODE &&
        !found_anything(&t->report)) /* the program may have put its standard error elsewhere */
        trouble = made_sentence(w, "ended with code %d, so that there were reports, and none came", FOUND_CODE);
    t->why = trouble ? trouble : "";
    t->state = secret_uses(&t->report) ? TAINT_FOUND : trouble ? TAINT_FAILED : TAINT_CLEAN;
    if (*t->report.tool && !w->out->tool)
        w->out->tool = t->report.tool;
    return status;
}

static enum tare_status run_target(struct taint_work *w, struct taint_target *t)
{
    struct plat_child_result result;
    int report = plat_open_scratch(w->err), talk = report < 0 ? -1 : plat_open_scratch(w->err);
    w->xml = talk < 0 ? -1 : plat_open_scratch(w->err);
    enum tare_status status = w->xml < 0 ? TARE_IO : w->valgrind ? prepare_valgrind(w) : prepare_program(w);
    if (!status)
        status = run_process(w, t->name, report, talk, &result);
    if (!status && result.end == CHILD_INTERRUPTED)
        status =
            err_set(w->err, TARE_INTERRUPTED, "interrupted while %s ran under %s", t->name, w->out->msan ? "MSan" : "valgrind");
    if (!status)
        status = conclude_target(w, t, &result, report, talk);
    plat_close(report);
    plat_close(talk);
    plat_close(w->xml);
    return status;
}

static enum tare_status run_all(struct taint_work *w)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < w->q->n_targets && !status; i++) {
        if (w->q->progress)
            w->q->progress(w->q->progress_context, w->q->targets[i], i, w->q->n_targets);
        status = plat_signal() ? err_set(w->err, TARE_INTERRUPTED, "interrupted") : run_target(w, &w->out->targets[i]);
    }
    return status;
}

enum tare_status taint_run(struct plat_spawner *spawner, const struct taint_request *q, struct arena *arena,
                           struct taint_result *out, struct tare_err *err)
{
    struct taint_work w = {.spawner = spawner, .q = q, .arena = arena, .out = out, .err = err};
    *out = (struct taint_result){.n_targets = q->n_targets};
    out->targets = arena_array(arena, (size_t)q->n_targets + 1, sizeof *out->targets);
    if (!out->targets)
        return err_no_memory(err);
    for (int i = 0; i < q->n_targets; i++)
        out->targets[i] = (struct taint_target){.name = q->targets[i], .state = TAINT_NOT_RUN, .why = ""};
    enum tare_status status = choose_tool(&w);
    if (!status)
        status = check_suppressions(&w);
    if (!status)
        status = run_all(&w);
    out->tool = out->tool ? out->tool : out->msan ? "MemorySanitizer" : "memcheck";
    return status;
}

enum tare_status taint_check(const struct taint_request *q, struct tare_err *err)
{
    struct arena arena = {0};
    struct taint_result result = {0};
    struct taint_work w = {.q = q, .arena = &arena, .out = &result, .err = err};
    enum tare_status status = choose_tool(&w);
    if (!status)
        status = check_suppressions(&w);
    arena_finish(&arena);
    return status;
}

/* taint by valgrind 3.19.0 memcheck:
 *       memcmp_32       found: 4 jumps
 *              4  jump     case_compare.c:12 (tare_target_memcmp_32), within memcmp
 *
 * Targets that are clean are named with -v alone: the line of each verdict has what was found.
 */

enum { PLACES_SHOWN = 8, NAME_COLUMNS = 40 };

/* Sentences, closed by NULL. */
static const char *const *taint_blind_spots(bool msan)
{
    static const char executed[] = "Only what was executed was watched: a path that no class of inputs took is not covered.";
    static const char latency[] =
        "Instructions whose own time depends on their operands (division, square root, denormal numbers) are not reported.";
    static const char binary[] =
        "Another compiler, optimisation or code path of a processor makes another program: this is about this binary.";
    static const char *const of_memcheck[] = {
        executed, latency, binary,
        "memcheck offers fewer processor features (no AVX-512), so libraries may choose other code than natively, and replaces "
        "memcmp, strlen and similar functions with its own.",
        NULL};
    static const char *const of_msan[] = {executed,
                                          latency,
                                          binary,
                                          "Code that was not compiled with MSan, such as most libraries, is not watched; what it "
                                          "writes may be reported wrongly.",
                                          "MSan does not tell a jump from an address.",
                                          NULL};
    return msan ? of_msan : of_memcheck;
}

static void put_counts(struct buf *b, const struct taint_report *r)
{
    static const char *const plural[TAINT_KINDS] = {"jumps", "addresses", "system calls", "uses", "memory errors"};
    const char *comma = "";
    for (int i = 0; i < TAINT_KINDS; i++)
        if (r->count[i]) {
            buf_format(b, "%s%lld %s", comma, (long long)r->count[i],
                       r->count[i] == 1 ? taint_kind_word((enum taint_kind)i) : plural[i]);
            comma = ", ";
        }
}

static void put_masked_frame(struct buf *out, const struct taint_frame *f, bool unicode)
{
    char room[512];
    struct buf text = buf_over(room, sizeof room);
    taint_put_frame(&text, f);
    quote_mask(out, buf_text(&text), unicode);
}

static void put_place(struct buf *out, const struct taint_place *p, const struct render_options *o)
{
    char room[1024];
    struct buf place = buf_over(room, sizeof room);
    buf_format(out, "    %9lld  %-11s ", (long long)p->count, taint_kind_word(p->kind));
    taint_put_place(&place, p);
    quote_mask(out, buf_text(&place), o->unicode);
    if (p->through && *p->through) {
        buf_str(out, ", within ");
        quote_mask(out, p->through, o->unicode);
    }
    buf_char(out, '\n');
    for (int i = 0; i < p->n_frames && o->verbosity > 0; i++) {
        buf_format(out, "               %s ", i ? "by" : "at");
        put_masked_frame(out, &p->frames[i], o->unicode);
        buf_char(out, '\n');
    }
}

static void put_places(struct buf *out, const struct taint_report *r, const struct render_options *o)
{
    int shown = o->verbosity > 0 || r->n_places <= PLACES_SHOWN ? r->n_places : PLACES_SHOWN;
    for (int i = 0; i < shown; i++)
        put_place(out, &r->places[i], o);
    if (shown < r->n_places)
        buf_format(out, "               and %d more place%s (-v shows them)\n", r->n_places - shown,
                   buf_plural(r->n_places - shown));
    if (r->crowded)
        buf_format(out, "               and more places than %d, counted but not kept\n", TAINT_PLACES_MAX);
}

static int name_width(const struct taint_result *result)
{
    int width = 8;
    for (int i = 0; i < result->n_targets; i++) {
        int columns = text_columns(result->targets[i].name, strlen(result->targets[i].name));
        width = columns > width ? columns : width;
    }
    return width < NAME_COLUMNS ? width : NAME_COLUMNS;
}

static bool is_clean(const struct taint_target *t)
{
    return t->state == TAINT_CLEAN && !t->report.count[TAINT_MEMORY] && !*t->why;
}

static void put_target(struct buf *out, const struct taint_target *t, int width, const struct render_options *o)
{
    size_t before = out->len;
    buf_str(out, "  ");
    quote_cut(out, t->name, NAME_COLUMNS, o->unicode);
    buf_repeat(out, ' ', width + 4 - text_columns(buf_text(out) + before, out->len - before));
    buf_str(out, taint_state_word(t->state));
    if (t->state == TAINT_FOUND || t->report.count[TAINT_MEMORY]) {
        buf_str(out, ": ");
        put_counts(out, &t->report);
    }
    if (*t->why) {
        buf_str(out, "; ");
        quote_mask(out, t->why, o->unicode);
    }
    buf_char(out, '\n');
    put_places(out, &t->report, o);
}

void taint_text(const struct taint_result *result, const struct render_options *o, struct buf *out)
{
    bool clean = true;
    buf_str(out, "taint by ");
    quote_mask(out, result->tool, o->unicode);
    for (int i = 0; i < result->n_targets; i++)
        clean = clean && is_clean(&result->targets[i]);
    buf_str(out, clean ? ": nothing found\n" : ":\n");
    for (int i = 0; i < result->n_targets; i++)
        if (o->verbosity > 0 || !is_clean(&result->targets[i]))
            put_target(out, &result->targets[i], name_width(result), o);
    if (o->verbosity <= 0)
        return;
    buf_str(out, "What taint does not show:\n");
    for (const char *const *spot = taint_blind_spots(result->msan); *spot; spot++)
        buf_format(out, "  - %s\n", *spot);
}

void taint_line(const struct taint_target *t, struct buf *out)
{
    buf_str(out, taint_state_word(t->state));
    if (t->state == TAINT_FOUND || t->report.count[TAINT_MEMORY]) {
        buf_str(out, ": ");
        put_counts(out, &t->report);
    }
    for (int i = 0; i < t->report.n_places && i < PLACES_SHOWN; i++) {
        const struct taint_place *p = &t->report.places[i];
        buf_format(out, "; %lld x %s at ", (long long)p->count, taint_kind_word(p->kind));
        taint_put_place(out, p);
    }
    if (t->report.n_places > PLACES_SHOWN)
        buf_format(out, "; and %d more places", t->report.n_places - PLACES_SHOWN);
    if (*t->why)
        buf_format(out, "; %s", t->why);
}
