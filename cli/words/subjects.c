/* SPDX-License-Identifier: MIT */
#include "subjects.h"
#include "same_text.h"
#include "subjects_work.h"
#include "windows_quote.h"
#include <stdlib.h>
#include <string.h>

/* Names. A name is the command's text, or what -n says, with the parameters filled in. Values that the text does not show are
 * added as hyperfine shows them: "make (commit = abc)". Names identify results in tables and files, so no two may be equal:
 * later ones get " #2", " #3".
 */

enum { NAME_MAX_BYTES = 1 << 22 };

static bool template_uses(const struct template *t, const char *name)
{
    if (t->text)
        return parameters_used(t->text, name);
    for (int i = 0; i < t->n_words; i++)
        if (parameters_used(t->words[i], name))
            return true;
    return false;
}

static bool any_uses(const char *const *texts, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (parameters_used(texts[i], name))
            return true;
    return false;
}

static bool used_anywhere(const struct work *w, const char *name)
{
    const struct subject_input *in = w->in;
    for (int i = 0; i < w->n_templates; i++)
        if (template_uses(&w->templates[i], name))
            return true;
    return (in->setup && parameters_used(in->setup, name)) || (in->cleanup && parameters_used(in->cleanup, name)) ||
           any_uses(in->prepare, in->n_prepare, name) || any_uses(in->conclude, in->n_conclude, name);
}

static enum tare_status note_unused(struct work *w, const char *name)
{
    struct buf b = BUF_INIT(4096);
    buf_format(&b, "parameter %s changes nothing: no command or hook contains {%s}", name, name);
    return subjects_note(w, &b);
}

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* The next bare {word} from the cursor on that is no parameter; its length without braces, 0 = none. Within quotes braces
 * belong to others (awk '{print}') and are left alone. */
static size_t next_unknown(const struct work *w, struct words_cursor *c, const char **name)
{
    enum words_step step;
    while ((step = words_next(c)) != WORDS_END) {
        if (step != WORDS_BYTE || c->quoting != WORDS_BARE || c->byte != '{' || (c->at && c->text[c->at - 1] == '$'))
            continue;
        *name = c->text + c->at + 1;
        size_t n = 0;
        while (name_char((*name)[n]))
            n++;
        bool known = false;
        for (int i = 0; i < w->n_parameters; i++)
            known |= strlen(w->parameters[i].name) == n && strncmp(w->parameters[i].name, *name, n) == 0;
        if (n && (*name)[n] == '}' && !known)
            return n;
    }
    return 0;
}

static enum tare_status note_unknown(struct work *w, const char *place, const char *text)
{
    struct words_cursor c = words_begin(text);
    const char *name;
    size_t n = next_unknown(w, &c, &name);
    if (!n)
        return TARE_OK;
    struct buf b = BUF_INIT(4096);
    buf_format(&b, "%s: {%.*s} is not a parameter and is left unchanged; ", place, (int)(n < 80 ? n : 80), name);
    buf_str(&b, w->n_parameters ? "parameters are" : "-L VAR a,b or -P VAR MIN MAX would make it one");
    for (int i = 0; i < w->n_parameters && i < 8; i++)
        buf_format(&b, "%s %s", i ? "," : "", w->parameters[i].name);
    return subjects_note(w, &b);
}

static enum tare_status note_unknown_in(struct work *w, const char *option, const char *const *texts, int n)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; !status && i < n; i++)
        status = note_unknown(w, option, texts[i]);
    return status;
}

/* Looked for in the texts as written: a value may hold any braces. */
static enum tare_status subjects_check_braces(struct work *w)
{
    const struct subject_input *in = w->in;
    enum tare_status status = TARE_OK;
    for (int i = 0; !status && i < w->n_parameters - (in->n_revisions > 0); i++)
        if (!used_anywhere(w, w->parameters[i].name))
            status = note_unused(w, w->parameters[i].name);
    for (int i = 0; !status && i < (in->copies ? 1 : w->n_templates); i++) {
        char place[32];
        buf_print(place, sizeof place, "command %d", i + 1);
        if (w->templates[i].text)
            status = note_unknown(w, place, w->templates[i].text);
    }
    if (!status && in->setup)
        status = note_unknown(w, "--setup", in->setup);
    if (!status)
        status = note_unknown_in(w, "--prepare", in->prepare, in->n_prepare);
    if (!status)
        status = note_unknown_in(w, "--conclude", in->conclude, in->n_conclude);
    return status || !in->cleanup ? status : note_unknown(w, "--cleanup", in->cleanup);
}

