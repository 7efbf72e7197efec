/* SPDX-License-Identifier: MIT
 *
 *     Intel(R) Xeon(R) Processor, 2 CPUs, 25.3 GB, Linux 6.1.0-28-amd64, KVM
 *
 *     Machine
 *       Linux 6.1.0-28-amd64 on KVM, x86_64
 *       Intel(R) Xeon(R) ..., family 6, model 143, stepping 8; Sapphire Rapids (masked by hypervisor)
 *       ...
 */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

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

/* A number and what it counts, in the plural where that is due. */
static bool put_count(struct page *p, const struct facts *f, const char *key, const char *before, const char *noun)
{
    const struct fact *k = facts_find(f, key);
    if (!put_fact(p, f, key, before, noun))
        return false;
    buf_str(&p->piece, k->text ? "" : buf_plural((long long)k->number));
    return true;
}

static bool put_quantity_fact(struct page *p, const char *key, const char *base, const char *before, const char *after)
{
    const struct fact *k = facts_find(&p->r->machine, key);
    if (!k || k->text || isnan(k->number))
        return false;
    buf_format(&p->piece, "%s%s%s", before, scaled_text(base, k->number).at, after);
    return true;
}

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
        buf_str(&p->piece, !strcmp(virtual->text, "yes") ? ", virtual machine" : ", no hypervisor seen");
    flow_line(p, 2, HUE_PLAIN);
}

static void processor_line(struct page *p)
{
    const struct facts *m = &p->r->machine;
    if (!put_fact(p, m, "cpu_brand", "", ""))
        buf_str(&p->piece, "processor of unknown brand");
    put_fact(p, m, "cpu_family", ", family ", "");
    put_fact(p, m, "cpu_model", ", model ", "");
    put_fact(p, m, "cpu_stepping", ", stepping ", "");
    flow_line(p, 2, HUE_PLAIN);
    if (!put_fact(p, m, "cpu_code_name", "code name ", ""))
        return;
    put_fact(p, m, "cpu_code_name_confidence", " (", ")");
    put_fact(p, m, "cpu_code_name_reasoning", ": ", "");
    put_fact(p, m, "cpu_code_name_guess", "; rather ", "");
    flow_line(p, 2, HUE_PLAIN);
}

static void cores_line(struct page *p)
{
    const struct facts *m = &p->r->machine;
    const struct fact *online = facts_find(m, "cpus_online"), *allowed = facts_find(&p->r->before, "cpus_allowed");
    bool counted = put_count(p, m, "cpus_online", "", " CPU");
    if (!counted && !put_count(p, &p->r->before, "cpus_allowed", "", " CPU"))
        return;
    buf_str(&p->piece, counted ? "" : " allowed");
    put_count(p, m, "cores", " on ", " core");
    put_count(p, m, "threads_per_core", " of ", " thread");
    if (counted && allowed && allowed->number < online->number)
        put_fact(p, &p->r->before, "cpus_allowed", ", ", " of them allowed");
    put_fact(p, m, "cpu_classes", "; ", "");
    put_fact(p, m, "caches", "; ", "");
    put_count(p, m, "numa_nodes", "; ", " memory node");
    put_quantity_fact(p, "memory_bytes", "bytes", "; ", " of memory");
    flow_line(p, 2, HUE_PLAIN);
}

/* What the chains saw, base as stated, and what the system says. */
static void frequency_line(struct page *p)
{
    const int subject = subject_with(p, SUBJECT_EXPERIMENT, "core_hz");
    const struct estimate *multiplies = record_estimate(p->r, subject, "core_hz", "multiplies"),
                          *apart = record_estimate(p->r, subject, "apart", "chains");
    put_figure(p, subject, multiplies && !is_known(multiplies) ? "core frequency " : "core ", "core_hz", "multiplies", 4);
    if (is_known(multiplies)) {
        put_figure(p, subject, " by dependent multiplies, ", "core_hz", "adds", 4);
        buf_str(&p->piece, " by dependent adds");
        if (is_known(apart))
            buf_format(&p->piece, ", %s apart", figure_text(figure_share, apart->point / 1e6).at);
    }
    if (put_quantity_fact(p, "nominal_hz", "Hz", subject >= 0 ? "; base " : "core: base ", ""))
        put_fact(p, &p->r->machine, "nominal_hz_source", " as stated (", ")");
    const struct fact *khz = facts_find(&p->r->before, "frequency_khz");
    if (khz && !khz->text && !isnan(khz->number)) {
        buf_str(&p->piece, p->piece.len ? "; " : "core: ");
        figure_scaled(&p->piece, "Hz", khz->number * 1e3, 4);
        buf_str(&p->piece, " reported by cpufreq (CPU 0, before the session)");
    }
    flow_line(p, 2, HUE_PLAIN);
}

static void conditions_line(struct page *p)
{
    const struct facts *b = &p->r->before;
    if (!put_fact(p, b, "measured_on_cpu", "measured on CPU ", ""))
        return;
    put_fact(p, b, "scheduling_policy", ", scheduling policy ", "");
    put_fact(p, b, "nice", ", nice ", "");
    put_fact(p, b, "priority_class", ", priority class ", "");
    const struct fact *base = facts_find(b, "base_priority");
    if (!put_fact(p, b, "base_priority", ", base priority ", "") && base && base->reason) {
        buf_str(&p->piece, ", base priority not known (");
        put_fact_text(p, base->reason);
        buf_char(&p->piece, ')');
    }
    const struct fact *real_time = facts_find(b, "real_time_priority");
    if (real_time && real_time->number > 0)
        put_fact(p, b, "real_time_priority", ", real-time priority ", "");
    put_fact(p, b, "clocksource", "; the kernel's clock source is ", "");
    flow_line(p, 2, HUE_PLAIN);
}

void render_machine_line(struct page *p)
{
    enum { COLUMNS = 48 }; /* of the longest brands */
    const struct facts *m = &p->r->machine;
    const struct fact *brand = facts_find(m, "cpu_brand"), *virtual = facts_find(m, "virtual_machine");
    put_cut(p, brand && brand->text ? brand->text : "unknown processor", COLUMNS);
    if (!put_count(p, m, "cpus_online", ", ", " CPU"))
        put_count(p, &p->r->before, "cpus_allowed", ", ", " CPU");
    put_quantity_fact(p, "memory_bytes", "bytes", ", ", "");
    put_fact(p, m, "os", ", ", "");
    put_fact(p, m, "kernel", " ", "");
    if (!put_fact(p, m, "hypervisor", ", ", "") && virtual && virtual->text && !strcmp(virtual->text, "yes"))
        buf_str(&p->piece, ", VM");
    flow_line(p, 0, HUE_DIM);
}

void render_machine(struct page *p)
{
    blank_line(p);
    buf_str(&p->piece, "Machine");
    flow_line(p, 0, HUE_BOLD);
    system_line(p);
    processor_line(p);
    cores_line(p);
    frequency_line(p);
    conditions_line(p);
}
