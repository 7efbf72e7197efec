/* SPDX-License-Identifier: MIT
 *
 * fake_reading.h - a script while it is read, for the files that read parts of it.
 */
#ifndef FAKE_READING_H
#define FAKE_READING_H

#include "fake_script.h"
#include "fake_words.h"

struct reading {
    struct fake_script *s;
    struct fake_words w;
    struct fake_program *program; /* the one whose lines are being read; NULL above the first */
};

/* Appends a zeroed item to the list that begins at `head`; NULL and a fault when memory is out. */
#define append(r, head) append_item((r), (head), sizeof **(head))
void *append_item(struct reading *r, void *head, size_t size);

/* Settings whose readers stand in fake_cpu_words.c; the keyword is read already. */
bool fake_set_ticks(struct reading *r);
bool fake_set_core(struct reading *r);
bool fake_set_cpuid(struct reading *r);
bool fake_set_uname(struct reading *r); /* fake_machine.c */
bool fake_set_folder(struct reading *r);
bool fake_set_peak(struct reading *r); /* fake_memory.c; so are the two of programs */
bool fake_program_peak(struct reading *r);
bool fake_program_tree(struct reading *r);
bool fake_program_libtare(struct reading *r); /* fake_bench.c */
bool fake_program_bench(struct reading *r);
bool fake_program_notes(struct reading *r);
bool fake_program_leak(struct reading *r);  /* fake_leak.c */
bool fake_program_point(struct reading *r); /* fake_trace.c, likewise */
bool fake_program_arc(struct reading *r);
bool fake_program_probe(struct reading *r);
bool fake_program_leaves(struct reading *r);
bool fake_set_stress(struct reading *r); /* fake_stress.c */
bool fake_set_nap(struct reading *r);    /* fake_timers.c, likewise */
bool fake_set_slice(struct reading *r);
bool fake_set_memory(struct reading *r); /* fake_memory.c, likewise */
bool fake_program_memory(struct reading *r);
bool fake_program_nopreload(struct reading *r);
bool fake_set_clock_kind(struct reading *r); /* those of `clock` that are not about its reading as a whole */

#endif
