/* SPDX-License-Identifier: MIT
 *
 * Two tables of keywords: settings at the margin take their whole line, settings of a program take as many words as they
 * need, so that several fit a line.
 */
#include "fake_script.h"
#include "fake_reading.h"
#include "fake_real.h"
#include <signal.h>
#include <string.h>

/* For any list: a pointer to the first item stands at `head`, and to the next one at the front of each. */
void *append_item(struct reading *r, void *head, size_t size)
{
    void *item = arena_alloc(&r->s->arena, size);
    if (!item) {
        fake_words_fault(&r->w, "out of memory");
        return NULL;
    }
    for (void *next; memcpy(&next, head, sizeof next), next;)
        head = next;
    memcpy(head, &item, sizeof item);
    return item;
}

static const struct {
    const char *name;
    int number;
} signal_names[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"ILL", SIGILL},   {"ABRT", SIGABRT}, {"BUS", SIGBUS},
    {"FPE", SIGFPE},   {"KILL", SIGKILL}, {"USR1", SIGUSR1}, {"SEGV", SIGSEGV}, {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},
    {"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"XCPU", SIGXCPU}, {"SYS", SIGSYS},
};

int fake_signal_number(const char *word)
{
    if (!strncmp(word, "SIG", 3))
        word += 3;
    for (size_t i = 0; i < sizeof signal_names / sizeof *signal_names; i++)
        if (!strcmp(word, signal_names[i].name))
            return signal_names[i].number;
    int number = 0;
    for (const char *s = word; *s; s++) {
        if (*s < '0' || *s > '9' || number > 64)
            return 0;
        number = number * 10 + (*s - '0');
    }
    return number <= 64 ? number : 0;
}

static bool signal_word(struct fake_words *w, int *number)
{
    char *text = NULL;
    if (!fake_words_text(w, "a signal", &text))
        return false;
    *number = fake_signal_number(text);
    return *number || fake_words_fault(w, "'%s' is no signal", text);
}

/* [at N | from N]; all runs without either. */
static bool span(struct fake_words *w, struct fake_span *s)
{
    *s = (struct fake_span){1, FAKE_FOREVER};
    bool at = fake_words_accept(w, "at");
    if (!at && !fake_words_accept(w, "from"))
        return !w->failed;
    if (!fake_words_integer(w, "the number of a run", 1, INT64_MAX / 2, &s->first))
        return false;
    if (at)
        s->last = s->first;
    return true;
}

/* ---- settings of the world ---- */

static bool set_seed(struct reading *r)
{
    int64_t seed;
    if (!fake_words_integer(&r->w, "a seed", 0, INT64_MAX / 2, &seed))
        return false;
    r->s->seed = (uint64_t)seed;
    return true;
}

/* In the order in which they are given. */
static bool clock_jump(struct reading *r, const char *word, struct fake_jump **jumps)
{
    struct fake_jump *j = append(r, jumps);
    double by;
    if (!j || !fake_words_quantity(&r->w, "ns", &by))
        return false;
    j->by_ns = (int64_t)by;
    if (!fake_words_accept(&r->w, "at"))
        return fake_words_fault(&r->w, "clock %s needs `at TIME`", word);
    if (!fake_words_time(&r->w, &j->at_ns))
        return false;
    j->children = jumps == &r->s->backs && fake_words_accept(&r->w, "children");
    return true;
}

static bool set_clock(struct reading *r)
{
    struct fake_words *w = &r->w;
    if (fake_words_accept(w, "step"))
        return fake_words_time(w, &r->s->step_ns);
    if (fake_words_accept(w, "start"))
        return fake_words_time(w, &r->s->start_ns);
    if (fake_words_accept(w, "utc"))
        return fake_words_time(w, &r->s->utc_ns);
    if (fake_words_accept(w, "jump"))
        return clock_jump(r, "jump", &r->s->jumps);
    if (fake_words_accept(w, "back"))
        return clock_jump(r, "back", &r->s->backs);
    return fake_set_clock_kind(r);
}

static bool set_spawn(struct reading *r)
{
    if (!fake_words_time(&r->w, &r->s->before_ns))
        return false;
    return !fake_words_left(&r->w) || fake_words_time(&r->w, &r->s->after_ns);
}

static bool set_shell(struct reading *r)
{
    return fake_words_time(&r->w, &r->s->shell_ns);
}

