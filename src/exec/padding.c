/* SPDX-License-Identifier: MIT */
#include "padding.h"
#include "buf.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_NAME    "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"
#define ITERATION_NAME "HYPERFINE_ITERATION"
#define PARITY_NAME    "TARE_PAD"

static const char offset_prefix[] = OFFSET_NAME "=";
static const char iteration_prefix[] = ITERATION_NAME "=";
static char parity_variable[] = PARITY_NAME "=";

enum {
    POINTER_BYTES = 8,
    ADDED_MAX = 100000, /* the kernel takes 128 KiB for one string */
    ITERATION_ROOM = sizeof iteration_prefix + 24
};

struct command {
    size_t strings;  /* path and words, closing zeros included */
    size_t pointers; /* words */
};

struct padding {
    const char **variables; /* environment and extra; then room for iteration, offset, parity and NULL */
    int n_variables;
    struct command *commands;
    int n_commands;
    char *offset;                   /* the name, then as many X as are needed */
    size_t offset_room, offset_len; /* X's there are; X's before the zero */
    char iteration[ITERATION_ROOM];
    /* of the round */
    bool has_iteration;
    size_t common, largest; /* offset of all; bytes of the largest command */
    bool equal;
};

/* ---- variables ---- */

/* Length of the name, 0 = there is none. */
static size_t name_length(const char *variable)
{
    const char *end = strchr(variable, '=');
    return end ? (size_t)(end - variable) : 0;
}

static bool has_name(const char *variable, const char *name, size_t len)
{
    return strncmp(variable, name, len) == 0 && variable[len] == '=';
}

static bool ours(const char *variable)
{
    return has_name(variable, OFFSET_NAME, sizeof OFFSET_NAME - 1) ||
           has_name(variable, ITERATION_NAME, sizeof ITERATION_NAME - 1) ||
           has_name(variable, PARITY_NAME, sizeof PARITY_NAME - 1);
}

static bool named_in(const char *variable, const char *const *list, int n)
{
    size_t len = name_length(variable);
    for (int i = 0; len && i < n; i++)
        if (has_name(list[i], variable, len))
            return true;
    return false;
}

static enum tare_status check_extra(const char *const *extra, int n, struct tare_err *err)
{
    for (int i = 0; i < n; i++) {
        if (name_length(extra[i]) == 0)
            return err_set(err, TARE_INVALID, "--env '%s': write it as NAME=VALUE", extra[i]);
        if (ours(extra[i]))
            return err_set(err, TARE_INVALID, "--env %.*s: tare sets this variable anew for each run; choose another name",
                           (int)name_length(extra[i]), extra[i]);
    }
    return TARE_OK;
}

static int count(const char *const *list)
{
    int n = 0;
    while (list[n])
        n++;
    return n;
}

static void collect(struct padding *p, const char *const *environment, const char *const *extra, int n_extra)
{
    for (; *environment; environment++)
        if (!ours(*environment) && !named_in(*environment, extra, n_extra))
            p->variables[p->n_variables++] = *environment;
    for (int i = 0; i < n_extra; i++)
        if (!named_in(extra[i], extra + i + 1, n_extra - i - 1))
            p->variables[p->n_variables++] = extra[i];
}

/* ---- the offset variable ---- */

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

/* Moves the closing zero: nothing else changes from run to run. */
static void set_offset(struct padding *p, size_t n)
{
    char *x = p->offset + sizeof offset_prefix - 1;
    assert(n <= p->offset_room);
    if (p->offset_len < p->offset_room)
        x[p->offset_len] = 'X';
    if (n < p->offset_room)
        x[n] = 0;
    p->offset_len = n;
}

/* ---- life ---- */

