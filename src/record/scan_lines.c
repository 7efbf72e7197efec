/* SPDX-License-Identifier: MIT */
#include "scan_lines.h"
#include "buf.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool begins_as_number(const char *text)
{
    text += *text == '-' || *text == '+';
    text += *text == '.';
    return *text >= '0' && *text <= '9';
}

enum {
    FAMILY_LEAST = 3, /* values: two have a line whatever they are */
    NAMELESS_LEAST = 4,
    NAMELESS_SPAN = 10
};

/* Decimal, finite, the whole text. */
static bool number_of(const char *text, double *value)
{
    char *end;
    if (!begins_as_number(text) || strpbrk(text, "xX"))
        return false;
    *value = strtod(text, &end);
    return !*end && isfinite(*value);
}

/* A number that a benchmark of another harness has in its name: "BM_sort/8", "sort/n:8", "sort/size=8-2", "test_sort[8]". */
struct argument {
    const char *word, *at;
    int word_n; /* 0: without a name, the index-th of these */
    int index, n;
};

static const char *benchmark_name(const struct record *r, const struct subject *s)
{
    const char *all = facts_text(&r->before, "source_subjects"); /* of another tool's file */
    const bool foreign = s->kind == SUBJECT_COMMAND && all && !strcmp(all, RECORD_SUITE);
    if (s->n_parameters || s->anchor || (s->kind != SUBJECT_BENCH && !foreign))
        return NULL;
    return s->benchmark ? s->benchmark : s->name;
}

/* The end of a part of a name; "-2" at its end are the processors of Go. */
static bool ends_part(char opened, const char *end)
{
    if (opened == '[')
        return !strcmp(end, "]");
    return !*end || *end == '/' || (*end == '-' && end[1] && !end[1 + strspn(end + 1, "0123456789")]);
}

/* The next from *from on; begins with all zero. */
static bool next_argument(const char **from, struct argument *a)
{
    for (const char *at = *from; at && (at = strpbrk(at, "/[")); at++) {
        const char *word = at + 1, *mark = word + strcspn(word, "=:/[]");
        const bool named =
            mark > word && (*mark == '=' || *mark == ':') && !memchr(word, '.', (size_t)(mark - word)); /* no place in a file */
        const char *number = named ? mark + 1 : word;
        const int n = (int)strspn(number, "0123456789");
        if (!n || n > 15 || !ends_part(*at, number + n))
            continue;
        *a = (struct argument){word, number, named ? (int)(mark - word) : 0, a->index + !named, n};
        *from = number + n;
        return true;
    }
    return false;
}

static bool is_called(const struct argument *a, const char *parameter)
{
    char own[16];
    buf_print(own, sizeof own, "arg%d", a->index);
    return a->word_n ? !strncmp(parameter, a->word, (size_t)a->word_n) && !parameter[a->word_n] : !strcmp(parameter, own);
}

static bool find_argument(const struct record *r, int subject, const char *parameter, struct argument *a)
{
    const char *from = benchmark_name(r, &r->subjects[subject]);
    *a = (struct argument){0};
    while (next_argument(&from, a))
        if (is_called(a, parameter))
            return true;
    return false;
}

struct place { /* one command on its way into a line */
    int subject;
    int nth; /* among the commands with the same parameters */
    double value;
};

struct sorting {
    const struct record *r;
    const char *parameter;
    bool families; /* of benchmarks that do not ask how they grow; else the scans */
};

static int by_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* By what is before and behind the number. */
static int by_rest(const char *x, const struct argument *a, const char *y, const struct argument *b)
{
    const size_t before = (size_t)(a->at - x), other = (size_t)(b->at - y);
    const int order = before != other ? (before > other) - (before < other) : strncmp(x, y, before);
    return order ? order : strcmp(a->at + a->n, b->at + b->n);
}