static bool set_cpus(struct reading *r)
{
    int64_t n;
    if (!fake_words_integer(&r->w, "the number of processors", 1, 65536, &n))
        return false;
    r->s->cpus = (int)n;
    return true;
}

static bool size(struct fake_words *w, int64_t *out)
{
    double bytes;
    if (!fake_words_quantity(w, "bytes", &bytes))
        return false;
    if (bytes < 0)
        return fake_words_fault(w, "a size cannot be negative");
    *out = (int64_t)bytes;
    return true;
}

static bool set_terminal(struct reading *r)
{
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    struct fake_words *w = &r->w;
    int64_t width;
    if (!fake_words_integer(w, "the terminal's width", 1, 10000, &width))
        return false;
    r->s->terminal_width = (int)width;
    r->s->terminal[0] = false;
    r->s->terminal[1] = r->s->terminal[2] = !fake_words_left(w);
    while (fake_words_left(w)) {
        int i = 0;
        while (i < 3 && !fake_words_accept(w, names[i]))
            i++;
        if (i == 3)
            return fake_words_fault(w, "'%s' is not stdin, stdout or stderr", w->word[w->at]);
        r->s->terminal[i] = true;
    }
    return true;
}

static bool copy_file(struct reading *r, struct fake_canned *f)
{
    char *path;
    if (!fake_words_text(&r->w, "the file to copy", &path))
        return false;
    struct buf text = BUF_INIT(16 << 20);
    struct tare_err err = {{0}};
    bool good = real_file_read(path, &text, &err) == TARE_OK;
    if (good) {
        f->text = (struct fake_text){arena_copy(&r->s->arena, buf_text(&text), text.len), text.len};
        good = f->text.bytes || fake_words_fault(&r->w, "out of memory");
    } else
        fake_words_fault(&r->w, "%s", err.text);
    buf_finish(&text);
    return good;
}

static bool set_file(struct reading *r)
{
    struct fake_words *w = &r->w;
    struct fake_canned *f = append(r, &r->s->files);
    char *path;
    if (!f || !fake_words_text(w, "a path", &path))
        return false;
    f->path = path;
    if (fake_words_accept(w, "denied"))
        f->kind = CANNED_DENIED;
    else if (fake_words_accept(w, "copy")) {
        if (!copy_file(r, f))
            return false;
    } else {
        size_t at = (size_t)w->at;
        if (!fake_words_text(w, "the file's text", &f->text.bytes))
            return false;
        f->text.n = w->length[at];
    }
    return !fake_words_accept(w, "from") || fake_words_time(w, &f->from_ns);
}

static bool set_session(struct reading *r)
{
    static const char *const kinds[] = {[NOISE_DRIFT] = "drift", [NOISE_WAVE] = "wave", [NOISE_STEPS] = "steps"};
    struct fake_noise *noise = append(r, &r->s->noises);
    if (!noise)
        return false;
    int kind = 0;
    while (kind < 3 && !fake_words_accept(&r->w, kinds[kind]))
        kind++;
    if (kind == 3)
        return fake_words_fault(&r->w, "session has drift, wave and steps");
    noise->kind = (enum fake_noise_kind)kind;
    int64_t period;
    if (!fake_words_percent(&r->w, &noise->ratio) || !fake_words_time(&r->w, &period))
        return false;
    noise->period_ns = (double)period;
    return period > 0 || fake_words_fault(&r->w, "a period cannot be nought");
}

/* Kept in the order of time, so that they arrive in it. */
static bool set_signal(struct reading *r)
{
    struct fake_signal *fresh = arena_alloc(&r->s->arena, sizeof *fresh);
    if (!fresh)
        return fake_words_fault(&r->w, "out of memory");
    if (!signal_word(&r->w, &fresh->number))
        return false;
    if (!fake_words_accept(&r->w, "at"))
        return fake_words_fault(&r->w, "signal needs `at TIME`");
    if (!fake_words_time(&r->w, &fresh->at_ns))
        return false;
    struct fake_signal **slot = &r->s->signals;
    while (*slot && (*slot)->at_ns <= fresh->at_ns)
        slot = &(*slot)->next;
    fresh->next = *slot;
    *slot = fresh;
    return true;
}

