/* SPDX-License-Identifier: MIT
 *
 *     Machine
 *       Linux 6.1.0-28-amd64 on KVM, x86_64
 *       Intel(R) Xeon(R) ..., family 6, model 143, stepping 8; Sapphire Rapids (masked by hypervisor)
 *       ...
 */
#include "clock_parts.h"
#include "quote.h"
#include <math.h>
#include <string.h>

/* ---- facts ---- */

/* What a system says of itself is shorter; a file that holds something else must not fill the screen. */
static void put_fact_text(struct page *p, const char *text)
{
    enum { COLUMNS = 400, BYTES = 1 << 16 };
    struct buf cut = BUF_INIT(BYTES);
    quote_cut(&cut, text, COLUMNS, true);
    put_text(p, buf_text(&cut));
    buf_finish(&cut);
}

/* The fact's text or number behind `before`; nothing where it is not known. */
static bool put_fact(struct page *p, const struct facts *f, const char *key, const char *before, const char *after)
{
    const struct fact *k = facts_find(f, key);
    if (!k || (!k->text && isnan(k->number)) || (k->text && !*k->text))
        return false;
    buf_str(&p->piece, before);
    if (k->text)
        put_fact_text(p, k->text);
    else
        buf_format(&p->piece, "%g", k->number);
    buf_str(&p->piece, after);
    return true;
}

/* A number and what it counts, in the plural where that is due; no noun: the number alone. */
static bool put_count(struct page *p, const struct facts *f, const char *key, const char *before, const char *noun)
{
    const struct fact *k = facts_find(f, key);
    if (!put_fact(p, f, key, before, noun))
        return false;
    if (*noun && !k->text && k->number != 1)
        buf_char(&p->piece, 's');
    return true;
}

static bool put_quantity_fact(struct page *p, const char *key, const char *base, const char *before, const char *after)
{
    const struct fact *k = facts_find(&p->r->machine, key);
    if (!k || k->text || isnan(k->number))
        return false;
    struct unit u = unit_for(base, k->number);
    buf_str(&p->piece, before);
    put_number(p, k->number / u.factor, significant_decimals(k->number / u.factor, 3));
    put_unit(p, u);
    buf_str(&p->piece, after);
    return true;
}

static void put_line(struct page *p)
{
    flow_begin(p, 2, 4);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

/* ---- lines ---- */

static void system_line(struct page *p)
{
    const struct facts *m = &p->r->machine;
    bool named = put_fact(p, m, "distribution", "", "");
    put_fact(p, m, "os", named ? ", " : "", "");
    put_fact(p, m, "kernel", " ", "");
    put_fact(p, m, "kernel_build", " ", "");
    put_fact(p, m, "architecture", ", ", "");
    const struct fact *virtual = facts_find(m, "virtual_machine");
    if (!put_fact(p, m, "hypervisor", ", under ", "") && virtual && virtual->text)
        buf_str(&p->piece, !strcmp(virtual->text, "yes") ? ", under a hypervisor" : ", no hypervisor seen");
    put_line(p);
}

static void processor_line(struct page *p)
{
    const struct facts *m = &p->r->machine;
    if (!put_fact(p, m, "cpu_brand", "", ""))
        buf_str(&p->piece, "processor of unknown brand");
    put_fact(p, m, "cpu_family", ", family ", "");
    put_fact(p, m, "cpu_model", ", model ", "");
    put_fact(p, m, "cpu_stepping", ", stepping ", "");
    put_line(p);
    if (!put_fact(p, m, "cpu_code_name", "code name ", ""))
        return;
    put_fact(p, m, "cpu_code_name_confidence", " (", ")");
    put_fact(p, m, "cpu_code_name_reasoning", ": ", "");
    put_fact(p, m, "cpu_code_name_guess", "; rather ", "");
    put_line(p);
}

static void cores_line(struct page *p)
{
    const struct facts *m = &p->r->machine;
    const struct fact *online = facts_find(m, "cpus_online"), *allowed = facts_find(&p->r->before, "cpus_allowed");
    bool counted = put_count(p, m, "cpus_online", "", " CPU");
    if (!counted && !put_count(p, &p->r->before, "cpus_allowed", "", " CPU"))
        return;
    buf_str(&p->piece, counted ? "" : " allowed to us");
    put_count(p, m, "cores", " on ", " core");
    put_count(p, m, "threads_per_core", " of ", " thread");
    if (counted && allowed && allowed->number < online->number)
        put_fact(p, &p->r->before, "cpus_allowed", ", ", " of them allowed to us");
    put_fact(p, m, "cpu_classes", "; ", "");
    put_fact(p, m, "caches", "; ", "");
    put_count(p, m, "numa_nodes", "; ", " memory node");
    put_quantity_fact(p, "memory_bytes", "bytes", "; ", " of memory");
    put_line(p);
}

static void put_apart(struct page *p, int subject)
{
    const struct estimate *e = page_estimate(p, subject, "apart", "chains");
    if (!e || isnan(e->point))
        return;
    buf_str(&p->piece, ", ");
    put_number(p, e->point / 1e4, significant_decimals(e->point / 1e4, 2));
    buf_str(&p->piece, " % apart");
}

/* Base as stated, and what the chains saw. */
static void frequency_line(struct page *p)
{
    int subject = clock_subject(p, SUBJECT_EXPERIMENT, "core_hz");
    const struct estimate *multiplies = subject < 0 ? NULL : page_estimate(p, subject, "core_hz", "multiplies");
    if (multiplies && isnan(multiplies->point)) {
        buf_str(&p->piece, "core frequency ");
        put_clock_figure(p, subject, "core_hz", "multiplies", 4);
    } else if (multiplies) {
        buf_str(&p->piece, "core ");
        put_clock_figure(p, subject, "core_hz", "multiplies", 4);
        buf_str(&p->piece, " by dependent multiplies, ");
        put_clock_figure(p, subject, "core_hz", "adds", 4);
        buf_str(&p->piece, " by dependent adds");
        put_apart(p, subject);
    }
    if (put_quantity_fact(p, "nominal_hz", "Hz", subject >= 0 ? "; base " : "core: base ", ""))
        put_fact(p, &p->r->machine, "nominal_hz_source", " as stated (", ")");
    const struct fact *khz = facts_find(&p->r->before, "frequency_khz");
    if (khz && !khz->text && !isnan(khz->number)) {
        struct unit u = unit_for("Hz", khz->number * 1e3);
        buf_str(&p->piece, p->piece.len ? "; " : "core: ");
        put_number(p, khz->number * 1e3 / u.factor, significant_decimals(khz->number * 1e3 / u.factor, 4));
        put_unit(p, u);
        buf_str(&p->piece, " as the system says (cpufreq of CPU 0, before the session)");
    }
    if (p->piece.len)
        put_line(p);
}

static void conditions_line(struct page *p)
{
    const struct facts *b = &p->r->before;
    if (!put_fact(p, b, "measured_on_cpu", "measured on CPU ", ""))
        return;
    put_fact(p, b, "scheduling_policy", ", scheduling policy ", "");
    put_fact(p, b, "nice", ", nice ", "");
    const struct fact *real_time = facts_find(b, "real_time_priority");
    if (real_time && real_time->number > 0)
        put_fact(p, b, "real_time_priority", ", real-time priority ", "");
    put_fact(p, b, "clocksource", "; the kernel's clock source is ", "");
    put_line(p);
}

void clock_machine(struct page *p)
{
    clock_heading(p, "Machine");
    flow_end(p);
    system_line(p);
    processor_line(p);
    cores_line(p);
    frequency_line(p);
    conditions_line(p);
}