/* The -n that belongs to the subject, NULL = none; *own: it belongs to no other subject. */
static const char *given_name(const struct work *w, int index, bool *own)
{
    const int n = w->out->n - w->first - w->out->has_anchor, given = w->in->n_names, i = index - w->first;
    *own = true;
    if (i < 0)
        return w->in->reference_name;
    if (subjects_is_anchor(w, index))
        return NULL;
    if (w->in->copies && given)
        return w->in->names[0];
    if (given == n || !w->n_parameters)
        return i < given ? w->in->names[i] : NULL;
    *own = false;
    return given == 0 ? NULL : w->in->names[given == 1 ? 0 : i % w->n_templates];
}

/* NULL: the reference or the anchor */
static const struct template *subjects_template(const struct work *w, int subject)
{
    return subjects_is_alone(w, subject) ? NULL : &w->templates[(subject - w->first) % w->n_templates];
}

static void add_hidden(struct buf *b, const struct work *w, int index, const char *name)
{
    const struct subject *s = &w->out->subjects[index];
    const char *before = " (";
    for (int i = 0; i < s->n_parameters - (w->in->n_revisions > 0); i++) {
        const char *p = s->parameters[i].name;
        if (name ? parameters_used(name, p) : template_uses(subjects_template(w, index), p))
            continue;
        buf_format(b, "%s%s = %s", before, p, s->parameters[i].value);
        before = ", ";
    }
    if (*before == ',')
        buf_char(b, ')');
}

/* Where the revision is all that differs it is the name; else it stands behind. */
static void add_revision(struct buf *b, const struct work *w, int index, const char *name)
{
    if (!w->in->n_revisions || (name && parameters_used(name, REVISION_PARAMETER)))
        return;
    if (!name && w->out->per_revision == 1)
        buf_clear(b);
    buf_format(b, "%s%s", b->len ? " at " : "", w->in->revisions[index / w->out->per_revision].label);
}

/* Nothing but blanks, or nothing at all. */
static bool words_all_blank(const char *text)
{
    return text[strspn(text, " \t\n")] == 0;
}

static enum tare_status fill_name(struct work *w, int index)
{
    struct subject *s = &w->out->subjects[index];
    bool own;
    const char *name = given_name(w, index, &own);
    if (name && words_all_blank(name))
        return err_set(w->err, TARE_INVALID, "%s: a name cannot be blank", index < w->first ? "--reference-name" : "-n");
    s->name = name ? parameters_fill(w->a, name, s->parameters, s->n_parameters) : s->command;
    if (!s->name)
        return err_no_memory(w->err);
    if (!s->n_parameters || (name && own))
        return TARE_OK;
    struct buf b = BUF_INIT(NAME_MAX_BYTES);
    buf_str(&b, s->name);
    add_hidden(&b, w, index, name);
    add_revision(&b, w, index, name);
    enum tare_status status = b.status;
    s->name = arena_copy(w->a, buf_text(&b), b.len);
    buf_finish(&b);
    if (status == TARE_TOO_LARGE)
        return err_set(w->err, status, "a command's name is more than %d bytes; give a shorter one with -n", NAME_MAX_BYTES);
    return status || !s->name ? err_no_memory(w->err) : TARE_OK;
}

static int by_name(const void *a, const void *b)
{
    const struct subject *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order ? order : (*x > *y) - (*x < *y);
}