static bool disk_file(struct reading *r, struct fake_disk *d)
{
    char *path;
    if (!fake_words_text(&r->w, "a path", &path))
        return false;
    d->file = path;
    return true;
}

static bool set_disk(struct reading *r)
{
    struct fake_words *w = &r->w;
    struct fake_disk *d = append(r, &r->s->disks);
    if (!d)
        return false;
    if (fake_words_accept(w, "denied")) {
        d->denied = true;
        return disk_file(r, d);
    }
    if (!fake_words_accept(w, "full") || !fake_words_accept(w, "after"))
        return fake_words_fault(w, "disk has `full after SIZE` and `denied FILE`");
    return size(w, &d->limit_bytes) && (!fake_words_accept(w, "of") || disk_file(r, d));
}

static bool set_descriptors(struct reading *r)
{
    int64_t n;
    if (!fake_words_integer(&r->w, "the number of descriptors", 0, 1000000, &n))
        return false;
    r->s->descriptors = (int)n;
    return true;
}

static bool set_priority(struct reading *r)
{
    r->s->priority_denied = fake_words_accept(&r->w, "denied");
    r->s->priority_ignored = !r->s->priority_denied && fake_words_accept(&r->w, "ignored");
    return r->s->priority_denied || r->s->priority_ignored || fake_words_fault(&r->w, "priority can only be denied or ignored");
}

static bool set_helper(struct reading *r)
{
    if (fake_words_accept(&r->w, "missing"))
        r->s->helper_missing = true;
    else if (fake_words_accept(&r->w, "dies") && fake_words_accept(&r->w, "at"))
        return fake_words_integer(&r->w, "the number of a child", 1, INT64_MAX / 2, &r->s->helper_dies_at);
    return r->s->helper_missing || fake_words_fault(&r->w, "helper has `missing` and `dies at N`");
}

static bool set_counter(struct reading *r)
{
    struct fake_words *w = &r->w;
    struct fake_event *e = append(r, &r->s->events);
    char *name, *reason = NULL;
    if (!e || !fake_words_text(w, "an event", &name))
        return false;
    e->event = name;
    e->running_ratio = 1;
    if (fake_words_accept(w, "running"))
        return fake_words_percent(w, &e->running_ratio);
    if (fake_words_accept(w, "useronly"))
        return e->user_only = true;
    e->kind = fake_words_accept(w, "denied") ? COUNTER_DENIED : COUNTER_UNSUPPORTED;
    if (e->kind == COUNTER_UNSUPPORTED && !fake_words_accept(w, "unsupported"))
        return fake_words_fault(w, "a counter can be unsupported, denied, running or useronly");
    if (!fake_words_text(w, "the reason", &reason))
        return false;
    e->reason = reason;
    return true;
}

static bool thread_value(struct fake_words *w, enum fake_thread_signal signal, int64_t *out)
{
    bool time = signal == THREAD_DELAY || signal == THREAD_STEAL || signal == THREAD_BLOCKED || signal == THREAD_SUSPEND;
    return time ? fake_words_time(w, out) : fake_words_integer(w, "a number", 0, INT64_MAX / 2, out);
}

static bool set_thread(struct reading *r)
{
    static const char *const names[THREAD_SIGNALS] = {
        [THREAD_DELAY] = "delay",        [THREAD_STEAL] = "steal",   [THREAD_BLOCKED] = "blocked",
        [THREAD_CPU_TIME] = "cputime",   [THREAD_MOVE] = "move",     [THREAD_VOLUNTARY] = "voluntary",
        [THREAD_INVOLUNTARY] = "forced", [THREAD_MINFLT] = "minflt", [THREAD_MAJFLT] = "majflt",
        [THREAD_SUSPEND] = "suspended",
    };
    struct fake_words *w = &r->w;
    bool without = fake_words_accept(w, "without");
    int signal = 0;
    while (signal < THREAD_SIGNALS && !fake_words_accept(w, names[signal]))
        signal++;
    if (signal == THREAD_SIGNALS)
        return fake_words_fault(w, "thread has no such signal");
    if (without)
        return r->s->thread_absent[signal] = true;
    struct fake_thread_event *e = append(r, &r->s->thread_events);
    if (!e)
        return false;
    e->signal = (enum fake_thread_signal)signal;
    return thread_value(w, e->signal, &e->value) && (!fake_words_accept(w, "at") || fake_words_time(w, &e->at_ns));
}