/* By all parameters but this one. */
static int by_others(const struct sorting *s, int a, int b)
{
    const struct subject *x = &s->r->subjects[a], *y = &s->r->subjects[b];
    int of_program = by_text(x->program, y->program), of_group = by_text(x->group, y->group);
    if (of_program || of_group)
        return of_program ? of_program : of_group;
    for (int i = 0; i < x->n_parameters; i++) {
        const char *name = x->parameters[i].name;
        int order = strcmp(name, s->parameter) ? by_text(x->parameters[i].value, subject_parameter(y, name)) : 0;
        if (order)
            return order;
    }
    struct argument m, n;
    if (x->n_parameters || y->n_parameters || !find_argument(s->r, a, s->parameter, &m) ||
        !find_argument(s->r, b, s->parameter, &n))
        return x->n_parameters - y->n_parameters;
    return by_rest(benchmark_name(s->r, x), &m, benchmark_name(s->r, y), &n);
}

static int same_line(const struct sorting *s, const struct place *a, const struct place *b)
{
    int order = by_others(s, a->subject, b->subject);
    return order ? order : a->nth - b->nth;
}

static int by_given(const struct sorting *s, const struct place *a, const struct place *b)
{
    int order = by_others(s, a->subject, b->subject);
    if (!order)
        order = by_text(subject_parameter(&s->r->subjects[a->subject], s->parameter),
                        subject_parameter(&s->r->subjects[b->subject], s->parameter));
    if (!order)
        order = (a->value > b->value) - (a->value < b->value);
    return order ? order : a->subject - b->subject;
}

static int by_value(const struct sorting *s, const struct place *a, const struct place *b)
{
    int order = same_line(s, a, b);
    if (!order)
        order = (a->value > b->value) - (a->value < b->value);
    return order ? order : a->subject - b->subject;
}

typedef int order_fn(const struct sorting *s, const struct place *a, const struct place *b);

/* Merge sort: qsort has no room for the record. `room` holds n more. */
static void sort_places(const struct sorting *s, order_fn *order, struct place *p, int n, struct place *room)
{
    if (n < 2)
        return;
    int half = n / 2;
    sort_places(s, order, p, half, room);
    sort_places(s, order, p + half, n - half, room);
    memcpy(room, p, (size_t)half * sizeof *p);
    for (int i = 0, k = half, to = 0; i < half; to++)
        p[to] = k < n && order(s, &p[k], &room[i]) < 0 ? p[k++] : room[i++];
}

static void number_repeats(const struct sorting *s, struct place *p, int n)
{
    for (int i = 1; i < n; i++) {
        const char *before = subject_parameter(&s->r->subjects[p[i - 1].subject], s->parameter);
        const char *here = subject_parameter(&s->r->subjects[p[i].subject], s->parameter);
        if (!by_others(s, p[i - 1].subject, p[i].subject) && !by_text(before, here) && !(p[i].value > p[i - 1].value))
            p[i].nth = p[i - 1].nth + 1;
    }
}

/* A benchmark grows with its first argument, where it asks for that. */
static bool scans(const struct sorting *of, const struct subject *s)
{
    const bool bench = s->kind == SUBJECT_BENCH && !s->anchor;
    const bool asks = bench && s->complexity && s->n_parameters && !strcmp(s->parameters[0].name, of->parameter);
    return of->families ? bench && !asks : asks || s->kind == SUBJECT_COMMAND;
}

enum scanned { NOT_SCANNED, UNREADABLE, SCANNED };

/* The hashes of --rev are names, also those that read as numbers. */
static bool names_revisions(const struct record *r, const char *parameter)
{
    return !strcmp(parameter, "rev") && facts_find(&r->build, "revision_1");
}

