/* SPDX-License-Identifier: MIT */
#include "padding.h"
#include "buf.h"
#include "plat.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_NAME    "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"
#define ITERATION_NAME "HYPERFINE_ITERATION"
#define PARITY_NAME    "TARE_PAD"

static const char offset_prefix[] = OFFSET_NAME "=";
static const char parity_variable[] = PARITY_NAME "=";

enum {
    POINTER_BYTES = 8,
    ADDED_MAX = 100000, /* the kernel takes 128 KiB for one string */
    OWN_VARIABLES = 4
};

static char upper_case(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

bool environment_same_name(const char *variable, const char *name)
{
    const bool windows = plat_words_are_windows();
    for (; *name && *name != '='; name++, variable++)
        if (*variable != *name && !(windows && upper_case(*variable) == upper_case(*name)))
            return false;
    return *variable == '=';
}

bool padding_owns(const char *variable)
{
    return environment_same_name(variable, OFFSET_NAME) || environment_same_name(variable, ITERATION_NAME) ||
           environment_same_name(variable, PARITY_NAME);
}

static int without_name(const char **variables, int n, const char *name)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!environment_same_name(variables[i], name))
            variables[kept++] = variables[i];
    return kept;
}

static int with_variable(const char **variables, int n, const char *variable)
{
    int at = 0;
    while (at < n && !environment_same_name(variables[at], variable))
        at++;
    variables[at] = variable;
    return at == n ? n + 1 : n;
}

const char *const *environment_with(struct arena *a, const char *const *base, const char *const *changes, int n_changes)
{
    int n = 0;
    while (base[n])
        n++;
    const char **all = arena_array(a, (size_t)(n + n_changes) + 1, sizeof *all);
    if (!all)
        return NULL;
    memcpy(all, base, (size_t)n * sizeof *all);
    for (int i = 0; i < n_changes; i++)
        n = strchr(changes[i], '=') ? with_variable(all, n, changes[i]) : without_name(all, n, changes[i]);
    all[n] = NULL;
    return all;
}

static bool make_room(struct padding *p, size_t n)
{
    if (p->offset && n <= p->offset_room)
        return true;
    const size_t prefix = sizeof offset_prefix - 1;
    char *offset = realloc(p->offset, prefix + n + 1);
    if (!offset)
        return false;
    memcpy(offset, offset_prefix, prefix);
    memset(offset + prefix, 'X', n);
    offset[prefix + n] = 0;
    p->offset = offset;
    p->offset_room = p->offset_len = n;
    return true;
}

enum tare_status padding_init(struct padding *p, const char *const *environment, uint64_t seed, struct tare_err *err)
{
    *p = (struct padding){.rng = rng_seeded(seed), .environment = environment};
    return make_room(p, PADDING_OFFSETS) ? TARE_OK : err_no_memory(err);
}

void padding_finish(struct padding *p)
{
    free(p->variables);
    free(p->commands);
    free(p->offset);
    *p = (struct padding){0};
}

static bool make_room_for(struct padding *p, size_t variables)
{
    if (p->variables && variables <= p->room_variables)
        return true;
    const char **all = realloc(p->variables, (variables + OWN_VARIABLES + 1) * sizeof *all);
    if (!all)
        return false;
    p->variables = all;
    p->room_variables = variables;
    return true;
}

static void add_word(struct padding_command *c, const char *word)
{
    c->words += strlen(word) + 1;
    c->n_words++;
}

enum tare_status padding_add(struct padding *p, const char *const *argv, const char *const *environment, struct tare_err *err)
{
    if (p->n_commands == p->room_commands) {
        int room = p->room_commands ? 2 * p->room_commands : 8;
        struct padding_command *commands = realloc(p->commands, (size_t)room * sizeof *commands);
        if (!commands)
            return err_no_memory(err);
        p->commands = commands;
        p->room_commands = room;
    }
    struct padding_command c = {.environment = environment ? environment : p->environment, .path = *argv ? strlen(*argv) + 1 : 1};
    size_t variables = 0;
    for (const char *const *at = c.environment; *at; at++, variables++)
        if (!padding_owns(*at))
            add_word(&c, *at);
    for (; *argv; argv++)
        add_word(&c, *argv);
    if (!make_room_for(p, variables))
        return err_no_memory(err);
    p->commands[p->n_commands++] = c;
    return TARE_OK;
}

void padding_set_path(struct padding *p, int command, const char *path)
{
    assert(command >= 0 && command < p->n_commands);
    p->commands[command].path = strlen(path) + 1;
}

/* One pointer more, so that all commands have as many modulo 2 as the first. */
static bool needs_parity(const struct padding *p, int command)
{
    return (p->commands[command].n_words ^ p->commands[0].n_words) & 1;
}

/* Strings and pointers, without what is the same for all. */
static size_t own_bytes(const struct padding *p, int command)
{
    const struct padding_command *c = &p->commands[command];
    size_t bytes = c->path + c->words + c->n_words * POINTER_BYTES;
    bytes += c->variable ? strlen(c->variable) + 1 : 0;
    return needs_parity(p, command) ? bytes + sizeof parity_variable + POINTER_BYTES : bytes;
}

/* By how much the first n commands differ; 0 for none. */
static size_t span_of(const struct padding *p, int n, size_t *largest)
{
    size_t smallest = SIZE_MAX;
    *largest = 0;
    for (int i = 0; i < n; i++) {
        size_t bytes = own_bytes(p, i);
        *largest = bytes > *largest ? bytes : *largest;
        smallest = bytes < smallest ? bytes : smallest;
    }
    return n ? *largest - smallest : 0;
}

enum tare_status padding_round(struct padding *p, int round, bool warmup, struct tare_err *err)
{
    size_t largest, span = span_of(p, p->n_commands, &largest);
    const size_t common = (size_t)rng_below(&p->rng, PADDING_OFFSETS);
    for (int i = 0; i < p->n_commands; i++) {
        size_t missing = largest - own_bytes(p, i);
        p->commands[i].added = common + (missing < ADDED_MAX ? missing : ADDED_MAX);
    }
    struct buf b = buf_over(p->iteration, sizeof p->iteration);
    buf_format(&b, "%s=%s%d", ITERATION_NAME, warmup ? "warmup-" : "", round);
    return make_room(p, PADDING_OFFSETS + (span < ADDED_MAX ? span : ADDED_MAX)) ? TARE_OK : err_no_memory(err);
}

const char *const *padding_environment(struct padding *p, int command)
{
    assert(command >= 0 && command < p->n_commands);
    /* Moves the closing zero: nothing else changes from run to run. */
    char *x = p->offset + sizeof offset_prefix - 1;
    assert(p->commands[command].added <= p->offset_room);
    if (p->offset_len < p->offset_room)
        x[p->offset_len] = 'X';
    x[p->commands[command].added] = 0;
    p->offset_len = p->commands[command].added;
    int n = 0;
    for (const char *const *at = p->commands[command].environment; *at; at++)
        if (!padding_owns(*at))
            p->variables[n++] = *at;
    if (*p->iteration)
        p->variables[n++] = p->iteration;
    if (p->commands[command].variable)
        p->variables[n++] = p->commands[command].variable;
    if (needs_parity(p, command))
        p->variables[n++] = parity_variable;
    p->variables[n++] = p->offset;
    p->variables[n] = NULL;
    return p->variables;
}

bool padding_equal(const struct padding *p, int n)
{
    size_t largest;
    return span_of(p, n, &largest) <= ADDED_MAX;
}
