/* SPDX-License-Identifier: MIT */
#include "subjects.h"
#include "same_text.h"
#include "subjects_work.h"
#include <string.h>

enum { TEXT_MAX = 1 << 22 };

int subjects_choice(const struct subject_plan *plan, int n_given, int subject)
{
    int first = plan->has_reference;
    if (n_given == 1)
        return 0;
    if (n_given == plan->n)
        return subject;
    if (n_given == plan->n_texts)
        return subject < first ? 0 : first + (subject - first) % (plan->n_texts - first);
    return -1;
}

/* ---- which words are commands ---- */

static int count_bare(const char *const *words, int n)
{
    int bare = 0;
    for (int i = 0; i < n; i++)
        bare += !words_any_blank(words[i]);
    return bare;
}

static void list_words(struct buf *b, const char *const *words, int n)
{
    enum { SHOWN = 4 };
    for (int i = 0; i < n && i < SHOWN; i++) {
        buf_str(b, i ? ", " : "");
        subjects_excerpt(b, words[i]);
    }
    if (n > SHOWN)
        buf_str(b, ", ...");
}

/* Two or more words without blanks could be several commands, or one with its arguments: say that they are read as several. */
static enum tare_status note_reading(struct work *w, const char *const *words, int n, bool after)
{
    if (w->in->reading_told || count_bare(words, n) < 2)
        return TARE_OK;
    struct buf b = BUF_INIT(4096);
    if (after)
        buf_format(&b,
                   "the arguments after -- are read as %d commands, because the first contains blanks and is not a program: ", n);
    else
        buf_format(&b, "read as %d commands: ", n);
    list_words(&b, words, n);
    if (!after)
        buf_str(&b, " (one command with its arguments: in quotes, or after --)");
    enum tare_status status = subjects_note(w, buf_text(&b));
    buf_finish(&b);
    return status;
}

static enum tare_status read_operands(struct work *w)
{
    const struct subject_input *in = w->in;
    bool one = in->n_after > 0 && !(words_any_blank(in->after[0]) && !in->program_exists(in->context, in->after[0]));
    w->n_templates = in->n_before + (one ? 1 : in->n_after);
    if (w->n_templates == 0)
        return err_set(w->err, TARE_INVALID, "no command given; write one in quotes, or after --");
    w->templates = arena_array(w->a, (size_t)w->n_templates, sizeof *w->templates);
    if (!w->templates)
        return subjects_no_memory(w);
    for (int i = 0; i < in->n_before; i++)
        w->templates[i].text = in->before[i];
    for (int i = 0; !one && i < in->n_after; i++)
        w->templates[in->n_before + i].text = in->after[i];
    if (one)
        w->templates[in->n_before] = (struct template){.words = in->after, .n_words = in->n_after};
    enum tare_status status = note_reading(w, in->before, in->n_before, false);
    return status || one ? status : note_reading(w, in->after, in->n_after, true);
}

/* --aa. Parameters of one value are fine: they stay within one command. */
static enum tare_status copy_command(struct work *w)
{
    const int copies = w->in->copies;
    int values = 1;
    for (int i = 0; i < w->n_parameters; i++)
        values = w->parameters[i].n > 1 ? 2 : values;
    if (!copies)
        return TARE_OK;
    if (w->n_templates != 1 || values != 1 || w->in->reference)
        return err_set(w->err, TARE_INVALID, "--aa compares one command with itself; give one command, in quotes or after --");
    const struct template the_one = w->templates[0];
    w->templates = arena_array(w->a, (size_t)copies, sizeof *w->templates);
    if (!w->templates)
        return subjects_no_memory(w);
    for (w->n_templates = 0; w->n_templates < copies; w->n_templates++)
        w->templates[w->n_templates] = the_one;
    return TARE_OK;
}

/* ---- parameters ---- */

static enum tare_status check_combination(const struct subject_input *in, struct tare_err *err)
{
    if (in->n_scans > 1)
        return err_set(err, TARE_INVALID, "-P may be given once; write further parameters as lists: -L VAR a,b");
    if (in->n_scans && in->n_lists)
        return err_set(err, TARE_INVALID, "-P and -L cannot be combined; write the scan as a list: -L VAR 1,2,3");
    if (in->scan_step && !in->n_scans)
        return err_set(err, TARE_INVALID, "-D is the step of a scan; it needs -P VAR MIN MAX");
    return TARE_OK;
}

static enum tare_status check_duplicate(const struct work *w, int last)
{
    for (int i = 0; i < last; i++)
        if (strcmp(w->parameters[i].name, w->parameters[last].name) == 0)
            return err_set(w->err, TARE_INVALID, "-L %s is given twice; put all its values into one list", w->parameters[i].name);
    return TARE_OK;
}

