/* SPDX-License-Identifier: MIT
 *
 * All that makes results jitter, group by group. docs/system.md has a section for each id.
 *
 * effect: how much it has been seen to move results, by which advice is ordered.
 *   Measured on a virtual machine with two CPUs, a chain of multiplications of 1.15 ms, pinned (coefficient of variation of its time): 5 % quiet, 88 % with
 *   two other programs (load, isolation); of the quiet 5 %, 1 % was left when the core's frequency was taken out (governor, limits, turbo); 0.3 to
 *   0.9 % of the time went to gaps of interrupts' size, at 250 to 300 timer ticks a second of 5 to 10 us each (irq-affinity, timer-tick).
 *   All others are not measured by us: their place follows what they can do to one run (a quota stops it for milliseconds, statistics of memory for
 *   microseconds each second).
 */
#include "knob_look.h"
#include <string.h>

static const struct knob_group *const groups[] = {&knobs_of_work,     &knobs_of_speed, &knobs_of_memory, &knobs_of_kernel,
                                                  &knobs_of_hardware, &knobs_of_host,  &knobs_of_now,    &knobs_of_windows};

const struct knob *knob_at(int i)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        if (i < groups[g]->n)
            return &groups[g]->knobs[i];
        i -= groups[g]->n;
    }
    return NULL;
}

const struct knob *knob_find(const char *id)
{
    const struct knob *k;
    for (int i = 0; (k = knob_at(i)); i++)
        if (!strcmp(k->id, id))
            return k;
    return NULL;
}

const char *knob_state_text(enum knob_state s)
{
    static const char *const texts[] = {
        [KNOB_OK] = "ok", [KNOB_NOISY] = "noisy", [KNOB_UNKNOWN] = "unknown", [KNOB_NOT_APPLICABLE] = "not applicable"};
    return texts[s];
}

const char *knob_risk_text(enum knob_risk r)
{
    static const char *const texts[] = {
        [RISK_SELF_UNDOING] = "A", [RISK_REVERSIBLE] = "B", [RISK_DISRUPTIVE] = "C", [RISK_BOOT] = "D"};
    return texts[r];
}

/* Which files a journal may name: those that the knobs write, and no others, as root acts by that file. */

/* What stands for something: how many bytes of it are at p, 0: it is not that. */

/* As kernels write it: without zeros in front, so that no file has two names. */
static size_t number_at(const char *p)
{
    enum { DIGITS_MAX = 9 };
    size_t n = strspn(p, "0123456789");
    return n > DIGITS_MAX || (*p == '0' && n > 1) ? 0 : n;
}

static bool is_word(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(p, word, n);
}

/* "cpuset", "cpu,cpuset": controllers of version 1 that lie together. */
static bool has_cpu_sets(const char *name, size_t n)
{
    enum { NAME_MAX_BYTES = 128 };
    bool found = false;
    if (n > NAME_MAX_BYTES || strspn(name, "abcdefghijklmnopqrstuvwxyz_,") < n)
        return false;
    for (size_t at = 0; at < n;) {
        size_t length = strcspn(name + at, ",/");
        length = length < n - at ? length : n - at;
        found |= is_word(name + at, length, "cpuset");
        at += length + 1;
    }
    return found;
}

/* "/sys/fs/cgroup", and where the versions stand side by side the folder below it that is one of them. */
static size_t groups_at(const char *p)
{
    static const char top[] = "/sys/fs/cgroup/";
    const size_t n = sizeof top - 1;
    if (strncmp(p, top, n))
        return 0;
    size_t length = strcspn(p + n, "/");
    return is_word(p + n, length, "unified") || has_cpu_sets(p + n, length) ? n + length : n - 1;
}

static bool matches(const char *pattern, const char *path)
{
    for (; *pattern && *pattern != ' '; pattern++) {
        size_t n = *pattern == '#' ? number_at(path) : *pattern == '@' ? groups_at(path) : *pattern == *path;
        if (!n)
            return false;
        path += n;
    }
    return !*path;
}

static bool is_among(const char *files, enum knob_use use, const char *path)
{
    for (const char *p = files; p && *p; p += strcspn(p, " "), p += *p == ' ')
        if (*p == (char)use && matches(p + 2, path))
            return true;
    return false;
}

bool knob_may(enum knob_use use, const char *path)
{
    const struct knob *k;
    for (int i = 0; (k = knob_at(i)); i++)
        if (is_among(k->files, use, path) || (use == KNOB_WRITES && k->number.path && !strcmp(k->number.path, path)))
            return true;
    return false;
}