static bool set_presence(struct reading *r)
{
    if (fake_words_accept(&r->w, "denied"))
        return r->s->presence_denied = true;
    struct fake_other *o = append(r, &r->s->others);
    if (!o)
        return false;
    if (fake_words_accept(&r->w, "silent"))
        o->pid = -1;
    else if (!fake_words_integer(&r->w, "the id of a process", 0, INT32_MAX, &o->pid))
        return false;
    return !fake_words_accept(&r->w, "from") || fake_words_time(&r->w, &o->from_ns);
}

static bool set_log(struct reading *r)
{
    char *path;
    if (!fake_words_text(&r->w, "the log's path", &path))
        return false;
    r->s->log = path;
    return true;
}

/* ---- settings of a program ---- */

static struct fake_program *program_new(struct reading *r, char **words, int n)
{
    struct fake_program *p = append(r, &r->s->programs);
    if (!p)
        return NULL;
    p->words = words;
    p->n_words = n;
    p->first_factor = p->after_factor = 1;
    return p;
}

static bool set_program(struct reading *r)
{
    struct fake_words *w = &r->w;
    if (!fake_words_left(w))
        return fake_words_fault(w, "a program needs a name");
    r->program = program_new(r, w->word + w->at, w->n - w->at);
    w->at = w->n;
    return r->program;
}

static bool program_find(struct reading *r)
{
    static const char *const names[] = {
        [FOUND_OK] = "ok", [FOUND_NOT] = "notfound", [FOUND_DENIED] = "denied", [FOUND_DIRECTORY] = "directory"};
    struct fake_lookup *l = append(r, &r->program->lookups);
    if (!l)
        return false;
    int found = 0;
    while (found < 4 && !fake_words_accept(&r->w, names[found]))
        found++;
    if (found == 4)
        return fake_words_fault(&r->w, "find has ok, notfound, denied and directory");
    l->found = (enum fake_found)found;
    l->from_run = 1;
    return !fake_words_accept(&r->w, "at") || fake_words_integer(&r->w, "the number of a run", 1, INT64_MAX / 2, &l->from_run);
}

static bool program_wall(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->wall);
}

static bool program_user(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->user);
}

static bool program_sys(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->sys);
}

static bool program_rss(struct reading *r)
{
    return fake_words_model(&r->w, "bytes", &r->program->rss);
}

static bool program_minflt(struct reading *r)
{
    return fake_words_model(&r->w, "1", &r->program->minflt);
}

static bool program_majflt(struct reading *r)
{
    return fake_words_model(&r->w, "1", &r->program->majflt);
}

static bool program_ctx(struct reading *r)
{
    if (!fake_words_model(&r->w, "1", &r->program->ctx_voluntary))
        return false;
    return !fake_words_number_next(&r->w) || fake_words_model(&r->w, "1", &r->program->ctx_involuntary);
}

static bool program_delay(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->delay);
}

static bool program_steal(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->steal);
}

static bool program_blocked(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->blocked);
}

static bool program_throttled(struct reading *r)
{
    return fake_words_model(&r->w, "ns", &r->program->throttled);
}

static bool program_cpu(struct reading *r)
{
    return fake_words_model(&r->w, "1", &r->program->first_cpu);
}

static bool program_lastcpu(struct reading *r)
{
    return fake_words_model(&r->w, "1", &r->program->last_cpu);
}

static bool program_hz(struct reading *r)
{
    if (!fake_words_model(&r->w, "1", &r->program->hz))
        return false;
    if (!fake_words_accept(&r->w, "wall"))
        return true;
    return fake_words_quantity(&r->w, "1", &r->program->hz_exponent) &&
           fake_words_quantity(&r->w, "1", &r->program->hz_reference) &&
           (r->program->hz_reference > 0 || fake_words_fault(&r->w, "the frequency at which wall holds is above 0"));
}

static bool program_threads(struct reading *r)
{
    return r->program->threads = true;
}

static bool program_waits(struct reading *r)
{
    struct fake_program *p = r->program;
    return fake_words_quantity(&r->w, "1", &p->tasks) && fake_words_model(&r->w, "ns", &p->tree_delay) &&
           fake_words_model(&r->w, "ns", &p->tree_least);
}