/* As one more parameter, the last. */
static enum tare_status add_revisions(struct work *w)
{
    const struct subject_input *in = w->in;
    if (!in->n_revisions)
        return TARE_OK;
    for (int i = 0; i < w->n_parameters; i++)
        if (!strcmp(w->parameters[i].name, REVISION_PARAMETER))
            return err_set(w->err, TARE_INVALID, "{%s} is the revision, with --rev; give the parameter another name",
                           REVISION_PARAMETER);
    const char **ids = arena_array(w->a, (size_t)in->n_revisions, sizeof *ids);
    if (!ids)
        return subjects_no_memory(w);
    for (int i = 0; i < in->n_revisions; i++)
        ids[i] = in->revisions[i].id;
    w->parameters[w->n_parameters++] = (struct parameter_values){.name = REVISION_PARAMETER, .values = ids, .n = in->n_revisions};
    return TARE_OK;
}

static enum tare_status read_parameters(struct work *w)
{
    const struct subject_input *in = w->in;
    enum tare_status status = check_combination(in, w->err);
    if (status)
        return status;
    w->n_parameters = in->n_scans + in->n_lists;
    w->parameters = arena_array(w->a, (size_t)w->n_parameters + 1, sizeof *w->parameters);
    if (!w->parameters)
        return subjects_no_memory(w);
    if (in->n_scans)
        status = parameters_scan(w->a, in->scans[0], in->scans[1], in->scans[2], in->scan_step, w->parameters, w->err);
    for (int i = 0; i < in->n_lists && !status; i++) {
        const char *const *pair = in->lists + 2 * i;
        status = parameters_list(w->a, pair[0], pair[1], w->parameters + i, w->err);
        if (!status)
            status = check_duplicate(w, i);
    }
    return status ? status : add_revisions(w);
}

/* ---- how many there are ---- */

static enum tare_status count_subjects(struct work *w)
{
    struct subject_plan *p = w->out;
    long n = w->n_templates;
    for (int i = 0; i < w->n_parameters && n <= PARAMETERS_MAX; i++)
        n *= w->parameters[i].n;
    if (n > PARAMETERS_MAX)
        return err_set(w->err, TARE_TOO_LARGE, "the commands and parameters multiply to more than %d commands; give fewer values",
                       PARAMETERS_MAX);
    p->has_reference = w->in->reference != NULL;
    w->first = p->has_reference;
    p->n = w->first + (int)n;
    p->n_texts = w->first + w->n_templates;
    p->per_revision = w->in->n_revisions ? p->n / w->in->n_revisions : p->n;
    p->subjects = arena_array(w->a, (size_t)p->n, sizeof *p->subjects);
    p->hooks = arena_array(w->a, (size_t)p->n, sizeof *p->hooks);
    return p->subjects && p->hooks ? TARE_OK : subjects_no_memory(w);
}

static enum tare_status check_count(const struct work *w, const char *option, int given)
{
    const struct subject_plan *p = w->out;
    if (given == 0 || subjects_choice(p, given, 0) >= 0)
        return TARE_OK;
    return err_set(w->err, TARE_INVALID, "%s is given %d times for %d command%s%s; give it once for all, or once for each",
                   option, given, p->n, buf_plural(p->n), p->has_reference ? " (the reference is one)" : "");
}

static enum tare_status check_names(const struct work *w)
{
    const int n = w->out->n - w->first, given = w->in->n_names;
    if (!w->in->reference && w->in->reference_name)
        return err_set(w->err, TARE_INVALID, "--reference-name needs --reference");
    if (!w->n_parameters && given > n)
        return err_set(w->err, TARE_INVALID, "-n is given %d times for %d command%s; give each command at most one name", given,
                       n, buf_plural(n));
    if (w->n_parameters && given > 1 && given != n && given != w->n_templates)
        return err_set(w->err, TARE_INVALID,
                       "-n is given %d times for %d command%s; give it once (with {VAR} in it), or once for each", given, n,
                       buf_plural(n));
    return TARE_OK;
}

static enum tare_status check_counts(const struct work *w)
{
    enum tare_status status = check_names(w);
    if (!status)
        status = check_count(w, "--prepare", w->in->n_prepare);
    return status ? status : check_count(w, "--conclude", w->in->n_conclude);
}

/* ---- filling in ---- */

static enum tare_status fill_parameters(struct work *w, int index)
{
    if (index < w->first || !w->n_parameters)
        return TARE_OK;
    struct parameter *p = arena_array(w->a, (size_t)w->n_parameters, sizeof *p);
    if (!p)
        return subjects_no_memory(w);
    int rest = (index - w->first) / w->n_templates;
    for (int i = 0; i < w->n_parameters; i++) {
        const struct parameter_values *v = &w->parameters[i];
        p[i] = (struct parameter){.name = v->name, .value = v->values[rest % v->n]};
        rest /= v->n;
    }
    w->out->subjects[index].parameters = p;
    w->out->subjects[index].n_parameters = w->n_parameters;
    return TARE_OK;
}

