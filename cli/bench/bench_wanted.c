/* SPDX-License-Identifier: MIT
 *
 * Which benchmarks are wanted: --filter and --exclude have words that a name contains, and /patterns/ that it matches. Words alone are the programs' own
 * to look for. And which a session has.
 */
#include "bench_session.h"
#include "pattern.h"
#include <string.h>

struct bench_filter {
    const struct option_list *words;
    struct pattern **patterns; /* NULL: a plain word */
};

static bool is_pattern(const char *word)
{
    size_t n = strlen(word);
    return n > 2 && word[0] == '/' && word[n - 1] == '/';
}

/* A group around it, which is what a search tells of. */
static enum tare_status compile(struct pattern **out, const char *option, const char *word, struct arena *a, struct tare_err *err)
{
    struct buf text = BUF_INIT(1 << 20);
    buf_format(&text, "(%.*s)", (int)strlen(word) - 2, word + 1);
    enum tare_status status = pattern_compile(out, buf_text(&text), a, err);
    buf_finish(&text);
    if (status == TARE_INVALID) {
        err_prefix(err, word);
        err_prefix(err, option);
    }
    return status;
}

enum tare_status bench_filter_make(struct bench_filter **out, const char *option, const struct option_list *words,
                                   struct arena *a, struct tare_err *err)
{
    struct bench_filter *f = arena_array(a, 1, sizeof *f);
    struct pattern **patterns = arena_array(a, (size_t)words->n + 1, sizeof(struct pattern *));
    if (!f || !patterns)
        return err_no_memory(err);
    *f = (struct bench_filter){words, patterns};
    *out = f;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < words->n && !status; i++) {
        patterns[i] = NULL;
        if (is_pattern(words->items[i]))
            status = compile(&patterns[i], option, words->items[i], a, err);
    }
    return status;
}

static bool filter_any(const struct bench_filter *f, const char *name)
{
    struct pattern_group g;
    bool fits = false;
    for (int i = 0; i < f->words->n && !fits; i++)
        fits = f->patterns[i] ? pattern_last(f->patterns[i], name, strlen(name), PATTERN_STEPS, &g) == PATTERN_FOUND
                              : strstr(name, f->words->items[i]) != NULL;
    return fits;
}

bool bench_filter_has_patterns(const struct bench_filter *f)
{
    for (int i = 0; i < f->words->n; i++)
        if (f->patterns[i])
            return true;
    return false;
}

/* --filter and --exclude */
bool bench_wants(const struct bench *b, const char *name)
{
    return (!b->o->filters.n || filter_any(b->only, name)) && !filter_any(b->not, name);
}

const struct bench_case *bench_case_named(const struct bench_program *p, const char *name)
{
    for (int i = 0; i < p->n_cases; i++)
        if (!strcmp(p->cases[i].name, name))
            return &p->cases[i];
    return NULL;
}

const struct bench_program *bench_program_of(const struct bench *b, const struct subject *s)
{
    int i = 0;
    while (b->programs[i].argv != s->argv)
        i++;
    return &b->programs[i];
}
