/* SPDX-License-Identifier: MIT
 *
 * Names. A name is the command's text, or what -n says, with the parameters filled in. Values that the text does not show are
 * added as hyperfine shows them: "make (commit = abc)". Names identify results in tables and files, so no two may be equal:
 * later ones get " #2", " #3".
 */
#include "subjects_work.h"
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 1 << 22 };

/* ---- what is in braces ---- */

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
    enum tare_status status = subjects_note(w, buf_text(&b));
    buf_finish(&b);
    return status;
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
    enum tare_status status = subjects_note(w, buf_text(&b));
    buf_finish(&b);
    return status;
}

static enum tare_status note_unknown_in(struct work *w, const char *option, const char *const *texts, int n)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; !status && i < n; i++)
        status = note_unknown(w, option, texts[i]);
    return status;
}

/* Looked for in the texts as written: a value may hold any braces. */
enum tare_status subjects_check_braces(struct work *w)
{
    const struct subject_input *in = w->in;
    enum tare_status status = TARE_OK;
    for (int i = 0; !status && i < w->n_parameters - (in->n_revisions > 0); i++)
        if (!used_anywhere(w, w->parameters[i].name))
            status = note_unused(w, w->parameters[i].name);
    for (int i = 0; !status && i < (in->copies ? 1 : w->n_templates); i++) {
        char place[32];
        struct buf b = buf_over(place, sizeof place);
        buf_format(&b, "command %d", i + 1);
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

/* ---- names ---- */

/* The -n that belongs to the subject, NULL = none; *own: it belongs to no other subject. */
static const char *given_name(const struct work *w, int index, bool *own)
{
    const int n = w->out->n - w->first, given = w->in->n_names, i = index - w->first;
    *own = true;
    if (i < 0)
        return w->in->reference_name;
    if (w->in->copies && given)
        return w->in->names[0];
    if (given == n || !w->n_parameters)
        return i < given ? w->in->names[i] : NULL;
    *own = false;
    return given == 0 ? NULL : w->in->names[given == 1 ? 0 : i % w->n_templates];
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

static enum tare_status fill_name(struct work *w, int index)
{
    struct subject *s = &w->out->subjects[index];
    bool own;
    const char *name = given_name(w, index, &own);
    if (name && words_all_blank(name))
        return err_set(w->err, TARE_INVALID, "%s: a name cannot be blank", index < w->first ? "--reference-name" : "-n");
    s->name = name ? parameters_fill(w->a, name, s->parameters, s->n_parameters) : s->command;
    if (!s->name)
        return subjects_no_memory(w);
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
    return status || !s->name ? subjects_no_memory(w) : TARE_OK;
}

/* ---- no two alike ---- */

static int by_name(const void *a, const void *b)
{
    const struct subject *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order ? order : (*x > *y) - (*x < *y);
}

static const char *numbered(struct arena *a, const char *name, int number)
{
    struct buf b = BUF_INIT(NAME_MAX_BYTES + 16);
    buf_format(&b, "%s #%d", name, number);
    const char *text = b.status ? NULL : arena_copy(a, buf_text(&b), b.len);
    buf_finish(&b);
    return text;
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
            sorted[end]->name = numbered(w->a, name, end - i + 1);
            if (!sorted[end]->name)
                return subjects_no_memory(w);
            *changed = true;
        }
    }
    return TARE_OK;
}

enum tare_status subjects_fill_names(struct work *w)
{
    struct subject **sorted = arena_array(w->a, (size_t)w->out->n, sizeof(struct subject *));
    enum tare_status status = sorted ? TARE_OK : subjects_no_memory(w);
    for (int i = 0; !status && i < w->out->n; i++) {
        status = fill_name(w, i);
        sorted[i] = &w->out->subjects[i];
    }
    for (bool again = true; !status && again;)
        status = number_equals(w, sorted, &again);
    return status;
}