/* A command that came as words keeps them apart whatever a value contains; its text quotes where needed. */
static enum tare_status fill_words(struct work *w, struct subject *s, const struct template *t)
{
    const char **argv = arena_array(w->a, (size_t)t->n_words + 1, sizeof *argv);
    if (!argv)
        return subjects_no_memory(w);
    struct buf b = BUF_INIT(TEXT_MAX);
    for (int i = 0; i < t->n_words; i++) {
        argv[i] = parameters_fill(w->a, t->words[i], s->parameters, s->n_parameters);
        if (!argv[i])
            break;
        buf_str(&b, i ? " " : "");
        words_quote(&b, argv[i]);
    }
    s->argv = argv;
    s->command = arena_copy(w->a, buf_text(&b), b.len);
    enum tare_status status = b.status;
    buf_finish(&b);
    if (status == TARE_TOO_LARGE)
        return err_set(w->err, status, "the arguments after -- are more than %d bytes", TEXT_MAX);
    return status || !s->command || !argv[t->n_words - 1] ? subjects_no_memory(w) : TARE_OK;
}

static enum tare_status fill_command(struct work *w, int index)
{
    struct subject *s = &w->out->subjects[index];
    const struct template *t = subjects_template(w, index);
    s->kind = SUBJECT_COMMAND;
    if (t && t->words) {
        enum tare_status status = fill_words(w, s, t);
        if (status)
            return status;
    } else {
        s->command = parameters_fill(w->a, t ? t->text : w->in->reference, s->parameters, s->n_parameters);
        if (!s->command)
            return subjects_no_memory(w);
    }
    if (!words_all_blank(s->command) && !(s->argv && !*s->argv[0]))
        return TARE_OK;
    return err_set(w->err, TARE_INVALID,
                   index < w->first ? "--reference is empty; give a command"
                                    : "command %d is empty; remove it, or quote a program's name",
                   index - w->first + 1);
}

/* A hook of the reference cannot have parameters filled in: hyperfine would run it with {VAR} left in it. */
static enum tare_status fill_hook(struct work *w, int index, const char *option, const char *text, struct hook *out,
                                  const char **kept)
{
    const struct subject *s = &w->out->subjects[index];
    for (int i = 0; text && index < w->first && i < w->n_parameters; i++)
        if (parameters_used(text, w->parameters[i].name))
            return err_set(w->err, TARE_INVALID,
                           "%s uses {%s}, which the --reference command does not have; make the reference one of the commands",
                           option, w->parameters[i].name);
    if (!text || words_all_blank(text))
        return TARE_OK;
    *kept = out->text = parameters_fill(w->a, text, s->parameters, s->n_parameters);
    return out->text ? TARE_OK : subjects_no_memory(w);
}

static const char *chosen(const struct work *w, const char *const *given, int n, int index)
{
    return n ? given[subjects_choice(w->out, n, index)] : NULL;
}

static enum tare_status fill_hooks(struct work *w, int index)
{
    const struct subject_input *in = w->in;
    struct subject *s = &w->out->subjects[index];
    struct subject_hooks *h = &w->out->hooks[index];
    enum tare_status status = fill_hook(w, index, "--setup", in->setup, &h->setup, &s->setup);
    if (!status)
        status = fill_hook(w, index, "--prepare", chosen(w, in->prepare, in->n_prepare, index), &h->prepare, &s->prepare);
    if (!status)
        status = fill_hook(w, index, "--conclude", chosen(w, in->conclude, in->n_conclude, index), &h->conclude, &s->conclude);
    return status ? status : fill_hook(w, index, "--cleanup", in->cleanup, &h->cleanup, &s->cleanup);
}

static enum tare_status check_reference(const struct work *w)
{
    for (int i = 0; w->in->reference && i < w->n_parameters; i++)
        if (parameters_used(w->in->reference, w->parameters[i].name))
            return err_set(w->err, TARE_INVALID,
                           "--reference uses {%s}, but it is one command for all values; write the value out",
                           w->parameters[i].name);
    return TARE_OK;
}

static enum tare_status fill_all(struct work *w)
{
    enum tare_status status = check_reference(w);
    for (int i = 0; !status && i < w->out->n; i++) {
        status = fill_parameters(w, i);
        if (!status)
            status = fill_command(w, i);
        if (!status)
            status = fill_hooks(w, i);
    }
    return status;
}

static bool same_setup_cleanup(const struct subject_plan *p)
{
    for (int i = 1; i < p->n; i++) {
        const struct subject *s = &p->subjects[i], *first = s - i % p->per_revision;
        if (!same_text(s->setup, first->setup) || !same_text(s->cleanup, first->cleanup))
            return false;
    }
    return true;
}

enum tare_status subjects_make(const struct subject_input *in, struct arena *a, struct subject_plan *out, struct tare_err *err)
{
    static enum tare_status (*const steps[])(struct work *) = {read_operands, read_parameters, copy_command, count_subjects};
    *out = (struct subject_plan){0};
    struct work w = {.in = in, .a = a, .out = out, .err = err};
    enum tare_status status = TARE_OK;
    for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](&w);
    if (!status)
        status = check_counts(&w);
    if (!status)
        status = fill_all(&w);
    if (!status)
        status = subjects_fill_argv(&w);
    if (!status)
        status = subjects_fill_names(&w);
    if (!status)
        status = subjects_check_braces(&w);
    if (status)
        *out = (struct subject_plan){0};
    else
        out->same_setup_cleanup = same_setup_cleanup(out);
    return status;
}
