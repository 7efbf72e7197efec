/* SPDX-License-Identifier: MIT
 *
 * Files, texts, rows and settings for the families of knobs.
 */
#include "knob_look.h"
#include "quote.h"
#include "same_text.h"
#include "whole.h"
#include <stdlib.h>
#include <string.h>

/* Where nobody can write: containers see /sys and /proc/sys through mounts that are read-only, whoever asks. */

/* "36 35 98:0 /root /point rw,noatime master:1 - sysfs sysfs rw" */
struct mount {
    const char *point, *options,
        *of_whole; /* each ends at a blank or at the line's end; of_whole: of all mounts of that file system */
};

static const char *next_word(const char *p)
{
    p += strcspn(p, " \n");
    return *p == ' ' ? p + 1 : p;
}

/* Options begin with "rw" or "ro". */
static bool is_read_only(const char *options)
{
    return !strncmp(options, "ro", 2) && strchr(", \n", options[2]);
}

static bool is_below(const char *path, const char *point, size_t n)
{
    if (n == 1 && *point == '/')
        return true;
    return !strncmp(path, point, n) && (path[n] == '/' || !path[n]);
}

/* Where the file system is mounted that this path lies on, if nobody can write there; NULL: it can be written, or nothing tells. The innermost mount counts, of several
 * at one place the last. */
static const char *mount_read_only(struct look *l, const char *path)
{
    struct mount found = {NULL, NULL, NULL};
    size_t longest = 0;
    for (const char *line = l->sources->mounts; *line;) {
        size_t length = strcspn(line, "\n");
        const char *p = line;
        for (int i = 0; i < 4; i++)
            p = next_word(p);
        struct mount m = {.point = p, .options = next_word(p), .of_whole = line + length};
        while (m.of_whole > line && m.of_whole[-1] != ' ')
            m.of_whole--;
        size_t n = strcspn(m.point, " \n");
        if (n >= longest && is_below(path, m.point, n)) {
            found = m;
            longest = n;
        }
        line += length + (line[length] != 0);
    }
    if (!longest || (!is_read_only(found.options) && !is_read_only(found.of_whole)))
        return NULL;
    return look_say(l, "%.*s", (int)longest, found.point);
}

enum { PATH_ROOM = 512, ROW_COLUMNS = 240 };

static const char blanks[] = " \t\r\n";

static const char *keep_text(struct look *l, const char *text, size_t n)
{
    const char *copy = arena_copy(l->arena, text, n);
    l->sources->no_memory |= !copy;
    return copy ? copy : "";
}

const char *look_say(struct look *l, const char *format, ...)
{
    struct buf b = BUF_INIT(1 << 16);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    const char *text = keep_text(l, buf_text(&b), b.len);
    buf_finish(&b);
    return text;
}

const char *look_list(struct look *l, const struct cpu_list *cpus)
{
    struct buf b = BUF_INIT(1 << 16);
    cpu_list_write(&b, cpus);
    const char *text = b.len ? keep_text(l, buf_text(&b), b.len) : "none";
    buf_finish(&b);
    return text;
}

const char *look_named(struct look *l, const struct cpu_list *cpus)
{
    return look_say(l, "%s %s", cpu_list_count(cpus) == 1 ? "CPU" : "CPUs", look_list(l, cpus));
}

bool text_take_hundredths(const char **p, double *out)
{
    int64_t whole, hundredths = 0;
    if (!whole_take(p, *p + strlen(*p), 10, &whole) || whole > 1000000)
        return false;
    if (**p == '.' && (++*p, strspn(*p, "0123456789") < 2 || !whole_take(p, *p + 2, 10, &hundredths)))
        return false;
    *out = (double)whole + (double)hundredths / 100;
    return true;
}

bool text_has_word(const char *text, const char *word)
{
    return text_lists(text, strlen(text), blanks, word, strlen(word));
}

void cpus_join(struct cpu_list *list, const struct cpu_list *others)
{
    for (size_t i = 0; i < sizeof list->words / sizeof *list->words; i++)
        list->words[i] |= others->words[i];
}

bool cpus_overlap(const struct cpu_list *a, const struct cpu_list *b)
{
    struct cpu_list both = *a;
    cpu_list_keep(&both, b);
    return cpu_list_next(&both, 0) >= 0;
}

bool cpus_within(const struct cpu_list *part, const struct cpu_list *whole)
{
    struct cpu_list rest = *part;
    cpu_list_remove(&rest, whole);
    return cpu_list_next(&rest, 0) < 0;
}

static const char *trimmed(struct look *l, const struct buf *file)
{
    const char *text = buf_text(file);
    size_t n = file->len;
    while (n && strchr(blanks, text[n - 1]))
        n--;
    size_t skip = strspn(text, blanks);
    if (skip >= n) {
        l->sources->read = TARE_FORMAT;
        return NULL;
    }
    return keep_text(l, text + skip, n - skip);
}

