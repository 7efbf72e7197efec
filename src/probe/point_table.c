/* SPDX-License-Identifier: MIT
 *
 * The points of the process: those of each program and shared object, as their constructors name them, and the table in the file that
 * tells of each where it stands. Numbers are given once and are the same in forked children, whose tables begin as copies.
 */
#include "buf.h"
#include "crc.h"
#include "point_state.h"
#include <stddef.h>
#include <string.h>

/* The points of a program or shared object: in C a section of pointers to them, in C++ a list. */
enum { MODULES = 2048 };
static struct module {
    const void *key;         /* of a section its first pointer, of a list its newest point; NULL: the place is free */
    struct tare_point **end; /* NULL: it is a list */
} modules[MODULES];
static uint32_t modules_used;
static uint64_t numbers; /* given so far, those of parents included */

/* Where the next descriptor goes: unit 0, then segments of points. */
static struct {
    unsigned char *at;
    size_t left;
    struct trace_segment *segment;
} table;

/* ---- a descriptor ---- */

static const char *cut_text(const char *text, size_t *n)
{
    text = text ? text : "";
    *n = strlen(text);
    *n = *n < TRACE_TEXT_MAX ? *n : TRACE_TEXT_MAX;
    return text;
}

static unsigned char *put_text(unsigned char *at, const char *text, size_t n)
{
    memcpy(at, text, n);
    at[n] = 0;
    return at + n + 1;
}

/* A segment more; each knows the one before it. */
static bool another_segment(void)
{
    struct trace_segment *s = point_segment(TRACE_POINTS, 1);
    if (!s)
        return false;
    s->spare[0] = table.segment ? point_offset(table.segment) : 0;
    point_segment_seal(s);
    table.segment = s;
    table.at = (unsigned char *)(s + 1);
    table.left = TRACE_UNIT - sizeof *s;
    return true;
}

/* Room for so many bytes in whole cells; NULL: none. */
static unsigned char *table_cells(size_t bytes)
{
    struct trace_head *h = point_process.head;
    bytes = (bytes + TRACE_CELL - 1) / TRACE_CELL * TRACE_CELL;
    if (!table.at) {
        table.at = point_process.window.base + TRACE_TABLE_AT + h->table_bytes;
        table.left = TRACE_UNIT - TRACE_TABLE_AT - h->table_bytes;
    }
    if (bytes > table.left && !another_segment())
        return NULL;
    unsigned char *at = table.at;
    table.at += bytes;
    table.left -= bytes;
    if (!table.segment)
        h->table_bytes += bytes;
    return at;
}

/* Of "static constexpr const char* work(int)::tare_where::function()" it is "work": what stands before the type of the place, without
 * the arguments, from the last blank on. Other names are what they are. */
static const char *function_of(const struct tare_point *p, size_t *n)
{
    const char *text = cut_text(p->function, n), *type = strstr(text, "::tare_where");
    if (!type)
        return text;
    const char *end = type, *begin = text;
    int depth = 0;
    for (const char *at = type; at > text && !(depth == 0 && at[-1] == ' '); at--) {
        depth += at[-1] == ')' || at[-1] == '>';
        depth -= at[-1] == '(' || at[-1] == '<';
        end = at[-1] == '(' && depth == 0 ? at - 1 : end;
        begin = at - 1;
    }
    begin += *begin == '*'; /* clang puts the one of `const char *` there */
    *n = (size_t)(end - begin);
    return begin;
}

static void describe_point(const struct tare_point *p, uint32_t partner, uint32_t module)
{
    size_t file_size, function_size, name_size;
    const char *file = cut_text(p->file, &file_size), *function = function_of(p, &function_size),
               *name = cut_text(p->name, &name_size);
    const size_t from = offsetof(struct trace_point, length);
    const struct trace_origin origin = {(uint32_t)(uintptr_t)p->unit, (uint32_t)((uint64_t)(uintptr_t)p->unit >> 32), p->count};
    size_t bytes = sizeof(struct trace_point) + file_size + function_size + name_size + 3 + sizeof origin;
    unsigned char *at = table_cells(bytes);
    if (!at)
        return;
    struct trace_point *out = (struct trace_point *)at;
    out->length = (uint32_t)(bytes - from);
    out->id = p->number;
    out->line = p->line;
    out->partner = partner;
    out->kind = p->kind;
    out->value = p->value;
    out->group = p->group;
    out->fast = p->order == TARE_FAST;
    out->module = module;
    unsigned char *text = put_text((unsigned char *)(out + 1), file, file_size);
    text = put_text(text, function, function_size);
    text = put_text(text, name, name_size);
    memcpy(text, &origin, sizeof origin);
    out->crc = crc_of(at + from, bytes - from);
    __atomic_store_n(&out->magic, TRACE_POINT_MAGIC, __ATOMIC_RELEASE);
}

