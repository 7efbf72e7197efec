/* SPDX-License-Identifier: MIT */
#include "clock_session.h"
#include "machine.h"
#include "plat.h"
#include "plat_clock.h"
#include "screen.h"
#include "stored_keep.h"
#include "tuning.h"

static enum tare_status start_record(struct clock_session *s, struct tare_err *err)
{
    struct record *r = &s->record;
    r->argv = record_copy_words(r, (const char *const *)s->cli->argv);
    r->tool_version = CLI_VERSION;
    r->start_utc_ns = plat_utc_ns();
    r->rule = (struct rule){.metric = "wall", .confidence = 0.95, .margin = 0.01, .fail_if_slower = NAN};
    bool good = r->argv && !record_add_clock_metrics(r);
    return good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the record");
}

/* Without --pin: where we are, so that nothing is measured across a migration that nobody asked for. */
static enum tare_status choose_cpu(struct clock_session *s, struct tare_err *err)
{
    s->cpu = s->o->pin_cpu >= 0 ? s->o->pin_cpu : plat_cpu_now();
    if (s->o->pin_cpu < 0 || plat_cpu_allowed(s->cpu))
        return TARE_OK;
    if (!plat_thread_pin(s->cpu, err)) /* more is permitted than what we were started on, and that was somebody's wish */
        err_set(err, TARE_INVALID, "CPU %d is not among those that tare was started on (taskset -p $$)", s->cpu);
    err_prefix(err, "--pin");
    return TARE_INVALID;
}

/* The other CPUs that we may use: all where they are few, else evenly over them. Asked before we keep to one. */
static void choose_others(struct clock_session *s)
{
    enum { CPUS_MAX = 8192 };
    int allowed = plat_cpus_allowed() - 1, passed = 0;
    int wanted = allowed < CLOCK_OTHERS_MAX ? allowed : CLOCK_OTHERS_MAX;
    for (int cpu = 0; cpu < CPUS_MAX && s->n_others < wanted; cpu++) {
        if (cpu == s->cpu || !plat_cpu_allowed(cpu))
            continue;
        if (passed++ >= (int)((int64_t)s->n_others * allowed / wanted))
            s->others[s->n_others++] = cpu;
    }
}

static enum tare_status keep_to_cpu(struct clock_session *s, struct tare_err *err)
{
    choose_others(s);
    if (s->cpu < 0) /* unknown: stay where the scheduler puts us */
        return TARE_OK;
    return plat_thread_pin(s->cpu, err);
}

static enum tare_status take_priority(struct clock_session *s, struct tare_err *err)
{
    return CLOCK_GIVEN(s->o, priority) ? plat_set_priority((enum plat_priority)s->o->priority, err) : TARE_OK;
}

/* As it is now, whatever was asked for. */
static enum tare_status add_scheduling(struct record *r)
{
    struct plat_scheduling now;
    struct tare_err why;
    if (plat_scheduling(&now, &why))
        return facts_add_unknown(r, &r->before, "scheduling_policy", why.text);
    enum tare_status status = facts_add_text(r, &r->before, "scheduling_policy", now.policy);
    if (!status)
        status = facts_add_number(r, &r->before, "nice", now.nice);
    return status ? status : facts_add_number(r, &r->before, "real_time_priority", now.real_time);
}

static enum tare_status describe_machine(struct clock_session *s, struct tare_err *err)
{
    struct record *r = &s->record;
    enum tare_status status = machine_identity(r, &r->machine);
    if (!status)
        status = machine_conditions(r, &r->before);
    if (!status)
        status = add_scheduling(r);
    if (!status)
        status = s->cpu >= 0 ? facts_add_number(r, &r->before, "measured_on_cpu", s->cpu)
                             : facts_add_unknown(r, &r->before, "measured_on_cpu", "the system does not say");
    return status ? err_set(err, status, "cannot describe the machine") : TARE_OK;
}

static enum tare_status open_outputs(struct clock_session *s, struct tare_err *err)
{
    const struct outputs_place save = {"--save", s->o->save, false};
    enum tare_status status = outputs_check(&s->o->display, &save, 1, err);
    if (!status)
        status = stored_keep(s->o->save, (struct stored_keep){0}, err);
    return status ? status : outputs_open(&s->outputs, &s->o->display, s->o->save, err);
}

/* What a tuner that was killed left is in every figure below. */
static void say_what_is_left(const struct clock_session *s)
{
    struct buf notice = BUF_INIT(1 << 12);
    tuning_notice(&notice);
    if (notice.len && !s->o->display.quiet)
        cli_note(s->cli, "note", buf_text(&notice));
    buf_finish(&notice);
}

enum tare_status clock_open(struct clock_session *s, struct tare_err *err)
{
    record_init(&s->record);
    say_what_is_left(s);
    s->render = screen_options(&s->o->display);
    enum tare_status status = start_record(s, err);
    if (!status)
        status = choose_cpu(s, err);
    if (!status && (status = plat_signals_watch()))
        err_set(err, status, "cannot watch signals");
    if (!status)
        status = take_priority(s, err);
    if (!status)
        status = open_outputs(s, err);
    if (!status)
        status = describe_machine(s, err);
    if (!status)
        status = keep_to_cpu(s, err);
    s->start_ns = plat_now_ns();
    s->timers =
        (struct timers){.record = &s->record, .start_ns = s->start_ns, .cpu = s->cpu, .after_row = clock_row_added, .context = s};
    live_begin(&s->live, &s->render, s->cli->talk);
    return status;
}

void clock_close(struct clock_session *s)
{
    live_end(&s->live);
    outputs_finish(&s->outputs, NULL);
    record_finish(&s->record);
}