static bool program_count(struct reading *r)
{
    struct fake_count *c = append(r, &r->program->counts);
    char *event;
    if (!c || !fake_words_text(&r->w, "an event", &event))
        return false;
    c->event = event;
    return fake_words_model(&r->w, "1", &c->model);
}

static bool program_first(struct reading *r)
{
    return fake_words_integer(&r->w, "the number of runs", 1, INT64_MAX / 2, &r->program->first_runs) &&
           fake_words_factor(&r->w, &r->program->first_factor);
}

static bool program_after(struct reading *r)
{
    char *name;
    if (!fake_words_text(&r->w, "a program", &name))
        return false;
    r->program->after = name;
    return fake_words_factor(&r->w, &r->program->after_factor);
}

static bool exit_status(struct reading *r, enum fake_exit_kind kind, int code)
{
    struct fake_exit *f = append(r, &r->program->exit_statuses);
    if (!f)
        return false;
    f->kind = kind;
    f->code = code;
    return span(&r->w, &f->span);
}

static bool program_exit(struct reading *r)
{
    int64_t code;
    return fake_words_integer(&r->w, "an exit code", 0, 255, &code) && exit_status(r, FATE_EXIT, (int)code);
}

static bool program_signal(struct reading *r)
{
    int number;
    return signal_word(&r->w, &number) && exit_status(r, FATE_SIGNAL, number);
}

static bool program_hang(struct reading *r)
{
    return exit_status(r, FATE_HANG, 0);
}

static bool program_notstarted(struct reading *r)
{
    int64_t code;
    return fake_words_integer(&r->w, "an errno", 1, 4095, &code) && exit_status(r, FATE_NOT_STARTED, (int)code);
}

static bool program_interrupt(struct reading *r)
{
    struct fake_interrupt *i = append(r, &r->program->interrupts);
    return i && signal_word(&r->w, &i->number) && span(&r->w, &i->span);
}

static bool stream(struct fake_words *w, struct fake_text *out)
{
    size_t at = (size_t)w->at;
    if (!fake_words_text(w, "the text", &out->bytes))
        return false;
    out->n = w->length[at];
    return true;
}

static bool program_stdout(struct reading *r)
{
    return stream(&r->w, &r->program->out);
}

static bool program_stderr(struct reading *r)
{
    return stream(&r->w, &r->program->err);
}

static bool program_prints(struct reading *r)
{
    return size(&r->w, &r->program->prints_bytes);
}

static bool program_reports(struct reading *r)
{
    return stream(&r->w, &r->program->report) && fake_words_model(&r->w, "1", &r->program->reported);
}

static bool program_reads(struct reading *r)
{
    return r->program->reads = true;
}

/* ---- the tables and the walk ---- */

struct keyword {
    const char *name;
    bool (*read)(struct reading *r);
};

static const struct keyword world_keywords[] = {
    {"seed", set_seed},
    {"clock", set_clock},
    {"spawn", set_spawn},
    {"shell", set_shell},
    {"cpus", set_cpus},
    {"ticks", fake_set_ticks},
    {"core", fake_set_core},
    {"cpuid", fake_set_cpuid},
    {"uname", fake_set_uname},
    {"terminal", set_terminal},
    {"file", set_file},
    {"session", set_session},
    {"signal", set_signal},
    {"disk", set_disk},
    {"descriptors", set_descriptors},
    {"priority", set_priority},
    {"helper", set_helper},
    {"counter", set_counter},
    {"thread", set_thread},
    {"presence", set_presence},
    {"nap", fake_set_nap},
    {"slice", fake_set_slice},
    {"burden", fake_set_stress},
    {"log", set_log},
    {"memory", fake_set_memory},
    {"peak", fake_set_peak},
    {"program", set_program},
    {"folder", fake_set_folder},
    {NULL, NULL},
};