/* One pass over the names in order. *changed: some got a number, which may collide with a name that was there. */
static enum tare_status number_equals(struct work *w, struct subject **sorted, bool *changed)
{
    const int n = w->out->n;
    *changed = false;
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    for (int i = 0, end; i < n; i = end) {
        const char *name = sorted[i]->name;
        for (end = i + 1; end < n && strcmp(sorted[end]->name, name) == 0; end++) {
            sorted[end]->name = arena_format(w->a, "%s #%d", name, end - i + 1);
            if (!sorted[end]->name)
                return err_no_memory(w->err);
            *changed = true;
        }
    }
    return TARE_OK;
}

/* Names, and the notes on parameters that go nowhere. */
static enum tare_status subjects_fill_names(struct work *w)
{
    struct subject **sorted = arena_array(w->a, (size_t)w->out->n, sizeof(struct subject *));
    enum tare_status status = sorted ? TARE_OK : err_no_memory(w->err);
    for (int i = 0; !status && i < w->out->n; i++) {
        status = fill_name(w, i);
        sorted[i] = &w->out->subjects[i];
    }
    for (bool again = true; !status && again;)
        status = number_equals(w, sorted, &again);
    return status;
}

enum { TEXT_MAX = 1 << 22 };

int subjects_choice(const struct subject_plan *plan, int n_given, int subject)
{
    const int first = plan->has_reference, texts = plan->n_texts - first - plan->has_anchor;
    if (n_given == 1)
        return 0;
    if (n_given == plan->n)
        return subject;
    if (n_given == plan->n_texts && plan->has_anchor && subject == plan->n - 1)
        return n_given - 1;
    if (n_given == plan->n_texts)
        return subject < first ? 0 : first + (subject - first) % texts;
    return -1;
}

static bool words_any_blank(const char *text)
{
    return strpbrk(text, " \t\n") != NULL;
}

static int count_bare(const char *const *words, int n)
{
    int bare = 0;
    for (int i = 0; i < n; i++)
        bare += !words_any_blank(words[i]);
    return bare;
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
    enum { SHOWN = 4 };
    for (int i = 0; i < n && i < SHOWN; i++) {
        buf_str(&b, i ? ", " : "");
        subjects_excerpt(&b, words[i]);
    }
    if (n > SHOWN)
        buf_str(&b, ", ...");
    if (!after)
        buf_str(&b, " (one command with its arguments: in quotes, or after --)");
    return subjects_note(w, &b);
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
        return err_no_memory(w->err);
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
        return err_no_memory(w->err);
    for (w->n_templates = 0; w->n_templates < copies; w->n_templates++)
        w->templates[w->n_templates] = the_one;
    return TARE_OK;
}

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
        return err_no_memory(w->err);
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
        return err_no_memory(w->err);
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
    p->has_anchor = w->in->anchor != NULL;
    p->n = w->first + (int)n + p->has_anchor;
    p->n_texts = w->first + w->n_templates + p->has_anchor;
    p->per_revision = w->in->n_revisions ? p->n / w->in->n_revisions : p->n;
    p->subjects = arena_array(w->a, (size_t)p->n, sizeof *p->subjects);
    p->hooks = arena_array(w->a, (size_t)p->n, sizeof *p->hooks);
    return p->subjects && p->hooks ? TARE_OK : err_no_memory(w->err);
}

static enum tare_status check_count(const struct work *w, const char *option, int given)
{
    const struct subject_plan *p = w->out;
    if (given == 0 || subjects_choice(p, given, 0) >= 0)
        return TARE_OK;
    return err_set(w->err, TARE_INVALID, "%s is given %d times for %d command%s%s; give it once for all, or once for each",
                   option, given, p->n, buf_plural(p->n),
                   p->has_anchor      ? " (the anchor is the last one)"
                   : p->has_reference ? " (the reference is one)"
                                      : "");
}

