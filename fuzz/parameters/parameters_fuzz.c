/* SPDX-License-Identifier: MIT
 *
 * A whole command line for subjects_make: scans, lists, hooks, names, shell, operands. Whatever it makes of it, the plan must
 * hold together: unique names, closed argv, a text in every error. Input: one field a line, its first byte says what it is:
 * o operand, a after `--`, P -P VAR, m MIN, x MAX, D step, V -L VAR, l LIST, n name, R reference, N reference name,
 * s setup, c cleanup, p prepare, C conclude, S shell, 0 no shell.
 */
#include "parameters.h"
#include "subjects.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIELDS_MAX = 16, SUBJECTS_CHECKED = 2000 };

struct list {
    const char *items[FIELDS_MAX];
    int n;
};

struct fields {
    struct list before, after, scans, lists, names, prepare, conclude;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static void put(struct list *l, const char *text)
{
    if (l->n < FIELDS_MAX)
        l->items[l->n++] = text;
}

static void read_field(struct fields *f, struct subject_input *in, char kind, const char *text)
{
    switch (kind) {
    case 'o':
        put(&f->before, text);
        break;
    case 'a':
        put(&f->after, text);
        break;
    case 'P':
    case 'm':
    case 'x':
        put(&f->scans, text);
        break;
    case 'V':
    case 'l':
        put(&f->lists, text);
        break;
    case 'n':
        put(&f->names, text);
        break;
    case 'p':
        put(&f->prepare, text);
        break;
    case 'C':
        put(&f->conclude, text);
        break;
    case 'D':
        in->scan_step = text;
        break;
    case 'R':
        in->reference = text;
        break;
    case 'N':
        in->reference_name = text;
        break;
    case 's':
        in->setup = text;
        break;
    case 'c':
        in->cleanup = text;
        break;
    case 'S':
        in->shell = text;
        break;
    case '0':
        in->no_shell = true;
        break;
    default:
        break;
    }
}

static void read_fields(struct fields *f, struct subject_input *in, char *text)
{
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        if (*line)
            read_field(f, in, *line, line + 1);
    }
    in->before = f->before.items, in->n_before = f->before.n;
    in->after = f->after.items, in->n_after = f->after.n;
    in->scans = f->scans.items, in->n_scans = f->scans.n / 3;
    in->lists = f->lists.items, in->n_lists = f->lists.n / 2;
    in->names = f->names.items, in->n_names = f->names.n;
    in->prepare = f->prepare.items, in->n_prepare = f->prepare.n;
    in->conclude = f->conclude.items, in->n_conclude = f->conclude.n;
}

static bool some_programs(void *context, const char *name)
{
    (void)context;
    return *name == 'e' || *name == 'a';
}

static void check_hook(const struct hook *h)
{
    if ((h->text != NULL) != (h->argv != NULL))
        fail("a hook with a text but no words, or the other way round");
    if (h->argv && !h->argv[0])
        fail("a hook without a program");
}

static void check_plan(const struct subject_plan *p)
{
    if (p->n < 1 || p->n > PARAMETERS_MAX + 1)
        fail("the number of subjects");
    for (int i = 0; i < p->n && i < SUBJECTS_CHECKED; i++) {
        const struct subject *s = &p->subjects[i];
        if (!s->name || !*s->name || !s->command || !s->argv || !s->argv[0] || !*s->argv[0])
            fail("a subject lacks its name, command or words");
        if (s->shell != p->shell)
            fail("not all have the shell");
        check_hook(&p->hooks[i].setup);
        check_hook(&p->hooks[i].prepare);
        check_hook(&p->hooks[i].conclude);
        check_hook(&p->hooks[i].cleanup);
        for (int j = 0; j < i && p->n <= 200; j++)
            if (strcmp(s->name, p->subjects[j].name) == 0)
                fail("two names are equal");
    }
    for (int i = 0; i < p->n_notes; i++)
        if (!*p->notes[i])
            fail("an empty note");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct fields f = {0};
    struct subject_input in = {.program_exists = some_programs};
    struct subject_plan plan;
    struct tare_err err = {{0}};
    read_fields(&f, &in, arena_copy(&a, (const char *)data, size));
    enum tare_status status = subjects_make(&in, &a, &plan, &err);
    if (!status)
        check_plan(&plan);
    else if (!*err.text || plan.n)
        fail("a failure without a text, or with a plan");
    arena_finish(&a);
    return 0;
}
