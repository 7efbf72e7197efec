/* SPDX-License-Identifier: MIT
 *
 * system_place.h - from words of the command line to the machine that they are about: which tree, which CPUs, which knobs.
 *
 *     struct system_place place;
 *     status = system_place_open(&place, o->sysroot, o->cpus, cli->arena, &err);
 *     status = look_at_machine(&look, &place.root, &place.wishes, cli->arena, &err);
 */
#ifndef SYSTEM_PLACE_H
#define SYSTEM_PLACE_H

#include "knob.h"
#include "option.h"

struct system_place {
    struct system_root root;
    struct wishes wishes; /* base frequency, all knobs, unless changed since */
};

/* sysroot, cpus: as typed, or NULL. INVALID: no list of CPUs; a folder that is not there is INVALID too. */
enum tare_status system_place_open(struct system_place *out, const char *sysroot, const char *cpus, struct arena *a,
                                   struct tare_err *err);
/* Ids out of words that hold several with commas between, closed by NULL; *out NULL: none were given. INVALID: no knob is called so; err
 * names the nearest one. */
enum tare_status system_knob_ids(const struct option_list *words, const char *option, const char *const **out, struct arena *a,
                                 struct tare_err *err);

#endif