static enum tare_status check_names(const struct work *w)
{
    const int n = w->out->n - w->first - w->out->has_anchor, given = w->in->n_names;
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

static enum tare_status fill_parameters(struct work *w, int index)
{
    if (subjects_is_alone(w, index) || !w->n_parameters)
        return TARE_OK;
    struct parameter *p = arena_array(w->a, (size_t)w->n_parameters, sizeof *p);
    if (!p)
        return err_no_memory(w->err);
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
        return err_no_memory(w->err);
    struct buf b = BUF_INIT(TEXT_MAX);
    for (int i = 0; i < t->n_words; i++) {
        argv[i] = parameters_fill(w->a, t->words[i], s->parameters, s->n_parameters);
        if (!argv[i])
            break;
        buf_str(&b, i ? " " : "");
        (w->in->windows ? windows_quote : words_quote)(&b, argv[i]);
    }
    s->argv = argv;
    s->command = arena_copy(w->a, buf_text(&b), b.len);
    enum tare_status status = b.status;
    buf_finish(&b);
    if (status == TARE_TOO_LARGE)
        return err_set(w->err, status, "the arguments after -- are more than %d bytes", TEXT_MAX);
    return status || !s->command || !argv[t->n_words - 1] ? err_no_memory(w->err) : TARE_OK;
}

static enum tare_status fill_command(struct work *w, int index)
{
    struct subject *s = &w->out->subjects[index];
    const struct template *t = subjects_template(w, index);
    s->kind = SUBJECT_COMMAND;
    s->anchor = subjects_is_anchor(w, index);
    if (t && t->words) {
        enum tare_status status = fill_words(w, s, t);
        if (status)
            return status;
    } else {
        s->command = parameters_fill(w->a,
                                     t           ? t->text
                                     : s->anchor ? w->in->anchor
                                                 : w->in->reference,
                                     s->parameters, s->n_parameters);
        if (!s->command)
            return err_no_memory(w->err);
    }
    if (!words_all_blank(s->command) && !(s->argv && !*s->argv[0]))
        return TARE_OK;
    return err_set(w->err, TARE_INVALID,
                   s->anchor          ? "--anchor is empty; give a command"
                   : index < w->first ? "--reference is empty; give a command"
                                      : "command %d is empty; remove it, or quote a program's name",
                   index - w->first + 1);
}

/* A hook of the reference or the anchor cannot have parameters filled in: hyperfine would run it with {VAR} left in it. */
static enum tare_status fill_hook(struct work *w, int index, const char *option, const char *text, struct hook *out,
                                  const char **kept)
{
    const struct subject *s = &w->out->subjects[index];
    for (int i = 0; text && subjects_is_alone(w, index) && i < w->n_parameters; i++)
        if (parameters_used(text, w->parameters[i].name))
            return err_set(w->err, TARE_INVALID, "%s uses {%s}, which the --%s command does not have; %s", option,
                           w->parameters[i].name, s->anchor ? "anchor" : "reference",
                           s->anchor ? "omit one of them" : "make the reference one of the commands");
    if (!text || words_all_blank(text))
        return TARE_OK;
    *kept = out->text = parameters_fill(w->a, text, s->parameters, s->n_parameters);
    return out->text ? TARE_OK : err_no_memory(w->err);
}

static const char *chosen_word(const struct work *w, const char *const *given, int n, int index)
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
        status = fill_hook(w, index, "--prepare", chosen_word(w, in->prepare, in->n_prepare, index), &h->prepare, &s->prepare);
    if (!status)
        status =
            fill_hook(w, index, "--conclude", chosen_word(w, in->conclude, in->n_conclude, index), &h->conclude, &s->conclude);
    return status ? status : fill_hook(w, index, "--cleanup", in->cleanup, &h->cleanup, &s->cleanup);
}

static enum tare_status check_alone(const struct work *w, const char *option, const char *text)
{
    for (int i = 0; text && i < w->n_parameters; i++)
        if (parameters_used(text, w->parameters[i].name))
            return err_set(w->err, TARE_INVALID, "%s uses {%s}, but it is one command for all values; write the value out",
                           option, w->parameters[i].name);
    return TARE_OK;
}

static enum tare_status fill_all(struct work *w)
{
    enum tare_status status = check_alone(w, "--reference", w->in->reference);
    if (!status)
        status = check_alone(w, "--anchor", w->in->anchor);
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