static const char *read_path(struct look *l, const char *path)
{
    struct look_sources *s = l->sources;
    s->reason = (struct tare_err){.text = ""};
    s->read = root_read(l->root, path, &s->file, &s->reason);
    if (s->read == TARE_NO_MEMORY) {
        s->no_memory = true;
        s->why = s->reason;
    }
    return s->read ? NULL : trimmed(l, &s->file);
}

static const char *read_format(struct look *l, const char *format, va_list ap)
{
    char room[PATH_ROOM];
    struct buf path = buf_over(room, sizeof room);
    buf_vformat(&path, format, ap);
    l->sources->read = TARE_NOT_FOUND;
    return path.status ? NULL : read_path(l, room);
}

const char *look_text(struct look *l, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const char *text = read_format(l, format, ap);
    va_end(ap);
    return text;
}

const char *look_start(struct look *l, const char *path, size_t bytes)
{
    struct look_sources *s = l->sources;
    char *room = malloc(bytes); /* of which little is touched, so not from the arena, which clears it */
    s->no_memory |= !room;
    struct buf b = buf_over(room, room ? bytes : 0);
    if (!room)
        return NULL;
    s->read = root_read(l->root, path, &b, NULL);
    const char *text = (!s->read || s->read == TARE_TOO_LARGE) && b.len ? keep_text(l, room, b.len) : NULL;
    free(room);
    return text;
}

bool look_number(struct look *l, int64_t *out, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const char *p = read_format(l, format, ap);
    va_end(ap);
    if (!p)
        return false;
    bool number = whole_take(&p, p + strlen(p), 10, out) && !*p;
    if (!number)
        l->sources->read = TARE_FORMAT;
    return number;
}

bool look_cpus(struct look *l, struct cpu_list *out, const char *format, ...)
{
    struct buf list = BUF_INIT(ROOT_FILE_MAX);
    va_list ap;
    va_start(ap, format);
    const char *text = read_format(l, format, ap);
    va_end(ap);
    *out = (struct cpu_list){{0}};
    bool empty = !text && l->sources->read == TARE_FORMAT && !l->sources->file.len; /* there, and nothing in it */
    if (empty || (text && !strcmp(text, "(null)"))) {
        l->sources->read = TARE_OK;
        return true;
    }
    if (!text)
        return false;
    /* "0 1 2 3" of related_cpus as "0,1,2,3". */
    bool gap = false;
    for (const char *p = text; *p; p++) {
        bool blank = strchr(blanks, *p) != NULL;
        if (gap && !blank && *p != ',' && list.data[list.len - 1] != ',')
            buf_char(&list, ',');
        if (!blank)
            buf_char(&list, *p);
        gap = blank && list.len;
    }
    l->sources->read = list.status ? list.status : cpu_list_parse(out, buf_text(&list));
    buf_finish(&list);
    return !l->sources->read;
}

bool look_core(struct look *l, int cpu, struct cpu_list *out)
{
    struct look_sources *s = l->sources;
    for (int i = 0; i < s->n_cores && i < CORES_KEPT; i++)
        if (s->cores[i].cpu == cpu) {
            *out = s->cores[i].threads;
            return s->cores[i].told;
        }
    struct core *c = &s->cores[s->n_cores++ % CORES_KEPT];
    c->cpu = cpu;
    c->told = look_cpus(l, &c->threads, CPU "cpu%d/topology/thread_siblings_list", cpu);
    if (!c->told)
        c->threads = (struct cpu_list){{0}};
    cpu_list_add(&c->threads, cpu);
    *out = c->threads;
    return c->told;
}

/* Parameters end at blanks; within quotation marks blanks do not count. */
static const char *end_of(const char *p)
{
    bool quoted = false;
    for (; *p && (quoted || !strchr(" \t\n", *p)); p++)
        quoted ^= *p == '"';
    return p;
}

/* The kernel takes '-' for '_' in names of parameters. */
static bool is_name(const char *p, const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != name[i] && !(p[i] == '-' && name[i] == '_'))
            return false;
    return true;
}

/* The last one counts. False: it is not there. */
static bool find_parameter(const char *line, const char *name, const char **value, size_t *length)
{
    size_t n = strlen(name);
    bool found = false;
    for (const char *p = line + strspn(line, " \t\n\""); *p; p += strspn(p, " \t\n\"")) {
        const char *end = end_of(p);
        if ((size_t)(end - p) >= n && is_name(p, name, n) && (p[n] == '=' || p + n == end)) {
            *value = p + n + (p[n] == '=');
            *length = (size_t)(end - *value);
            found = true;
        }
        p = end;
    }
    return found;
}

