/* SPDX-License-Identifier: MIT
 *
 * Which points of two builds are the same. Lines move when code is edited, so a point without a name is known by its place among those of its
 * function, in the order of lines, of one line in the order of the source; one with a name by that name. Folders are left out: trees are built in
 * different ones.
 * Ties: several points with one name are matched in the order of file, function and line. Where one build has more of a name or of a function
 * than the other, none can be known by its place among them: those match that have the same file, function, line and place on the line.
 */
#include "arcs.h"
#include <stdlib.h>
#include <string.h>

struct known {
    const struct point *p;
    const char *file; /* without folders */
    int index;
};

/* What two points of one kind must have in common. */
static int by_group(const struct known *a, const struct known *b)
{
    if (a->p->kind != b->p->kind)
        return a->p->kind < b->p->kind ? -1 : 1;
    int order = strcmp(a->p->name, b->p->name);
    if (order || *a->p->name)
        return order;
    order = strcmp(a->file, b->file);
    return order ? order : strcmp(a->p->func, b->p->func);
}

static int by_point(const struct known *a, const struct known *b)
{
    int order = by_group(a, b);
    order = order ? order : strcmp(a->file, b->file);
    order = order ? order : strcmp(a->p->func, b->p->func);
    order = order ? order : a->p->line - b->p->line;
    return order ? order : a->p->ordinal - b->p->ordinal;
}

static int by_place(const void *x, const void *y)
{
    const struct known *a = x, *b = y;
    const int order = by_point(a, b);
    return order ? order : a->index - b->index;
}

static int points_of(const struct traced *t, int subject, struct known *out)
{
    int n = 0;
    for (int i = 0; i < t->n_points; i++)
        if (t->points[i].subject == subject)
            out[n++] = (struct known){&t->points[i], point_base(t->points[i].file), i};
    qsort(out, (size_t)n, sizeof *out, by_place);
    return n;
}

static int group_size(const struct known *first, int n)
{
    int size = 1;
    while (size < n && !by_group(first, first + size))
        size++;
    return size;
}

static void match_group(const struct known *a, int n, const struct known *b, int m, int *of)
{
    const bool in_order = n == m;
    for (int i = 0, k = 0; i < n && k < m;) {
        const int order = in_order ? 0 : by_point(&a[i], &b[k]);
        if (!order)
            of[b[k].index] = a[i].index;
        i += order <= 0;
        k += order >= 0;
    }
}

enum tare_status arc_matches(const struct record *r, int reference, int subject, int *of)
{
    const struct traced *t = r->traced;
    struct known *a = malloc(((size_t)t->n_points + 1) * sizeof *a), *b = malloc(((size_t)t->n_points + 1) * sizeof *b);
    for (int i = 0; i < t->n_points; i++)
        of[i] = -1;
    int n = a && b ? points_of(t, reference, a) : 0, m = a && b ? points_of(t, subject, b) : 0;
    for (int i = 0, k = 0; i < n && k < m;) {
        const int order = by_group(&a[i], &b[k]);
        const int of_a = order <= 0 ? group_size(a + i, n - i) : 0, of_b = order >= 0 ? group_size(b + k, m - k) : 0;
        if (!order)
            match_group(a + i, of_a, b + k, of_b, of);
        i += of_a;
        k += of_b;
    }
    bool ok = a && b;
    free(a);
    free(b);
    return ok ? TARE_OK : TARE_NO_MEMORY;
}