/* The commands with this parameter, and whether it is a scan. What is no number belongs to no family: arguments without names are "arg1" in all of them. */
static enum scanned collect(const struct sorting *s, struct place *p, int *n, const char **unreadable)
{
    bool varies = false, numbers = true, look_like_it = true;
    const char *first = NULL;
    *n = 0;
    for (int i = 0; i < s->r->n_subjects; i++) {
        const struct subject *subject = &s->r->subjects[i];
        const char *text = scans(s, subject) ? subject_parameter(subject, s->parameter) : NULL;
        struct argument named;
        p[*n] = (struct place){.subject = i};
        if (!text && s->families && find_argument(s->r, i, s->parameter, &named))
            text = named.at;
        const bool number = text && (subject->n_parameters ? number_of(text, &p[*n].value) : begins_as_number(text));
        if (number && !subject->n_parameters)
            p[*n].value = strtod(text, NULL);
        if (!text || (!number && s->families))
            continue;
        first = first ? first : text;
        varies |= strcmp(first, text) != 0;
        *n += 1;
        if (number)
            continue;
        numbers = false;
        look_like_it &= begins_as_number(text);
        *unreadable = text;
    }
    return !varies || names_revisions(s->r, s->parameter) ? NOT_SCANNED
           : numbers                                      ? SCANNED
           : look_like_it                                 ? UNREADABLE
                                                          : NOT_SCANNED;
}

static bool fill_line(const struct sorting *s, const struct place *p, int n, struct arena *a, struct scan_line *line)
{
    int *subjects = arena_array(a, (size_t)n, sizeof *subjects);
    double *values = arena_array(a, (size_t)n, sizeof *values);
    if (!subjects || !values)
        return false;
    *line = (struct scan_line){.parameter = s->parameter, .subjects = subjects, .values = values, .n = n};
    for (int i = 0; i < n; i++) {
        subjects[i] = p[i].subject;
        values[i] = p[i].value;
        line->positive += !(values[i] > 0);
        line->distinct += values[i] > 0 && !(i && values[i] == values[i - 1]);
    }
    return true;
}

static bool has_no_name(const struct sorting *s, const struct scan_line *line)
{
    struct argument a;
    const int first = line->subjects[0];
    return !s->r->subjects[first].n_parameters && find_argument(s->r, first, s->parameter, &a) && !a.word_n;
}

/* A number without a name may be part of what something is called ("utf/8", "utf/16", "utf/32"): sizes are more, or reach further. */
static bool is_family(const struct scan_line *line)
{
    const bool far = line->distinct && line->values[line->n - 1] >= NAMELESS_SPAN * line->values[line->positive];
    return line->distinct >= (line->nameless && !far ? NAMELESS_LEAST : FAMILY_LEAST);
}

static int given_first(const struct scan_line *line)
{
    int first = line->subjects[0];
    for (int i = 1; i < line->n; i++)
        first = line->subjects[i] < first ? line->subjects[i] : first;
    return first;
}

/* As their first commands were given, which need not be those of the smallest value. */
static void sort_lines(struct scan_line *lines, int n)
{
    for (int i = 1; i < n; i++) {
        const struct scan_line line = lines[i];
        const int first = given_first(&line);
        int at = i;
        for (; at > 0 && first < given_first(&lines[at - 1]); at--)
            lines[at] = lines[at - 1];
        lines[at] = line;
    }
}

/* Adds the lines over one parameter; false: no memory. */
static bool add_lines(const struct sorting *s, struct place *p, int n, struct arena *a, struct scan_line *lines, int *n_lines)
{
    int before = *n_lines;
    sort_places(s, by_given, p, n, p + n);
    number_repeats(s, p, n);
    sort_places(s, by_value, p, n, p + n);
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && !same_line(s, &p[i], &p[next]);)
            next++;
        if (next - i < 2 || !(p[next - 1].value > p[i].value))
            continue;
        if (!fill_line(s, p + i, next - i, a, &lines[*n_lines]))
            return false;
        lines[*n_lines].nameless = s->families && has_no_name(s, &lines[*n_lines]);
        *n_lines += !s->families || is_family(&lines[*n_lines]);
    }
    sort_lines(lines + before, *n_lines - before);
    for (int i = before; i < *n_lines; i++)
        lines[i].several = *n_lines - before > 1;
    return true;
}