/* "nohz,domain,managed_irq,2-3": the flags of isolcpus. */
static void skip_flags(const char **p, size_t *n)
{
    static const char *const flags[] = {"nohz,", "domain,", "managed_irq,"};
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (*n >= strlen(flags[i]) && !strncmp(*p, flags[i], strlen(flags[i]))) {
                *p += strlen(flags[i]);
                *n -= strlen(flags[i]);
                found = true;
            }
    }
}

static int last_cpu(const struct look *l)
{
    int last = 0;
    for (int cpu = cpu_list_next(&l->present, 0); cpu >= 0; cpu = cpu_list_next(&l->present, cpu + 1))
        last = cpu;
    return last;
}

/* "all" is each CPU, "N" the last one; quotation marks and a second "=" are harmless slips that the kernel drops the parameter for, and so do we. */
enum boot_list boot_cpus(const struct look *l, const char *name, struct cpu_list *out)
{
    const char *p;
    size_t n;
    *out = (struct cpu_list){{0}};
    if (!find_parameter(l->sources->command_line, name, &p, &n))
        return BOOT_ABSENT;
    if (n > 1 && *p == '"' && p[n - 1] == '"') {
        p++;
        n -= 2;
    }
    skip_flags(&p, &n);
    struct buf list = BUF_INIT(ROOT_FILE_MAX);
    for (size_t i = 0; i < n; i++) {
        if (n - i >= 3 && !strncmp(p + i, "all", 3)) {
            buf_format(&list, "0-%d", last_cpu(l));
            i += 2;
        } else if (p[i] == 'N') {
            buf_format(&list, "%d", last_cpu(l));
        } else {
            buf_char(&list, p[i]);
        }
    }
    bool good = !list.status && !cpu_list_parse(out, buf_text(&list));
    buf_finish(&list);
    return good ? BOOT_CPUS : BOOT_UNREADABLE;
}

/* nohz_full and rcu_nocbs always together: a CPU without ticks that still runs RCU callbacks wakes for them, and intel_pstate once kept the frequency of
 * such a CPU where it was. A kernel that has no nohz_full is not given one. managed_irq: interrupts that nobody may move keep away too. */
void look_boot(struct look *l)
{
    struct cpu_list isolated, tickless, offloaded, now;
    const struct cpu_list *cpus = &l->sources->measured;
    if (l->windows || cpu_list_next(&l->housekeeping, 0) < 0)
        return;
    const bool without_tickless = !look_cpus(l, &now, CPU "nohz_full") && l->sources->sys && l->sources->read == TARE_NOT_FOUND;
    boot_cpus(l, "isolcpus", &isolated);
    boot_cpus(l, "nohz_full", &tickless);
    boot_cpus(l, "rcu_nocbs", &offloaded);
    if (cpus_within(cpus, &isolated) && (without_tickless || cpus_within(cpus, &tickless)) && cpus_within(cpus, &offloaded))
        return;
    const char *list = look_list(l, cpus);
    l->command_line =
        look_say(l, "isolcpus=managed_irq,domain,%s%s%s rcu_nocbs=%s irqaffinity=%s", list,
                 without_tickless ? "" : " nohz_full=", without_tickless ? "" : list, list, look_list(l, &l->housekeeping));
}

static const char *masked(struct look *l, const char *text)
{
    struct buf b = BUF_INIT(1 << 16);
    quote_cut(&b, text, ROW_COLUMNS, true);
    const char *copy = keep_text(l, buf_text(&b), b.len);
    buf_finish(&b);
    return copy;
}

