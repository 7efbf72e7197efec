/* SPDX-License-Identifier: MIT
 *
 * Sessions whose answer is known: a program against itself with so much more work as one session of this host should just show.
 *
 * A thousand multiplies that wait for each other take cycles / frequency of the core, by the reference chain; the program takes the median of its runs
 * in the sessions against itself. So the work that makes it slower by the share d is d times the one over the other, rounded to whole thousands, and the share that
 * this comes to is what stands in the row. Each session is one of tare run, of two commands, with half of that share as its margin: it ends when the sign is
 * proven, or at its last look.
 */
#include "clocks.h"
#include "cpu.h"
#include "plat.h"
#include "quote.h"
#include "screen.h"
#include "system_qualify.h"
#include <math.h>
#include <string.h>

enum { SESSION_NS = 1500000000 };

struct planting {
    struct qualification *x;
    int more;       /* thousands of multiplies */
    double planted; /* ln of the ratio of the times */
    const char *words[3];
};

static double value_of(const struct record *r, const char *statistic)
{
    const struct estimate *e = record_estimate(r, 0, r->rule.metric, statistic);
    return e ? e->point : NAN;
}

static enum tare_status choose_size(struct planting *p, struct tare_err *err)
{
    const struct record *r = &p->x->run.record;
    double cycles, empty, hz, wanted = value_of(r, "aa_detectable"), takes_ns = value_of(r, "median");
    enum tare_status status = clock_chain_weights(&cycles, &empty, err);
    if (!status)
        status = clock_core_hz(&hz, err);
    if (status) {
        err_prefix(err, "no differences are planted");
        return TARE_UNSUPPORTED;
    }
    double thousand_ns = 1000 * cycles / CPU_PROBE_STEPS / hz * 1e9;
    if (!(wanted > 0 && wanted < 1 && takes_ns > 0))
        return err_set(err, TARE_UNSUPPORTED, "no differences are planted: what one session can show is not known");
    p->more = (int)ceil(wanted * takes_ns / thousand_ns);
    p->planted = log1p(p->more * thousand_ns / takes_ns);
    return TARE_OK;
}

static const char *command_of(struct planting *p, int thousands)
{
    struct buf b = BUF_INIT(1 << 16);
    quote_word(&b, p->x->work, false);
    buf_format(&b, " %d %d", thousands, WORK_KIB);
    const char *kept = arena_strdup(p->x->cli->arena, buf_text(&b));
    buf_finish(&b);
    return kept;
}

static enum tare_status keep(struct planting *p, const struct run *run, struct tare_err *err)
{
    struct qualify_planted found = {.planted = p->planted, .shift = NAN, .low = NAN, .high = NAN};
    if (run->record.n_comparisons) {
        const struct comparison *c = &run->record.comparisons[0];
        found.shift = c->shift;
        found.low = isfinite(c->low) ? c->low : NAN;
        found.high = isfinite(c->high) ? c->high : NAN;
        found.rounds = c->rounds;
        found.found = found.low > 0;
        found.wrong = found.high < 0;
    }
    return qualify_add_planted(&p->x->host, &found, err);
}

static enum tare_status measure(struct planting *p, struct run *run, struct tare_err *err)
{
    enum tare_status status = run_describe(run, err);
    run->session.plan.budget_ns = SESSION_NS;
    if (!status)
        status = run_open(run, err);
    if (!status)
        status = run_measure(run, err);
    return status ? status : keep(p, run, err);
}

static enum tare_status one_session(struct planting *p, uint64_t seed, struct tare_err *err)
{
    struct qualification *x = p->x;
    struct run_options o;
    struct cli as_run = *x->cli;
    as_run.operands = (struct option_operands){.items = p->words, .n = 2, .after = 2};
    enum tare_status status = qualify_run_options(x, &o, &as_run.operands, x->cli->arena, err);
    struct run run = {.cli = &as_run, .o = &o, .shown_seed = &seed};
    o.margin.value = expm1(p->planted) / 2;
    o.names = (struct option_list){0};
    o.display.quiet = true; /* its result is a row, and what it would advise is not the user's to do */
    memset(o.display.export_file, 0, sizeof o.display.export_file);
    record_init(&run.record);
    if (!status)
        status = measure(p, &run, err);
    if (run.session.signal_number)
        x->run.session.signal_number = run.session.signal_number;
    run_close(&run);
    return status;
}

enum tare_status qualify_plant(struct qualification *x, struct tare_err *err)
{
    struct planting p = {.x = x};
    enum tare_status status = choose_size(&p, err);
    if (status)
        return status;
    p.words[0] = command_of(&p, WORK_THOUSANDS);
    p.words[1] = command_of(&p, WORK_THOUSANDS + p.more);
    if (!p.words[0] || !p.words[1])
        return err_set(err, TARE_NO_MEMORY, "no memory for a command");
    for (int i = 0; i < x->o->planted && !status; i++)
        status = one_session(&p, x->run.record.seed + 1 + (uint64_t)i, err);
    return status;
}