enum tare_status padding_create(struct padding **out, const char *const *environment, const char *const *extra, int n_extra,
                                int n_commands, struct tare_err *err)
{
    *out = NULL;
    enum tare_status status = check_extra(extra, n_extra, err);
    if (status)
        return status;
    struct padding *p = calloc(1, sizeof *p);
    size_t room = (size_t)count(environment) + (size_t)n_extra + 4;
    if (p) {
        p->variables = calloc(room, sizeof *p->variables);
        p->commands = calloc((size_t)n_commands + 1, sizeof *p->commands);
        p->n_commands = n_commands;
    }
    if (!p || !p->variables || !p->commands || !make_room(p, PADDING_OFFSETS)) {
        padding_destroy(p);
        return err_set(err, TARE_NO_MEMORY, "out of memory for the environment of the commands");
    }
    set_offset(p, 0);
    collect(p, environment, extra, n_extra);
    *out = p;
    return TARE_OK;
}

void padding_destroy(struct padding *p)
{
    if (!p)
        return;
    free(p->variables);
    free(p->commands);
    free(p->offset);
    free(p);
}

/* ---- sizes ---- */

void padding_set_command(struct padding *p, int command, const char *path, const char *const *argv)
{
    assert(command >= 0 && command < p->n_commands);
    struct command c = {.strings = strlen(path) + 1};
    for (; *argv; argv++, c.pointers++)
        c.strings += strlen(*argv) + 1;
    p->commands[command] = c;
}

/* One pointer more, so that all commands have as many modulo 2 as the first. */
static bool needs_parity(const struct padding *p, int command)
{
    return (p->commands[command].pointers ^ p->commands[0].pointers) & 1;
}

/* Strings and pointers, without what is the same for all. */
static size_t own_bytes(const struct padding *p, int command)
{
    const struct command *c = &p->commands[command];
    size_t bytes = c->strings + c->pointers * POINTER_BYTES;
    return needs_parity(p, command) ? bytes + sizeof parity_variable + POINTER_BYTES : bytes;
}

static size_t added(const struct padding *p, int command)
{
    size_t missing = p->largest - own_bytes(p, command);
    return p->common + (missing < ADDED_MAX ? missing : ADDED_MAX);
}

/* ---- rounds ---- */

static void set_iteration(struct padding *p, enum iteration_kind kind, int iteration)
{
    struct buf b = buf_over(p->iteration, sizeof p->iteration);
    buf_format(&b, "%s%s%d", iteration_prefix, kind == ITERATION_WARMUP ? "warmup-" : "", iteration);
    p->has_iteration = kind != ITERATION_NONE;
}

enum tare_status padding_round(struct padding *p, enum iteration_kind kind, int iteration, int offset, struct tare_err *err)
{
    assert(offset >= 0 && offset < PADDING_OFFSETS);
    size_t smallest = SIZE_MAX;
    p->largest = 0;
    for (int i = 0; i < p->n_commands; i++) {
        size_t bytes = own_bytes(p, i);
        p->largest = bytes > p->largest ? bytes : p->largest;
        smallest = bytes < smallest ? bytes : smallest;
    }
    p->common = (size_t)offset;
    set_iteration(p, kind, iteration);
    size_t span = p->n_commands ? p->largest - smallest : 0;
    p->equal = span <= ADDED_MAX;
    if (!make_room(p, PADDING_OFFSETS + (p->equal ? span : ADDED_MAX)))
        return err_set(err, TARE_NO_MEMORY, "out of memory for the environment of the commands");
    return TARE_OK;
}

static const char *const *finish(struct padding *p, int n)
{
    p->variables[n++] = p->offset;
    p->variables[n] = NULL;
    return p->variables;
}

const char *const *padding_environment(struct padding *p, int command)
{
    assert(command >= 0 && command < p->n_commands);
    int n = p->n_variables;
    if (p->has_iteration)
        p->variables[n++] = p->iteration;
    if (needs_parity(p, command))
        p->variables[n++] = parity_variable;
    set_offset(p, added(p, command));
    return finish(p, n);
}

const char *const *padding_hook_environment(struct padding *p)
{
    set_offset(p, p->common);
    return finish(p, p->n_variables);
}

bool padding_equal(const struct padding *p)
{
    return p->equal;
}
