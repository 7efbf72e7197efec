/* SPDX-License-Identifier: MIT
 * What the options of `tare leak` must satisfy together. */
#include "leak_options.h"
#include "option_value.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

/* ---- what is judged ---- */

static enum tare_status check_sources(const struct leak_options *o, const struct option_operands *operands, struct tare_err *err)
{
    int sources = (o->csv != NULL) + (o->replay != NULL) + (o->symbol != NULL) + (operands->n > 0);
    if (o->go_on && (o->csv || o->replay || (o->symbol && !o->run.sessions)))
        REFUSE("--continue goes on with its own session; leave --csv, --replay and --symbol away");
    if (o->yes && (!o->go_on || o->run.sessions))
        REFUSE("--yes answers the question of --continue FILE; there is none to answer here");
    if (o->go_on && operands->n && !o->run.sessions)
        REFUSE("--continue measures the programs of its session; leave '%.60s' away", operands->items[0]);
    if (sources > 1)
        REFUSE("give one of programs, --symbol, --csv and --replay");
    if (o->classes.n && !o->symbol)
        REFUSE("--class belongs to --symbol; a program has its own classes");
    if (o->classes.n == 1)
        REFUSE("--class is given once; a leak is a difference between two classes");
    if (o->symbol && o->growth)
        REFUSE("--symbol has no sizes; leave --growth away");
    if (sources || (o->go_on && !o->run.sessions))
        return TARE_OK;
    err_set(err, TARE_INVALID,
            "no program given; name one that was built with libtare, as in tare leak ./ct_tests, or --csv FILE");
    option_hint_taken(&o->run.base, err);
    return TARE_INVALID;
}

/* ---- what has a meaning where ---- */

/* Options that have none in a kind of work, or all that have one. An option is honoured or refused, never passed over. */
struct range {
    const char *mode; /* the option that makes it so */
    const char *words;
    bool only; /* words are all that have a meaning, but those that everything has; else they are those that have none */
    const char *does;
};

#define SCREEN " style quiet verbose "
#define JUDGED                                                                                                          \
    " margin advantage alpha confidence exact strict method measurements drop threshold percentiles order export-json " \
    "export-svg export-html "

static const struct range ranges[] = {
    {"--sessions", " csv replay scan growth taint ledger suppressions method export-html export-svg list tune ", false,
     "puts the sizes of pairs of classes together"},
    {"--csv", " csv ledger save" JUDGED, true, "judges times that are there"},
    {"--replay", " replay" JUDGED, true, "judges times that are there"},
    {"--list", " list filter scan growth symbol class continue max-time timeout show-output env cwd priority ", true,
     "measures nothing"},
    {"--continue", /* of one session */
     " scan growth cache noise dit repeat clock selfcheck margin advantage alpha confidence exact method measurements drop "
     "threshold "
     "percentiles order filter "
     "class ",
     false, "has the targets and the rule of its session"},
    {"--growth", " advantage alpha exact strict ledger ", false, "is judged by its intervals alone"},
    {"--scan", " advantage exact repeat ", false, "judges each bit by itself"},
};

static bool is_among(const char *words, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at += n)
        if (at > words && at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static bool is_given(const struct leak_options *o, const struct option *option)
{
    return option->name && option->type != OPTION_HELP && option->type != OPTION_VERSION &&
           option_given(&leak_option_set, o, option->offset);
}

static enum tare_status check_range(const struct leak_options *o, const struct range *r, struct tare_err *err)
{
    const struct option *mode = option_named(&leak_option_set, r->mode + 2);
    for (int i = 0; i < leak_option_set.n && is_given(o, mode); i++) {
        const struct option *option = &leak_option_set.items[i];
        if (!is_given(o, option) || is_among(SCREEN, option->name) || is_among(r->words, option->name) == r->only)
            continue;
        REFUSE("%s %s, so --%s has no meaning; leave it away", r->mode, r->does, option->name);
    }
    return TARE_OK;
}

static enum tare_status check_ranges(const struct leak_options *o, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && !status; i++)
        if (!o->run.sessions || strcmp(ranges[i].mode, "--continue") != 0) /* of several, all is given again */
            status = check_range(o, &ranges[i], err);
    return status;
}

static enum tare_status check_kind(const struct leak_options *o, struct tare_err *err)
{
    if (o->suppressions && !o->taint)
        REFUSE("--suppressions are of --taint; give both, or neither");
    if (o->taint && o->growth)
        REFUSE("--taint follows secret inputs, and --growth has none; ask one at a time");
    if (o->scan && o->growth)
        REFUSE("--scan and --growth are two questions; ask one at a time");
    if (o->repeat > 1 && o->cache != 0)
        REFUSE("--repeat leaves the caches warm for all calls of a reading but the first; leave it or --cache away");
    if (o->method != LEAK_BY_TARE && (o->scan || o->growth))
        REFUSE("--method dudect and lab0 compare two classes; leave --scan and --growth away");
    return TARE_OK;
}

