/* SPDX-License-Identifier: MIT
 *
 *     memory            25.3 GB
 *     cpu pressure      34413 s
 *     program 1 path    /usr/bin/sleep
 *
 * The facts of a record by their keys (docs/record-format.md), whose last word may be the unit. Of programs that are the same file the first alone, and
 * of the conditions afterwards those that differ from the ones before. */
#include "html.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a number with such an end of its key counts; NULL: it has no unit. */
static const struct key_unit {
    const char *end, *base;
    double factor;
} key_units[] = {{"_bytes", "bytes", 1},  {"_ns", "ns", 1},    {"_us", "ns", 1e3}, {"_ms", "ns", 1e6},
                 {"_seconds", "ns", 1e9}, {"_khz", "Hz", 1e3}, {"_hz", "Hz", 1},   {NULL, NULL, 1}};

static const struct key_unit *unit_of(const struct fact *f)
{
    const size_t n = strlen(f->key);
    const struct key_unit *u = key_units;
    for (; u->end; u++) {
        const size_t m = strlen(u->end);
        if (!f->text && n > m && !strcmp(f->key + n - m, u->end))
            break;
    }
    return u;
}

static void put_key(struct buf *b, const struct fact *f)
{
    const struct key_unit *u = unit_of(f);
    buf_format(b, "%.*s", (int)(strlen(f->key) - (u->end && !isnan(f->number) ? strlen(u->end) : 0)), f->key);
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i] == '_')
            b->data[i] = ' ';
}

static void put_value(struct buf *b, const struct fact *f)
{
    const struct key_unit *u = unit_of(f);
    if (f->text)
        buf_str(b, *f->text ? f->text : "none");
    else if (isnan(f->number))
        buf_format(b, "not known%s%s", f->reason ? ": " : "", f->reason ? f->reason : "");
    else if (u->base)
        figure_scaled(b, u->base, f->number * u->factor, 4);
    else
        buf_format(b, "%g", f->number);
}

static const char *program_text(const struct facts *f, long number, const char *what)
{
    char key[64];
    buf_print(key, sizeof key, "program_%ld_%s", number, what);
    return facts_text(f, key);
}

static bool is_same_file(const struct facts *f, long one, long other)
{
    const char *path = program_text(f, one, "path"), *hash = program_text(f, one, "fnv1a64");
    return path && hash && same_text(path, program_text(f, other, "path")) && same_text(hash, program_text(f, other, "fnv1a64"));
}

/* "program_2_path" where the program before it, or the first one, is the same file. */
static bool is_repeated(const struct facts *f, const char *key)
{
    static const char program[] = "program_";
    const long number = strncmp(key, program, sizeof program - 1) ? 0 : strtol(key + sizeof program - 1, NULL, 10);
    return number > 1 && (is_same_file(f, number - 1, number) || is_same_file(f, 1, number));
}

static bool is_as_before(const struct facts *before, const struct fact *f)
{
    const struct fact *b = before ? facts_find(before, f->key) : NULL;
    return b && same_text(b->text, f->text) && (b->text || b->number == f->number || (isnan(b->number) && isnan(f->number)));
}

static void put_facts(struct buf *b, const char *title, const struct facts *f, const struct facts *before)
{
    int shown = 0;
    for (int i = 0; i < f->n; i++) {
        const struct fact *fact = &f->items[i];
        struct buf key = BUF_INIT(1 << 10), value = BUF_INIT(1 << 16);
        if (is_repeated(f, fact->key) || is_as_before(before, fact))
            continue;
        if (!shown++) {
            html_element(b, "h3", title);
            buf_str(b, "<div class=\"pairs\"><table>\n");
        }
        put_key(&key, fact);
        put_value(&value, fact);
        buf_str(b, "<tr>");
        html_element(b, "th scope=\"row\"", buf_text(&key));
        html_element(b, "td", buf_text(&value));
        buf_str(b, "</tr>\n");
        buf_finish(&key);
        buf_finish(&value);
    }
    buf_str(b, shown ? "</table></div>\n" : "");
}

void html_environment(struct export_out *out, const struct record *r)
{
    struct buf *b = &out->text;
    if (!r->machine.n && !r->build.n)
        return;
    buf_str(b, "<details><summary><h2>Machine and conditions</h2></summary>\n");
    if (record_is_of_two_sessions(r))
        buf_str(b, "<p class=\"soft\">Those of the second session; a remark says what is known to differ in the first.</p>\n");
    put_facts(b, "Machine", &r->machine, NULL);
    put_facts(b, record_source(r) ? "Source" : "Before", &r->before, NULL);
    put_facts(b, "After, where it differs", &r->after, &r->before);
    put_facts(b, "Programs", &r->build, NULL);
    buf_str(b, "</details>\n");
    export_out_pass(out);
}
