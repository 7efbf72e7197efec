/* SPDX-License-Identifier: MIT
 *
 * The list of targets, in the order in which they were registered, and what can be wrong with it.
 */
#include "leak_harness.h"
#include "sized.h"
#include <string.h>

static struct sized_list leaks;

static const struct tare_leak *leak_after(const struct tare_leak *l)
{
    return sized_list_next(&leaks, l);
}

enum { LEAST_BYTES = offsetof(struct tare_leak, bytes) };

void leak_list(const struct tare_leak *leak)
{
    sized_list_register(&leaks, leak, sizeof *leak, LEAST_BYTES, leak->file, leak->line);
}

void leak_forget(void)
{
    leak_part = NULL;
    sized_list_free(&leaks);
}

/* The names of classes as bytes: an array of pointers, then the texts. False: one is missing. */
static bool names_bytes(const struct tare_leak *leak, size_t *bytes)
{
    *bytes = 0;
    for (int i = 0; i < leak->classes.n; i++) {
        if (!leak->classes.names[i])
            return false;
        *bytes += sizeof(char *) + strlen(leak->classes.names[i]) + 1;
    }
    return true;
}

static const char *copied_text(char **at, const char *text)
{
    size_t n = strlen(text) + 1;
    const char *copy = memcpy(*at, text, n);
    *at += n;
    return copy;
}

enum tare_status leak_list_copy(const struct tare_leak *given)
{
    struct tare_leak leak;
    size_t bytes;
    if (!given || sized_read(&leak, sizeof leak, LEAST_BYTES, given) || !leak.name || !leak.run || leak.classes.n < 0 ||
        (leak.classes.n && !leak.classes.names) || !names_bytes(&leak, &bytes))
        return TARE_INVALID;
    struct tare_leak *mine = sized_list_add(&leaks, sizeof *mine + bytes + strlen(leak.name) + 1);
    if (!mine)
        return TARE_NO_MEMORY;
    *mine = leak;
    const char **names = (const char **)(mine + 1);
    char *at = (char *)(names + leak.classes.n);
    for (int i = 0; i < leak.classes.n; i++)
        names[i] = copied_text(&at, leak.classes.names[i]);
    mine->classes.names = names;
    mine->name = copied_text(&at, leak.name);
    return TARE_OK;
}

int leak_targets(void)
{
    int n = 0;
    for (const struct tare_leak *l = NULL; (l = leak_after(l));)
        n++;
    return n;
}

const struct tare_leak *leak_target_at(int index)
{
    const struct tare_leak *l = leak_after(NULL);
    while (l && index-- > 0)
        l = leak_after(l);
    return l;
}

/* More than WIRE_SIZES_MAX: there are too many. */
int leak_sizes(const struct tare_leak *leak, int64_t sizes[WIRE_SIZES_MAX])
{
    static const struct tare_values usual = {.low = 1, .high = 1 << 17, .factor = 2};
    const struct tare_values *v = probe_values_n(&leak->growth) ? &leak->growth : &usual;
    const int n = leak->build ? probe_values_n(v) : 0;
    for (int i = 0; i < n && n <= WIRE_SIZES_MAX; i++)
        sizes[i] = probe_value_at(v, i);
    return n;
}

uint32_t leak_secret_at(const struct tare_leak *leak, uint32_t *bytes)
{
    *bytes = (uint32_t)(leak->secret_bytes ? leak->secret_bytes : leak->bytes - leak->secret_at);
    if (*bytes > WIRE_SECRET_MAX)
        *bytes = WIRE_SECRET_MAX;
    return (uint32_t)leak->secret_at;
}

static bool has_name(const struct tare_leak *l)
{
    return l->name && probe_printable(l->name) && strlen(l->name) < WIRE_NAME_MAX - 1;
}

const char *leak_label(const struct tare_leak *l)
{
    return has_name(l) ? l->name : "(without a name)";
}

