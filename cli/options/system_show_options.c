/* SPDX-License-Identifier: MIT
 * The table of `tare system show`, and what its family is. */
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include "system_options.h"
#include <string.h>

#define T     struct system_show_options
#define AT(f) .offset = offsetof(T, f)

#define LOOKED "What is examined"
#define KEPT   "What is kept"

/* clang-format off */
static const struct option items[] = {
    SHARED_CPUS(LOOKED, "Look at these CPUs as the ones to measure on: 1, or 2-5,7."),
    {.group = LOOKED, .name = "probe", .type = OPTION_INT, .common = true, AT(probe_s), .bare = "3", .arg = "SECONDS", .unit = "second",
     .preset_note = "not asked; 3 without SECONDS", .absent = 0, .min = 1, .max = 600,
     .help = "Measure too what the CPU takes from a program that only computes, so long on each CPU: gaps, lost time, frequency, "
             "steal; and name the processes that used most CPU meanwhile.",
     .detail = "It uses those CPUs wholly while it lasts. The gaps are what interrupts and other tasks took; that a sleeping "
               "program is woken late does not show there."},
    SHARED_SYSROOT(LOOKED),
#include "style_option.def"
    SHARED_QUIET_VERBOSE(display, "Print only the verdict.",
        "Show every row, with those that this machine does not have, and every file that tune would write."),
    SHARED_EXPORT_JSON(display, "Write all rows, settings, advice and the probe's figures as JSON."),
#include "common_options.def"
};
/* clang-format on */

static bool is_number(const char *word)
{
    return *word && !word[strspn(word, "0123456789")];
}

static enum tare_status check_system_show_options(void *options, const struct option_operands *operands, struct arena *a,
                                                  struct tare_err *err)
{
    struct system_show_options *o = options;
    (void)a;
    if (operands->n && o->probe_s && is_number(operands->items[0]))
        return err_set(err, TARE_INVALID, "the seconds of --probe stand behind a =: --probe=%.20s", operands->items[0]);
    if (operands->n)
        return err_set(err, TARE_INVALID, "'%.60s' is one word too many: tare system show looks at this machine and nothing else",
                       operands->items[0]);
    if (o->sysroot && o->probe_s)
        return err_set(err, TARE_INVALID, "--probe measures this machine and --sysroot shows another; leave one away");
    return display_options_check(&o->display, NULL, err);
}

static const char *const synopsis[] = {"[OPTION...]", NULL};

static const struct example examples[] = {
    {"tare system show", "why results jitter on this machine, and what would help most"},
    {"tare system show --probe", "and measure for 3 seconds what the CPU takes from a program"},
    {"tare system show --cpus 1 -v", "every row, for measuring on CPU 1"},
};

const struct command_family family_system = {
    .name = "system",
    .group = "machine",
    .summary = "why results jitter here; quiet the machine, undo it",
    .description = "tare system show says without root why results jitter on this machine and what would help most; sudo tare "
                   "system tune does it; tare system reset restores every setting, even after kill -9 or a power cut.",
};

const struct command command_system_show = {
    .name = "system show",
    .group = "machine",
    .summary = "why results jitter on this machine, and what would help",
    .synopsis = synopsis,
    .description =
        "Looks at every known source of noise: frequency, turbo, interrupts, other tasks, the kernel's own work, memory, "
        "the hypervisor. Says of each whether it is quiet, what would help most, what tare system tune would write, and "
        "what only the kernel's command line or the firmware can do. Changes nothing, needs no permission, takes "
        "some milliseconds without --probe.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct system_show_options)},
    .check = check_system_show_options,
};
