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
    SHARED_CPUS(LOOKED, "Examine these CPUs, to measure on: 1, or 2-5,7."),
    {.group = LOOKED, .name = "probe", .type = OPTION_INT, .common = true, AT(probe_s), .bare = "3", .arg = "SECONDS", .unit = "second",
     .preset_note = "off; 3 without SECONDS", .absent = 0, .min = 1, .max = 600,
     .help = "Also run a compute loop on each CPU for SECONDS, and measure gaps, lost time, frequency and steal; name the processes "
             "that used most CPU meanwhile.",
     .detail = "This keeps those CPUs fully busy meanwhile. Gaps are the time that interrupts and other tasks took; late wakeups of "
               "sleeping programs do not appear in them."},
    SHARED_SYSROOT(LOOKED),
#include "style_option.def"
    SHARED_QUIET_VERBOSE(display, "Print only the verdict.",
        "Show every row, including those that this machine does not have, and every file that tune would write."),
    SHARED_EXPORT_JSON(display, "Write all rows, settings, advice and the probe's figures as JSON."),
    {.group = KEPT, .name = "export-html", .type = OPTION_FILE, .once = true, AT(display.export_file[EXPORT_TO_HTML]), .arg = "FILE",
     .help = "Write a page with the answer, every row and every file that tune would write."},
#include "common_options.def"
};
/* clang-format on */

static enum tare_status check_system_show_options(void *options, const struct option_operands *operands, struct arena *a,
                                                  struct tare_err *err)
{
    struct system_show_options *o = options;
    (void)a;
    if (operands->n && o->probe_s && *operands->items[0] && !operands->items[0][strspn(operands->items[0], "0123456789")])
        return err_set(err, TARE_INVALID, "the seconds of --probe follow a =: --probe=%.20s", operands->items[0]);
    if (option_operands_end(operands, 0, ": tare system show examines this machine only", err))
        return TARE_INVALID;
    if (o->sysroot && o->probe_s)
        return err_set(err, TARE_INVALID, "--probe measures this machine and --sysroot shows another; give only one");
    return display_options_check(&o->display, NULL, err);
}

static const struct example examples[] = {
    {"tare system show", "why do results jitter on this machine, and what would help most?"},
    {"tare system show --probe", "also measure for 3 seconds how much CPU time a program loses"},
    {"tare system show --cpus 1 -v", "show every row, for measuring on CPU 1"},
};

const struct command_family family_system = {
    .name = "system",
    .group = "machine",
    .summary = "show why results jitter; quiet the machine, restore it",
    .description =
        "tare system show says, without root, why results jitter on this machine and what would help most. sudo tare "
        "system tune makes these changes. tare system reset restores every setting, even after kill -9 or a power cut.",
};

const struct command command_system_show = {
    .name = "system show",
    .group = "machine",
    .summary = "show why results jitter on this machine, and what would help",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    .description =
        "Examines every known source of noise: frequency, turbo, interrupts, other tasks, the kernel's own work, memory, "
        "the hypervisor. Says for each whether it is quiet, what would help most, what tare system tune would write, and what "
        "only the kernel command line or the firmware can change. Needs no permission, changes nothing, and takes some "
        "milliseconds without --probe.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct system_show_options)},
    .check = check_system_show_options,
};