static enum tare_status check_input(const struct tare_leak *l, struct tare_err *err)
{
    if (l->bytes > LEAK_BYTES_MAX)
        return err_set(err, TARE_INVALID, "an input of %zu bytes; at most %d", l->bytes, LEAK_BYTES_MAX);
    if (l->secret_at > l->bytes || l->secret_bytes > l->bytes - l->secret_at)
        return err_set(err, TARE_INVALID, "secret bytes %zu to %zu lie outside of an input of %zu", l->secret_at,
                       l->secret_at + l->secret_bytes, l->bytes);
    if (l->align > LEAK_ALIGN_MAX || (l->align & (l->align - 1)))
        return err_set(err, TARE_INVALID, "alignment %zu is not a power of two up to %d", l->align, LEAK_ALIGN_MAX);
    return TARE_OK;
}

static enum tare_status check_classes(const struct tare_leak *l, struct tare_err *err)
{
    const int n = l->classes.n;
    if (!n)
        return TARE_OK;
    if (n < 2 || n > WIRE_CLASSES_MAX || !l->classes.names)
        return err_set(err, TARE_INVALID, "%d classes; 2 to %d are wanted", n, WIRE_CLASSES_MAX);
    if (!l->bytes)
        return err_set(err, TARE_INVALID, "classes of an input of 0 bytes: say .bytes");
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++) {
        const char *name = l->classes.names[i];
        if (!name || !probe_printable(name) || strlen(name) >= WIRE_NAME_MAX)
            return err_set(err, TARE_INVALID, "class %d has no name that can be printed", i);
        status = l->make ? TARE_OK : leak_class_check(name, l->bytes, l->reference != NULL, err);
    }
    return status;
}

static enum tare_status check_growth(const struct tare_leak *l, struct tare_err *err)
{
    int64_t sizes[WIRE_SIZES_MAX] = {0};
    const struct tare_values *v = &l->growth;
    if ((v->n || v->factor || v->step) && !l->build)
        return err_set(err, TARE_INVALID, "sizes of growth, but no .build that makes a structure of a size");
    enum tare_status status = probe_check_values(v, err);
    if (status)
        return status;
    int n = leak_sizes(l, sizes);
    if (n == 1 || n > WIRE_SIZES_MAX || (v->n > 0 && !v->values))
        return err_set(err, TARE_INVALID, "growth wants 2 to %d sizes", WIRE_SIZES_MAX);
    for (int i = 0; i < n; i++)
        if (sizes[i] < 0 || (i > 0 && sizes[i] <= sizes[i - 1]))
            return err_set(err, TARE_INVALID, "sizes of growth rise, and none is below 0");
    return TARE_OK;
}

static enum tare_status check_itself(const struct tare_leak *l, struct tare_err *err)
{
    const char *file = l->file ? l->file : "";
    if (!has_name(l))
        return err_set(err, TARE_INVALID, "a target (%s:%d) has no name, or one that cannot be printed", file, l->line);
    if (!l->run)
        return err_set(err, TARE_INVALID, "it (%s:%d) has no function", file, l->line);
    enum tare_status status = check_input(l, err);
    status = status ? status : check_classes(l, err);
    status = status ? status : check_growth(l, err);
    if (!status && !l->bytes && !l->build)
        return err_set(err, TARE_INVALID, "neither an input (.bytes) nor a structure (.build): there is nothing to vary");
    return status;
}

enum tare_status leak_check_target(const struct tare_leak *l, struct tare_err *err)
{
    enum tare_status status = check_itself(l, err);
    if (status)
        return status;
    for (const struct tare_leak *other = NULL; (other = leak_after(other));)
        if (other != l && other->name && strcmp(l->name, other->name) == 0)
            return probe_refuse_twins("targets", l->name, l->file, l->line, other->file, other->line, err);
    return TARE_OK;
}

enum tare_status leak_check_list(struct tare_err *err)
{
    const int n = leak_targets();
    if (leaks.refused)
        return err_set(err, TARE_INVALID, "a leak target is registered %s", leaks.refused);
    return n > LEAK_TARGETS_MAX ? err_set(err, TARE_INVALID, "%d targets; at most %d", n, LEAK_TARGETS_MAX) : TARE_OK;
}