/* ---- numbers ---- */

static void give_number(struct tare_point *p)
{
    if (p->number || numbers >= TRACE_POINTS_MAX)
        return;
    p->number = (uint32_t)++numbers;
    point_process.has_fast |= p->order == TARE_FAST;
    __atomic_store_n(&p->id, p->number <= TRACE_ID_LAST && p->order != TARE_PRECISE ? p->number : 0, __ATOMIC_RELEASE);
    point_process.head->points = numbers;
}

static void number_one(struct tare_point *p, uint32_t module)
{
    if (p->number)
        return;
    give_number(p);
    if (p->partner)
        give_number(p->partner);
    if (p->number)
        describe_point(p, p->partner ? p->partner->number : 0, module);
    if (p->number && p->partner)
        describe_point(p->partner, p->number, module);
}

void point_number(struct tare_point *p)
{
    number_one(p, 0);
}

static void number_module(uint32_t i)
{
    if (modules[i].end)
        for (struct tare_point *const *p = modules[i].key; p < modules[i].end; p++) {
            if (*p)
                number_one(*p, i);
        }
    else
        for (struct tare_point *p = (struct tare_point *)(uintptr_t)modules[i].key; p; p = p->next)
            number_one(p, i);
}

/* ---- modules ---- */

/* Of NULL a free place; MODULES: there is none. */
static uint32_t module_at(const void *key)
{
    uint32_t i = 0;
    while (i < modules_used && modules[i].key != key)
        i++;
    return i;
}

static void set_module(uint32_t i, const void *key, struct tare_point **end)
{
    modules[i] = (struct module){key, end};
    modules_used += i == modules_used;
}

void point_modules_add(struct tare_point **first, struct tare_point **end)
{
    uint32_t i = module_at(NULL);
    if (module_at(first) < modules_used || i == MODULES)
        return;
    set_module(i, first, end);
    if (point_process.head)
        number_module(i);
}

void point_lists_add(struct tare_point *p)
{
    uint32_t i = module_at(p->next); /* a first point's next is NULL, as is the key of a free place */
    if (i == MODULES)
        return;
    set_module(i, p, NULL);
    if (point_process.head)
        number_one(p, i);
}

void point_modules_remove(const void *key)
{
    uint32_t i = module_at(key);
    if (i < modules_used)
        modules[i] = (struct module){NULL, NULL};
}

void point_number_all(void)
{
    for (uint32_t i = 0; i < modules_used; i++)
        number_module(i);
}

/* ---- after a fork ---- */

/* Those in segments, the oldest first. */
static bool copy_segments(const unsigned char *parent, uint64_t last)
{
    if (!last)
        return true;
    const struct trace_segment *s = (const struct trace_segment *)(parent + last);
    if (!copy_segments(parent, s->spare[0]) || !another_segment())
        return false;
    memcpy(table.at, s + 1, table.left);
    return true;
}

void point_table_copy(const unsigned char *parent)
{
    struct trace_head *h = point_process.head;
    const struct trace_head *old = (const struct trace_head *)parent;
    const unsigned char *at = table.at;
    const size_t left = table.left;
    const struct trace_segment *last = table.segment;
    memset(&table, 0, sizeof table);
    memcpy((unsigned char *)h + TRACE_TABLE_AT, parent + TRACE_TABLE_AT, old->table_bytes);
    h->table_bytes = old->table_bytes;
    h->points = numbers;
    if (last && copy_segments(parent, (uint64_t)((const unsigned char *)last - parent))) {
        table.at += at - (const unsigned char *)(last + 1);
        table.left = left;
    }
}
