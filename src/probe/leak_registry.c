/* SPDX-License-Identifier: MIT
 *
 * The list of targets, in the order in which they were registered, and what can be wrong with it.
 */
#include "leak_harness.h"
#include <stdlib.h>
#include <string.h>

static struct tare_leak *first_leak;

/* The copies of leak_list_copy. */
struct added {
    struct added *next;
    struct tare_leak leak;
};
static struct added *first_added;

void leak_list(struct tare_leak *leak)
{
    struct tare_leak **at = &first_leak;
    while (*at && *at != leak)
        at = &(*at)->next;
    if (*at)
        return;
    leak->next = NULL;
    *at = leak;
}

void leak_forget(void)
{
    first_leak = NULL;
    leak_part = NULL;
    while (first_added) {
        struct added *a = first_added;
        first_added = a->next;
        free(a);
    }
}

/* The names of classes as bytes: an array of pointers, then the texts. */
static size_t names_bytes(const struct tare_leak *leak)
{
    size_t bytes = 0;
    for (int i = 0; i < leak->classes.n; i++)
        bytes += sizeof(char *) + strlen(leak->classes.names[i]) + 1;
    return bytes;
}

static const char *copied(char **at, const char *text)
{
    size_t n = strlen(text) + 1;
    const char *copy = memcpy(*at, text, n);
    *at += n;
    return copy;
}

enum tare_status leak_list_copy(const struct tare_leak *leak)
{
    if (!leak || !leak->name || !leak->run || leak->classes.n < 0 || (leak->classes.n && !leak->classes.names))
        return TARE_INVALID;
    struct added *a = malloc(sizeof *a + names_bytes(leak) + strlen(leak->name) + 1);
    if (!a)
        return TARE_NO_MEMORY;
    *a = (struct added){.next = first_added, .leak = *leak};
    first_added = a;
    struct tare_leak *mine = &a->leak;
    const char **names = (const char **)(a + 1);
    char *at = (char *)(names + leak->classes.n);
    for (int i = 0; i < leak->classes.n; i++)
        names[i] = copied(&at, leak->classes.names[i]);
    mine->classes.names = names;
    mine->name = copied(&at, leak->name);
    leak_list(mine);
    return TARE_OK;
}

int leak_targets(void)
{
    int n = 0;
    for (const struct tare_leak *l = first_leak; l; l = l->next)
        n++;
    return n;
}

const struct tare_leak *leak_target_at(int index)
{
    const struct tare_leak *l = first_leak;
    while (l && index-- > 0)
        l = l->next;
    return l;
}

/* ---- sizes of growth ---- */

static int sizes_of_range(int64_t low, int64_t high, int64_t factor, int64_t sizes[WIRE_SIZES_MAX])
{
    int n = 0;
    for (int64_t at = low; n<WIRE_SIZES_MAX; at = at> high / factor ? high : at * factor) {
        sizes[n++] = at;
        if (at >= high)
            return n;
    }
    return WIRE_SIZES_MAX + 1;
}

/* More than WIRE_SIZES_MAX: there are too many. */
int leak_sizes(const struct tare_leak *leak, int64_t sizes[WIRE_SIZES_MAX])
{
    enum { MOST = 1 << 17 };
    const struct tare_values *v = &leak->growth;
    if (!leak->build)
        return 0;
    if (v->n > 0 && v->n <= WIRE_SIZES_MAX && v->values)
        memcpy(sizes, v->values, (size_t)v->n * sizeof *sizes);
    if (v->n)
        return v->n;
    return v->factor ? sizes_of_range(v->low, v->high, v->factor, sizes) : sizes_of_range(1, MOST, 2, sizes);
}

/* ---- its secret ---- */

uint32_t leak_secret_at(const struct tare_leak *leak, uint32_t *bytes)
{
    *bytes = (uint32_t)(leak->secret_bytes ? leak->secret_bytes : leak->bytes - leak->secret_at);
    if (*bytes > WIRE_SECRET_MAX)
        *bytes = WIRE_SECRET_MAX;
    return (uint32_t)leak->secret_at;
}

/* ---- what can be wrong ---- */

static bool leak_printable(const char *name)
{
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (*at < ' ' || *at == 127)
            return false;
    return name[0] != 0;
}

static bool has_name(const struct tare_leak *l)
{
    return l->name && leak_printable(l->name) && strlen(l->name) < WIRE_NAME_MAX - 1;
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
        return err_set(err, TARE_INVALID, "alignment %zu; a power of two up to %d is wanted", l->align, LEAK_ALIGN_MAX);
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
        if (!name || !leak_printable(name) || strlen(name) >= WIRE_NAME_MAX)
            return err_set(err, TARE_INVALID, "class %d has no name that can be printed", i);
        status = l->make ? TARE_OK : leak_class_check(name, l->bytes, l->reference != NULL, err);
    }
    return status;
}

static enum tare_status check_growth(const struct tare_leak *l, struct tare_err *err)
{
    int64_t sizes[WIRE_SIZES_MAX] = {0};
    const struct tare_values *v = &l->growth;
    if ((v->n || v->factor) && !l->build)
        return err_set(err, TARE_INVALID, "sizes of growth, but no .build that makes a structure of a size");
    if (!v->n && v->factor && (v->factor < 2 || v->low < 1 || v->high < v->low))
        return err_set(err, TARE_INVALID, "a range of sizes goes from at least 1 up, by a factor of at least 2");
    int n = leak_sizes(l, sizes);
    if (n < 0 || n == 1 || n > WIRE_SIZES_MAX || (v->n > 0 && !v->values))
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

/* Which of them is meant by a name nobody can tell, so neither is run. */
static enum tare_status check_twins(const struct tare_leak *l, struct tare_err *err)
{
    for (const struct tare_leak *other = first_leak; other; other = other->next)
        if (other != l && other->name && strcmp(l->name, other->name) == 0)
            return err_set(err, TARE_INVALID, "two targets have the name %s: %s:%d and %s:%d", l->name,
                           l->file && l->file[0] ? l->file : "added at run time", l->line,
                           other->file && other->file[0] ? other->file : "added at run time", other->line);
    return TARE_OK;
}

enum tare_status leak_check_target(const struct tare_leak *l, struct tare_err *err)
{
    enum tare_status status = check_itself(l, err);
    return status ? status : check_twins(l, err);
}

enum tare_status leak_check_list(struct tare_err *err)
{
    const int n = leak_targets();
    return n > LEAK_TARGETS_MAX ? err_set(err, TARE_INVALID, "%d targets; at most %d", n, LEAK_TARGETS_MAX) : TARE_OK;
}