static const struct subject *first_with_parameters(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_COMMAND && r->subjects[i].n_parameters)
            return &r->subjects[i];
    return NULL;
}

static void add_name(const char *names[SCAN_PARAMETERS_MAX], int *n, const char *name)
{
    for (int i = 0; i < *n; i++)
        if (!strcmp(names[i], name))
            return;
    if (*n < SCAN_PARAMETERS_MAX)
        names[(*n)++] = name;
}

static bool name_arguments(const struct record *r, struct arena *a, const char *names[SCAN_PARAMETERS_MAX], int *n)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const char *from = benchmark_name(r, &r->subjects[i]), *name;
        for (struct argument of = {0}; next_argument(&from, &of); add_name(names, n, name)) {
            name = of.word_n ? arena_format(a, "%.*s", of.word_n, of.word) : arena_format(a, "arg%d", of.index);
            if (!name)
                return false;
        }
    }
    return true;
}

/* Of commands those of the first that has some; of benchmarks the first of each that asks, or all. */
static int name_parameters(const struct record *r, bool families, const char *names[SCAN_PARAMETERS_MAX])
{
    const struct subject *first = families ? NULL : first_with_parameters(r);
    int n = 0;
    for (int i = 0; first && i < first->n_parameters; i++)
        add_name(names, &n, first->parameters[i].name);
    for (int i = 0; !first && i < r->n_subjects; i++) {
        const struct subject *s = &r->subjects[i];
        const int wanted = families ? s->n_parameters : s->complexity && s->n_parameters;
        for (int k = 0; k < wanted; k++)
            add_name(names, &n, s->parameters[k].name);
    }
    return n;
}

static int find_lines(const struct record *r, bool families, struct arena *a, const struct scan_line **out)
{
    const char *names[SCAN_PARAMETERS_MAX];
    int n_parameters = name_parameters(r, families, names);
    size_t n = (size_t)r->n_subjects;
    *out = NULL;
    if (families && !name_arguments(r, a, names, &n_parameters))
        return -1;
    if (!n_parameters)
        return 0;
    struct place *p = calloc(2 * n, sizeof *p);
    struct scan_line *lines = arena_array(a, (n / 2 + 1) * (size_t)n_parameters, sizeof *lines);
    int n_lines = 0;
    bool enough = p && lines;
    for (int i = 0; i < n_parameters && enough; i++) {
        const struct sorting s = {r, names[i], families};
        const char *unreadable;
        int found;
        if (collect(&s, p, &found, &unreadable) == SCANNED)
            enough = add_lines(&s, p, found, a, lines, &n_lines);
    }
    free(p);
    *out = lines;
    return enough ? n_lines : -1;
}

int scan_lines(const struct record *r, struct arena *a, const struct scan_line **out)
{
    return find_lines(r, false, a, out);
}

int scan_families(const struct record *r, struct arena *a, const struct scan_line **out)
{
    return find_lines(r, true, a, out);
}

const char *scan_unreadable(const struct record *r, const char **value)
{
    const struct subject *first = first_with_parameters(r);
    const char *found = NULL;
    struct place *p = first ? calloc((size_t)r->n_subjects, sizeof *p) : NULL;
    for (int i = 0; p && i < first->n_parameters && i < SCAN_PARAMETERS_MAX && !found; i++) {
        const struct sorting s = {r, first->parameters[i].name, false};
        int n;
        if (collect(&s, p, &n, value) == UNREADABLE)
            found = s.parameter;
    }
    free(p);
    return found;
}

/* The name with the value put in for what stands from `at` on is the other command's name. */
static bool value_fits(const char *name, size_t at, const char *value, const char *other_name, const char *other_value)
{
    size_t n = strlen(other_value);
    return !strncmp(name, other_name, at) && !strncmp(other_name + at, other_value, n) &&
           !strcmp(other_name + at + n, name + at + strlen(value));
}

