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

/* What a number with such an end of its key counts; NULL: it has no unit. The word stands for the end where another key is the same without it. */
static const struct key_unit {
    const char *end, *base;
    double factor;
    const char *word;
} key_units[] = {
    {"_bytes", "bytes", 1, "size"},  {"_ns", "ns", 1, "time"},         {"_us", "ns", 1e3, "time"},    {"_ms", "ns", 1e6, "time"},
    {"_seconds", "ns", 1e9, "time"}, {"_khz", "Hz", 1e3, "frequency"}, {"_hz", "Hz", 1, "frequency"}, {NULL, NULL, 1, NULL}};

static const char program[] = "program_"; /* "program_2_bytes": without the word of its unit the value would have no name */

/* As the text of all caches has them: "48 KiB". */
static void put_binary(struct buf *b, double bytes)
{
    const int power = bytes >= 1 << 20 ? 2 : bytes >= 1 << 10 ? 1 : 0;
    static const char *const units[] = {"B", "KiB", "MiB"};
    buf_format(b, "%g %s", bytes / (1 << 10 * power), units[power]);
}

/* Keys that do not say what they are to who has not read their definition, nor their unit. put NULL: as other numbers of its key. */
static const struct key_name {
    const char *key, *name;
    void (*put)(struct buf *b, double value);
} key_names[] = {{"host_good_for", "90 % power for a difference of", figure_share},
                 {"memory_floor_bytes", "smallest peak memory that wait4 can distinguish", NULL},
                 {"memory_unseen_bytes", "memory that wait4 may leave out", NULL},
                 {"l1d_bytes", "L1d", put_binary},
                 {"l1i_bytes", "L1i", put_binary},
                 {"l2_bytes", "L2", put_binary},
                 {"l3_bytes", "L3", put_binary},
                 {"cache_line_bytes", "cache line", put_binary}};

static const struct key_name *name_of(const struct fact *f)
{
    for (size_t i = 0; !f->text && i < sizeof key_names / sizeof *key_names; i++)
        if (!strcmp(f->key, key_names[i].key))
            return &key_names[i];
    return NULL;
}

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

static void put_key(struct buf *b, const struct facts *of, const struct fact *f)
{
    const struct key_unit *u = unit_of(f);
    const struct key_name *name = name_of(f);
    const bool cut = u->end && !isnan(f->number);
    if (name) {
        buf_str(b, name->name);
        return;
    }
    buf_format(b, "%.*s", (int)(strlen(f->key) - (cut ? strlen(u->end) : 0)), f->key);
    if (cut && (facts_find(of, buf_text(b)) || !strncmp(f->key, program, sizeof program - 1)))
        buf_format(b, "_%s", u->word);
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i] == '_')
            b->data[i] = ' ';
}

static void put_value(struct buf *b, const struct fact *f)
{
    const struct key_unit *u = unit_of(f);
    const struct key_name *name = name_of(f);
    if (f->text)
        buf_str(b, *f->text ? f->text : "none");
    else if (isnan(f->number))
        buf_format(b, "not known%s%s", f->reason ? ": " : "", f->reason ? f->reason : "");
    else if (name && name->put)
        name->put(b, f->number);
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

/* What one has under these names, with scripts and interpreters, the other has as well. */
static bool has_files_of(const struct facts *f, long one, long other)
{
    char begin[64];
    buf_print(begin, sizeof begin, "%s%ld_", program, other);
    for (int i = 0; i < f->n; i++)
        if (f->items[i].text && !strncmp(f->items[i].key, begin, strlen(begin)) &&
            !same_text(f->items[i].text, program_text(f, one, f->items[i].key + strlen(begin))))
            return false;
    return true;
}

static bool is_same_program(const struct facts *f, long one, long other)
{
    return program_text(f, other, "fnv1a64") && has_files_of(f, one, other) && has_files_of(f, other, one);
}

/* "program_2_path" where the program before it, or the first one, is the same. */
static bool is_repeated(const struct facts *f, const char *key)
{
    const long number = strncmp(key, program, sizeof program - 1) ? 0 : strtol(key + sizeof program - 1, NULL, 10);
    return number > 1 && (is_same_program(f, number - 1, number) || is_same_program(f, 1, number));
}

/* As printed. */
static bool is_as_before(const struct facts *before, const char *key, const char *value)
{
    const struct fact *f = before ? facts_find(before, key) : NULL;
    struct buf was = BUF_INIT(1 << 16);
    if (f)
        put_value(&was, f);
    const bool same = f && !strcmp(buf_text(&was), value);
    buf_finish(&was);
    return same;
}

static void put_facts(struct buf *b, const char *title, const struct facts *f, const struct facts *before)
{
    int shown = 0;
    for (int i = 0; i < f->n; i++) {
        const struct fact *fact = &f->items[i];
        struct buf key = BUF_INIT(1 << 10), value = BUF_INIT(1 << 16);
        put_value(&value, fact);
        if (!is_repeated(f, fact->key) && !is_as_before(before, fact->key, buf_text(&value))) {
            if (!shown++) {
                html_element(b, "h3", title);
                buf_str(b, "<div class=\"pairs\"><table>\n");
            }
            put_key(&key, f, fact);
            buf_str(b, "<tr>");
            html_element(b, "th scope=\"row\"", buf_text(&key));
            html_element(b, "td", buf_text(&value));
            buf_str(b, "</tr>\n");
        }
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
        buf_format(
            b, "<p class=\"soft\">Those of the %s; where something is known to differ in the first%s, a remark says so.</p>\n",
            record_is_over_sessions(r) ? "first session of the second set" : "second session",
            record_is_over_sessions(r) ? " set" : "");
    put_facts(b, "Machine", &r->machine, NULL);
    put_facts(b, record_source(r) ? "Source" : "Before", &r->before, NULL);
    put_facts(b, "After, where it differs", &r->after, &r->before);
    put_facts(b, "Programs", &r->build, NULL);
    buf_str(b, "</details>\n");
    export_out_pass(out);
}