static const struct keyword program_keywords[] = {
    {"find", program_find},
    {"wall", program_wall},
    {"user", program_user},
    {"sys", program_sys},
    {"rss", program_rss},
    {"peak", fake_program_peak},
    {"tree", fake_program_tree},
    {"minflt", program_minflt},
    {"majflt", program_majflt},
    {"ctx", program_ctx},
    {"delay", program_delay},
    {"steal", program_steal},
    {"blocked", program_blocked},
    {"throttled", program_throttled},
    {"cpu", program_cpu},
    {"lastcpu", program_lastcpu},
    {"hz", program_hz},
    {"threads", program_threads},
    {"waits", program_waits},
    {"count", program_count},
    {"memory", fake_program_memory},
    {"nopreload", fake_program_nopreload},
    {"first", program_first},
    {"after", program_after},
    {"exit", program_exit},
    {"signal", program_signal},
    {"hang", program_hang},
    {"notstarted", program_notstarted},
    {"interrupt", program_interrupt},
    {"stdout", program_stdout},
    {"stderr", program_stderr},
    {"prints", program_prints},
    {"reports", program_reports},
    {"reads", program_reads},
    {"libtare", fake_program_libtare},
    {"bench", fake_program_bench},
    {"notes", fake_program_notes},
    {"leak", fake_program_leak},
    {"point", fake_program_point},
    {"arc", fake_program_arc},
    {"probe", fake_program_probe},
    {"leaves", fake_program_leaves},
    {NULL, NULL},
};

static bool setting(struct reading *r, const struct keyword *table)
{
    for (; table->name; table++)
        if (fake_words_accept(&r->w, table->name))
            return table->read(r);
    return fake_words_fault(&r->w, "'%s' is not known here", r->w.word[r->w.at]);
}

static bool line(struct reading *r)
{
    if (!r->w.n)
        return true;
    if (r->w.indented && !r->program)
        return fake_words_fault(&r->w, "an indented line belongs to a program, and none stands above");
    if (!r->w.indented)
        r->program = NULL;
    do
        if (!setting(r, r->w.indented ? program_keywords : world_keywords))
            return false;
    while (r->w.indented && fake_words_left(&r->w));
    return !fake_words_left(&r->w) || fake_words_fault(&r->w, "'%s' is one word too many", r->w.word[r->w.at]);
}

static bool lines(struct reading *r, const char *text)
{
    while (*text)
        if (!fake_words_split(&r->w, &text) || !line(r))
            return false;
    return true;
}

static bool described(const struct reading *r, const char *program)
{
    for (const struct fake_program *p = r->s->programs; p; p = p->next)
        if (!strcmp(p->words[0], program))
            return true;
    return false;
}

/* The lines that every script ends with: tare's own programs, unless they were described. */
static bool defaults(struct reading *r)
{
    bool good = described(r, "tare-noop") || lines(r, "program tare-noop\n wall 300us user 0ns sys 100us\n");
    return good && (described(r, "tare-work") || lines(r, "program tare-work\n wall normal 5ms 1%\n"));
}

static const char usual_timers[] = "nap late normal 60us 5us\nslice list 3ms 4ms 3ms 3ms\n";

static void seed_programs(struct fake_script *s)
{
    uint64_t number = 0; /* a stream of its own for each: what one draws does not depend on how often the others ran */
    for (struct fake_program *p = s->programs; p; p = p->next)
        p->rng = rng_seeded(s->seed * 0x9e3779b97f4a7c15u + ++number);
}

enum tare_status fake_script_parse(struct fake_script *s, const char *text, struct tare_err *err)
{
    enum { UTC_2026_S = 1767225600 };
    *s = (struct fake_script){
        .seed = 1,
        .step_ns = 1000,
        .start_ns = 1000000000,
        .utc_ns = UTC_2026_S * INT64_C(1000000000),
        .before_ns = 50000,
        .after_ns = 10000,
        .shell_ns = 1000000,
        .cpus = 4,
        .uname = {"fake", "1", "fake-1", "fake64", ""},
        .folder = "/fake",
        .slack_ns = 50000,
        .slice_told_ns = 3000000,
        .terminal_width = 80,
        .descriptors = -1,
        .ticks = {
            .name = "tsc", .step = 1, .multiply_cycles = 3, .add_cycles = 1, .coarse_step_ns = 4000000, .kernel_cost_ns = -1}};
    struct reading r = {.s = s, .w = {.arena = &s->arena, .err = err}};
    bool good = lines(&r, usual_timers);
    r.w.line = 0; /* the user's lines count from one */
    if (good && lines(&r, text) && defaults(&r)) {
        s->timer_rng = rng_seeded(s->seed);
        seed_programs(s);
        return TARE_OK;
    }
    fake_script_finish(s);
    return TARE_FORMAT;
}

void fake_script_finish(struct fake_script *s)
{
    arena_finish(&s->arena);
    *s = (struct fake_script){0};
}