static bool fits_all(const struct record *r, const struct scan_line *line, size_t at, const char *value)
{
    const struct subject *first = &r->subjects[line->subjects[0]];
    for (int i = 1; i < line->n; i++) {
        const struct subject *s = &r->subjects[line->subjects[i]];
        if (!value_fits(first->name, at, value, s->name, subject_parameter(s, line->parameter)))
            return false;
    }
    return true;
}

const char *scan_title(const struct record *r, const struct scan_line *line, struct arena *a)
{
    const struct subject *first = &r->subjects[line->subjects[0]];
    const char *value = subject_parameter(first, line->parameter), *name = benchmark_name(r, first);
    struct argument of;
    if (!value && find_argument(r, line->subjects[0], line->parameter, &of) && !strncmp(first->name, name, strlen(name)))
        return arena_format(a, "%.*s{%s}%s", (int)(of.at - name), first->name, line->parameter,
                            first->name + (of.at - name) + of.n);
    for (const char *at = first->name; value && *value && (at = strstr(at, value)); at++) {
        if (!fits_all(r, line, (size_t)(at - first->name), value))
            continue;
        struct buf b = BUF_INIT(1 << 24);
        buf_format(&b, "%.*s{%s}%s", (int)(at - first->name), first->name, line->parameter, at + strlen(value));
        return arena_keep(a, &b);
    }
    return first->name;
}

const char *scan_statistic(struct arena *a, const char *statistic, const char *parameter)
{
    return arena_format(a, "%s:%s", statistic, parameter);
}

const struct estimate *scan_estimate(const struct record *r, const struct scan_line *line, int index, const char *statistic)
{
    struct arena a = {0};
    const char *id = scan_statistic(&a, statistic, line->parameter);
    const struct estimate *e = id ? record_estimate(r, line->subjects[index], r->rule.metric, id) : NULL;
    arena_finish(&a);
    return e;
}

const struct scan_class_names scan_class_names[SCAN_CLASSES] = {
    [SCAN_1] = {"1", "excess_1", "constant_1"},
    [SCAN_LOG_N] = {"log_n", "excess_log", "constant_log"},
    [SCAN_N] = {"n", "excess_linear", "constant_linear"},
    [SCAN_N_LOG_N] = {"n_log_n", "excess_n_log_n", "constant_n_log_n"},
    [SCAN_N2] = {"n2", "excess_square", "constant_square"},
    [SCAN_N3] = {"n3", "excess_cube", "constant_cube"},
};

bool scan_class_is_below(const struct record *r, const struct scan_line *line, enum scan_class class)
{
    const struct estimate *e = scan_estimate(r, line, 0, scan_class_names[class].constant);
    return class != SCAN_LOG_N && e && e->high < 0;
}

bool scan_is_bent(const struct record *r, const struct scan_line *line)
{
    const struct estimate *e = scan_estimate(r, line, 0, "slope_change");
    return e && isfinite(e->high - e->low) && (e->low > 0 || e->high < 0) && fabs(e->point) >= 0.1;
}

static int furthest(const struct record *r, const struct scan_line *line, const char *statistic, double limit)
{
    int at = -1;
    double most = 0;
    for (int j = line->positive; j < line->n; j++) {
        const struct estimate *e = scan_estimate(r, line, j, statistic);
        if (e && (e->low > limit || e->high < -limit) && fabs(e->point) > most) {
            most = fabs(e->point);
            at = j;
        }
    }
    return at;
}

int scan_off_power(const struct record *r, const struct scan_line *line)
{
    return furthest(r, line, "off_line", 0.05);
}

int scan_class_missed(const struct record *r, const struct scan_line *line)
{
    return furthest(r, line, "off_class", SCAN_CLASS_OFF);
}
