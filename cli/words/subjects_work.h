/* SPDX-License-Identifier: MIT
 *
 * subjects_work.h - what the files behind subjects.h share while a plan is being made. Nobody else includes it.
 */
#ifndef SUBJECTS_WORK_H
#define SUBJECTS_WORK_H

#include "parameters.h"
#include "subjects.h"
#include "words.h"

#define REVISION_PARAMETER "rev"

/* One command before its parameters are filled in. */
struct template
{
    const char *text;         /* NULL when it came as words */
    const char *const *words; /* after `--`; not closed */
    int n_words;
};

struct work {
    const struct subject_input *in;
    struct arena *a;
    struct subject_plan *out;
    struct tare_err *err;
    struct template *templates; /* the reference not among them */
    int n_templates;
    struct parameter_values *parameters;
    int n_parameters;
    int first; /* index of the first subject that is not the reference: 0 or 1 */
    int room_notes;
};

/* The last command, which is one for all values of the parameters. */
static inline bool subjects_is_anchor(const struct work *w, int subject)
{
    return w->out->has_anchor && subject == w->out->n - 1;
}

/* Nor has the reference parameters. */
static inline bool subjects_is_alone(const struct work *w, int subject)
{
    return subject < w->first || subjects_is_anchor(w, subject);
}

/* Adds a line to the plan's notes: a copy of the text; the buffer is finished, on failure too. */
enum tare_status subjects_note(struct work *w, struct buf *text);
/* Its first characters, 60 bytes at most. */
void subjects_excerpt(struct buf *b, const char *text);

/* Shell or not, and the words to execute, of subjects and hooks. */
enum tare_status subjects_fill_argv(struct work *w);

#endif