/* ---- the rule ---- */

static enum tare_status check_margin(const struct leak_options *o, struct tare_err *err)
{
    const char *unit = o->run.margin.unit;
    if (unit && strcmp(unit, "ns") != 0 && strcmp(unit, "cycles") != 0)
        REFUSE("--margin is a time: write it like 1ns, 5cycles or 1%%");
    if (!(o->run.margin.value > 0))
        REFUSE("--margin of nothing cannot be held: no finite number of calls proves that there is no difference at all; give it "
               "a size");
    return TARE_OK;
}

/* lab0-c's numbers, where none are given. */
static void fill_lab0(struct leak_options *o)
{
    o->measurements = LEAK_GIVEN(o, measurements) ? o->measurements : 150;
    o->drop = LEAK_GIVEN(o, drop) ? o->drop : 20;
    o->cropped = LEAK_GIVEN(o, percentiles) ? o->cropped : 0;
    o->order = LEAK_GIVEN(o, order) ? o->order : 1;
}

static enum tare_status check_dudect(struct leak_options *o, struct tare_err *err)
{
    bool of_dudect = LEAK_GIVEN(o, measurements) || LEAK_GIVEN(o, drop) || LEAK_GIVEN(o, threshold) ||
                     LEAK_GIVEN(o, percentiles) || LEAK_GIVEN(o, order);
    if (of_dudect && o->method == LEAK_BY_TARE)
        REFUSE(
            "--measurements, --drop, --threshold, --percentiles and --order belong to --method dudect or lab0; add one, or leave "
            "them away");
    char *end;
    long cropped = strtol(o->percentiles, &end, 10);
    bool off = !strcmp(o->percentiles, "off");
    if (!off && (end == o->percentiles || *end || cropped < 1 || cropped > 100))
        REFUSE("--percentiles '%.40s' is neither off nor 1 to 100", o->percentiles);
    o->cropped = off ? 0 : (int)cropped;
    if (o->method == LEAK_BY_LAB0)
        fill_lab0(o);
    if (o->method == LEAK_BY_LAB0 && 2 * o->drop >= o->measurements)
        REFUSE("--method lab0 drops %d at both ends of a batch of %d; nothing is left", o->drop, o->measurements);
    return TARE_OK;
}

/* What `tare run` reads of its options and this command does not have. */
static enum tare_status fill_others(struct leak_options *o, struct arena *a, struct tare_err *err)
{
    o->run.precision = 0;
    o->run.fail_if_slower = NAN;
    return option_list_add(&o->run.metrics, "wall", a) ? err_set(err, TARE_NO_MEMORY, "no memory for options") : TARE_OK;
}

/* The file of sessions that is gone on with is the one that they are kept in. */
static enum tare_status check_sessions(struct leak_options *o, struct tare_err *err)
{
    if (LEAK_GIVEN(o, run.every_ns) && !o->run.sessions)
        REFUSE("--every is the time between --sessions, and none are asked for; add --sessions NUM");
    if (!o->run.sessions || !o->go_on)
        return TARE_OK;
    if (o->run.save)
        REFUSE("--continue names the file that holds the sessions, and new ones are added to it; leave --save away");
    o->run.save = o->go_on;
    o->run.go_on = true;
    o->go_on = NULL;
    return TARE_OK;
}

static enum tare_status check_save(const struct leak_options *o, struct tare_err *err)
{
    if (o->run.save && !strcmp(o->run.save, "-"))
        REFUSE("--save needs a file: the times of all calls are kept beside it");
    return TARE_OK;
}

enum tare_status leak_options_check(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct leak_options *o = options;
    o->run.set = &leak_option_set;
    enum tare_status s = check_sources(o, operands, err);
    s = s ? s : check_kind(o, err);
    s = s ? s : check_ranges(o, err);
    s = s ? s : check_sessions(o, err);
    s = s ? s : check_margin(o, err);
    s = s ? s : check_dudect(o, err);
    s = s ? s : fill_others(o, a, err);
    s = s ? s : run_options_check_output(&o->run, a, err);
    s = s ? s : run_options_check_place(&o->run, err);
    s = s ? s : check_save(o, err);
    s = s ? s : display_options_check(&o->run.display, o->run.save, err);
    if (!s && o->html && !strcmp(o->html, "-"))
        o->run.display.stdout_taken = true;
    return s;
}