static enum tare_status look_add_row(struct look *l, const struct knob *k, enum knob_state state, const char *value,
                                     const char *why, const char *advice)
{
    if (!arena_room(l->arena, &l->rows, l->n_rows, &l->room_rows, sizeof *l->rows))
        return TARE_NO_MEMORY;
    l->rows[l->n_rows++] = (struct knob_row){.knob = k,
                                             .state = state,
                                             .value = masked(l, value),
                                             .why = masked(l, why),
                                             .advice = advice ? keep_text(l, advice, strlen(advice)) : ""};
    return l->sources->no_memory ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status row_ok(struct look *l, const struct knob *k, const char *value)
{
    return look_add_row(l, k, KNOB_OK, value, "", "");
}

enum tare_status row_noisy(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice)
{
    return look_add_row(l, k, KNOB_NOISY, value, why, advice);
}

enum tare_status row_noisy_by(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice,
                              const char *by)
{
    enum tare_status status = row_noisy(l, k, value, why, advice);
    if (!status)
        l->rows[l->n_rows - 1].by = by;
    return status;
}

enum tare_status row_stays_noisy(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice)
{
    enum tare_status status = row_noisy(l, k, value, why, advice);
    if (!status)
        l->rows[l->n_rows - 1].outside = true;
    return status;
}

enum tare_status row_unknown(struct look *l, const struct knob *k, const char *value, const char *why, const char *advice)
{
    return look_add_row(l, k, KNOB_UNKNOWN, value, why, advice);
}

enum tare_status row_none(struct look *l, const struct knob *k, const char *why)
{
    return look_add_row(l, k, KNOB_NOT_APPLICABLE, "", why, "");
}

enum tare_status row_absent(struct look *l, const struct knob *k, const char *why)
{
    const struct look_sources *s = l->sources;
    switch (s->read) {
    case TARE_PERMISSION:
        return row_unknown(l, k, "", "it may be read by root alone", "");
    case TARE_NOT_FOUND:
        if (s->sys && s->proc)
            return row_none(l, k, why);
        return row_unknown(l, k, "", s->sys ? "there is no /proc here" : "there is no /sys here", "");
    case TARE_OK:
        return row_none(l, k, why);
    case TARE_FORMAT:
    case TARE_TOO_LARGE:
        return row_unknown(l, k, "", "its file holds something else than expected", "");
    default:
        return row_unknown(l, k, "", "its file cannot be read", "");
    }
}

enum tare_status row_malformed(struct look *l, const struct knob *k)
{
    l->sources->read = TARE_FORMAT;
    return row_absent(l, k, "");
}

enum tare_status row_hidden(struct look *l, const struct knob *k, const char *why)
{
    if (l->sources->hypervisor && l->sources->read == TARE_NOT_FOUND)
        return row_unknown(l, k, "", "the hypervisor keeps it to itself", "");
    return row_absent(l, k, why);
}

static bool is_listed(const char *const *ids, const char *id)
{
    for (; ids && *ids; ids++)
        if (!strcmp(*ids, id))
            return true;
    return false;
}

static bool is_wanted(const struct wishes *w, const struct knob *k)
{
    if (w->only && !is_listed(w->only, k->id))
        return false;
    if (k->risk == RISK_DISRUPTIVE && !is_listed(w->only, k->id))
        return false;
    return !is_listed(w->without, k->id);
}

enum tare_status look_add_setting(struct look *l, const struct setting *s)
{
    if (!is_wanted(l->wishes, s->knob))
        return TARE_OK;
    if (!arena_room(l->arena, &l->settings, l->n_settings, &l->room_settings, sizeof *l->settings))
        return TARE_NO_MEMORY;
    struct setting copy = *s;
    const char **const texts[] = {&copy.path, &copy.from,      &copy.identity, &copy.identity_path,
                                  &copy.now,  &copy.otherwise, &copy.wanted,   &copy.why_not};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? keep_text(l, *texts[i], strlen(*texts[i])) : NULL;
    if (!copy.identity)
        copy.identity = "";
    const char *mount = copy.why_not || copy.kind == SETTING_HELD ? NULL : /* a device is no part of what it lies on */
                            mount_read_only(l, copy.path);
    if (mount) {
        copy.why_not = look_say(l, "%s is mounted read-only here", mount);
        l->read_only = mount;
    }
    l->settings[l->n_settings++] = copy;
    return l->sources->no_memory ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status set_file(struct look *l, const struct knob *k, enum setting_form form, const char *path, const char *read,
                          const char *wanted)
{
    if (setting_holds(form, read, wanted))
        return TARE_OK;
    struct buf now = BUF_INIT(ROOT_FILE_MAX);
    setting_value(&now, form, read);
    if (!now.len)
        buf_char(&now, '\n');
    enum tare_status status = look_add_setting(
        l, &(struct setting){.knob = k, .form = form, .stage = k->stage, .path = path, .now = buf_text(&now), .wanted = wanted});
    buf_finish(&now);
    return status;
}

enum tare_status set_number(struct look *l, const struct knob *k, const char *path, int64_t now, const char *wanted)
{
    return set_file(l, k, FORM_NUMBER, path, look_say(l, "%lld", (long long)now), wanted);
}

static const char *with_number(struct look *l, const char *text, int64_t number)
{
    const char *at = strchr(text, '#');
    return at ? look_say(l, "%.*s%lld%s", (int)(at - text), text, (long long)number, at + 1) : text;
}

enum tare_status look_one_number(struct look *l, const struct knob *k)
{
    const struct knob_number *n = &k->number;
    int64_t value;
    if (!look_number(l, &value, "%s", n->path))
        return row_absent(l, k, n->absent);
    if (value < n->noisy_from || value > n->noisy_to)
        return row_ok(l, k, with_number(l, n->quiet, value));
    enum tare_status status = set_number(l, k, n->path, value, n->wanted);
    return status ? status : row_noisy(l, k, with_number(l, n->noisy, value), n->why, "");
}
