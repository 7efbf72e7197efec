/* SPDX-License-Identifier: MIT
 * The tables of `tare system tune` and `tare system reset`. */
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include "system_options.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANGED "What is changed"
#define WHERE   "Where"
#define KEPT    "What is kept"

#define REPORT_OPTIONS(all)                                                     \
    SHARED_QUIET_VERBOSE(display, "Print only the last line and errors.", all), \
        SHARED_EXPORT_JSON(display, "Write every change and its outcome as JSON.")

#define T     struct system_tune_options
#define AT(f) .offset = offsetof(T, f)

/* clang-format off */
static const struct option tune_items[] = {
    {.group = CHANGED, .name = "dry-run", .type = OPTION_FLAG, .common = true, AT(dry_run),
     .help = "Print each file that would be written, with its old and new value, the risk, and how to undo it; change nothing. Exit 1 "
             "if there is something to do.",
     .detail = "Needs no permission."},
    {.group = CHANGED, .name = "unit", .type = OPTION_FLAG, .common = true, AT(unit),
     .help = "Print a systemd unit that makes these changes at each start and undoes them when it is stopped; change nothing.",
     .detail = "The options that say what is changed become part of it. Needs no permission."},
    {.group = CHANGED, .name = "only", .type = OPTION_LIST, .common = true, .suggest = SUGGEST_KNOBS, AT(only), .arg = "LIST",
     .preset_note = "all that can be undone and disrupts nothing",
     .help = "Change only these settings, by their names in tare system show -v, separated by commas. Repeatable.",
     .detail = "Settings that disrupt others (risk C) are changed only if they are named here."},
    {.group = CHANGED, .name = "without", .type = OPTION_LIST, .common = true, .suggest = SUGGEST_KNOBS, AT(without), .arg = "LIST",
     .help = "Leave these settings as they are. Repeatable."},
    {.group = CHANGED, .name = "beside-others", .type = OPTION_FLAG, AT(beside_others),
     .help = "Also change settings that a running program controls: irqbalance, tuned, power-profiles-daemon.",
     .detail = "Such a program may overwrite them at any time. It is better to stop it, or to exclude these CPUs in its "
               "configuration."},
    SHARED_CPUS(CHANGED, "Quiet these CPUs, to measure on: 1, or 2-5,7."),
    {.group = CHANGED, .name = "freq", .type = OPTION_TEXT, .common = true, AT(frequency_text), .arg = "FREQUENCY", .preset = "base",
     .choices = "base lowest",
     .help = "Fix the frequency at base (guaranteed by the manufacturer), lowest (never throttled by heat), or a value like 2.4GHz."},
    SHARED_SYSROOT(WHERE),
#include "style_option.def"
    REPORT_OPTIONS("Also show what was not changed, and why."),
#include "common_options.def"
};
/* clang-format on */

/* "2.4GHz", "800MHz", "2400000000": hertz above 0. False: something else. */
static bool system_read_hz(const char *text, int64_t *hz)
{
    char *end;
    struct unit unit = {"Hz", 1};
    double value = strtod(text, &end);
    end += strspn(end, " ");
    if (end == text || (*end && !unit_named("Hz", end, &unit)))
        return false;
    value *= unit.factor;
    if (!(value >= 1 && value <= 1e12))
        return false;
    *hz = llround(value);
    return true;
}

static enum tare_status read_frequency(struct system_tune_options *o, struct tare_err *err)
{
    o->frequency = !strcmp(o->frequency_text, "base")     ? SYSTEM_FREQUENCY_BASE
                   : !strcmp(o->frequency_text, "lowest") ? SYSTEM_FREQUENCY_LOWEST
                                                          : SYSTEM_FREQUENCY_HZ;
    if (o->frequency != SYSTEM_FREQUENCY_HZ || system_read_hz(o->frequency_text, &o->frequency_hz))
        return TARE_OK;
    return err_set(err, TARE_INVALID, "--freq: '%.60s' is not a frequency; write base, lowest, or a value like 2.4GHz",
                   o->frequency_text);
}

static enum tare_status check_tune(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct system_tune_options *o = options;
    (void)a;
    enum tare_status status = option_operands_end(operands, 0, ": give CPUs with --cpus, settings with --only", err);
    if (!status)
        status = read_frequency(o, err);
    const char *other = o->dry_run                               ? "--dry-run"
                        : o->sysroot                             ? "--sysroot"
                        : o->display.export_file[EXPORT_TO_JSON] ? "--export-json"
                                                                 : NULL;
    if (!status && o->unit && other)
        status = err_set(err, TARE_INVALID, "--unit changes nothing and is for this machine; omit %s", other);
    return status ? status : display_options_check(&o->display, NULL, err);
}

static const struct example tune_examples[] = {
    {"tare system tune --dry-run", "show each file that would be written, with its old and new value"},
    {"sudo tare system tune", "quiet the machine; tare system reset undoes it"},
    {"sudo tare system tune --cpus 3 --without turbo", "quiet CPU 3, but leave turbo as it is"},
    {"tare system tune --unit --cpus 3", "print a systemd unit, to tune at every boot"},
    {"sudo tare system tune --freq lowest", "fix the lowest frequency, which heat never throttles"},
};

const struct command command_system_tune = {
    .name = "system tune",
    .group = "machine",
    .summary = "quiet the machine for measuring; every change can be undone",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    .description =
        "Makes the changes that tare system show lists. The old value is stored before each change, so that tare system reset "
        "can "
        "restore it whatever happens in between. Needs root; without it, tare says what it would do. A change that the kernel "
        "refuses, or that has no effect, is reported.",
    .examples = tune_examples,
    .n_examples = sizeof tune_examples / sizeof *tune_examples,
    .options = {tune_items, sizeof tune_items / sizeof *tune_items, sizeof(struct system_tune_options)},
    .check = check_tune,
};

#undef T
#undef AT

#define T     struct system_reset_options
#define AT(f) .offset = offsetof(T, f)

/* clang-format off */
static const struct option reset_items[] = {
    {.group = CHANGED, .name = "force", .type = OPTION_FLAG, .common = true, AT(force),
     .help = "Restore the old values even if somebody else has changed them since."},
    {.group = CHANGED, .name = "dry-run", .type = OPTION_FLAG, .common = true, AT(dry_run),
     .help = "Print what would be restored; change nothing. Exit 1 if there is something to do.",
     .detail = "Needs permission to read the journal."},
    SHARED_SYSROOT(WHERE),
#include "style_option.def"
    REPORT_OPTIONS("Also show what needed no change."),
#include "common_options.def"
};
/* clang-format on */

static enum tare_status check_reset(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct system_reset_options *o = options;
    (void)a;
    enum tare_status status = option_operands_end(operands, 0, ": tare system reset restores all changed settings", err);
    return status ? status : display_options_check(&o->display, NULL, err);
}

static const struct example reset_examples[] = {
    {"sudo tare system reset", "restore every value that tare system tune changed"},
    {"sudo tare system reset --force", "even if somebody else has changed it since"},
};

const struct command command_system_reset = {
    .name = "system reset",
    .group = "machine",
    .summary = "restore every setting that tune changed",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    .description =
        "Undoes the stored changes, the last one first: each file that still has the value that tune wrote gets its old value "
        "and is read back. A value that somebody else has written since is a conflict: it is reported and not changed. After a "
        "reboot there is nothing to restore, and nothing is written.",
    .examples = reset_examples,
    .n_examples = sizeof reset_examples / sizeof *reset_examples,
    .options = {reset_items, sizeof reset_items / sizeof *reset_items, sizeof(struct system_reset_options)},
    .check = check_reset,
};
