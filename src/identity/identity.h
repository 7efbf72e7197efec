/* SPDX-License-Identifier: MIT
 *
 * identity.h - what this machine is: processor and its code name, hypervisor, cores, caches, memory nodes, system.
 *
 *     struct arena a = {0};
 *     struct identity id;
 *     identity_read(&id, &a, NULL);
 *     if (id.brand.text)
 *         buf_str(&b, id.brand.text);
 *     else
 *         buf_format(&b, "unknown: %s", id.brand.unknown);
 *     arena_finish(&a);
 *
 * Each field is known, or says why it is not. A code name comes with the confidence it deserves: the signature of a processor
 * is what a hypervisor wants it to be, so it is held against the features and the caches that are seen.
 * It does not measure: no frequency of the moment, no clock (clocks.h). Nothing is changed on the machine.
 * Ownership: every text and array lies in the arena (or is constant); the struct owns nothing. Any thread, one arena each.
 */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "arena.h"
#include "buf.h"
#include "cpu_list.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

/* ---- a value that is known, or the reason why not ---- */

struct identity_text {
    const char *text;    /* NULL: unknown */
    const char *unknown; /* why ("the system does not say"); NULL: known */
};

struct identity_number {
    int64_t value;       /* 0 when unknown */
    const char *unknown; /* why; NULL: known */
};

/* ---- the code name ---- */

enum identity_confidence {
    IDENTITY_UNKNOWN,      /* the signature is in no table */
    IDENTITY_CONTRADICTED, /* what is seen cannot be of the named processor; no hypervisor is seen. Or the program is translated */
    IDENTITY_MASKED,       /* the same under a hypervisor, which then changed the signature */
    IDENTITY_LIKELY,       /* nothing contradicts, but a hypervisor could, or something expected is missing */
    IDENTITY_CERTAIN,      /* signature, features and caches agree, no hypervisor seen */
};

/* "certain", "likely", "masked by hypervisor", "contradicted", "unknown". */
const char *identity_confidence_text(enum identity_confidence confidence);

struct identity_name {
    struct identity_text name; /* what the signature names: "Sapphire Rapids"; "Neoverse N1" */
    struct identity_text core; /* the core design where it has another name: "Golden Cove" */
    enum identity_confidence confidence;
    const char *reasoning;      /* one sentence without final dot, never NULL */
    struct identity_text guess; /* when not believed: "features of Sapphire Rapids or later" */
};

/* ---- hypervisor ---- */

enum identity_hypervisor_state {
    HYPERVISOR_UNKNOWN,  /* nothing could be asked */
    HYPERVISOR_NOT_SEEN, /* it may hide: never say "none" */
    HYPERVISOR_SEEN,
};

struct identity_hypervisor {
    enum identity_hypervisor_state state;
    struct identity_text name; /* "KVM"; of one seen it may be unknown */
    const char *reasoning;     /* how it is known; never NULL */
};

/* ---- processors ---- */

/* One sort of core. Machines with one sort have one class, without a kind. */
struct identity_class {
    const char *kind;          /* "performance", "efficient"; "capacity 446" where only that is told; NULL: the only one */
    struct identity_text name; /* its code name where the machine tells ("Cortex-A55", "Golden Cove") */
    struct cpu_list cpus;      /* those online */
    int n_cpus;
    struct identity_number cores;
};

enum identity_cache_type { CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED };

struct identity_cache {
    int of_class; /* index into classes */
    int level;    /* 1.. */
    enum identity_cache_type type;
    int64_t bytes;                                /* of one such cache */
    struct identity_number line_bytes, shared_by; /* shared_by: logical CPUs that use one */
};

/* ---- all of it ---- */

struct identity {
    /* system */
    struct identity_text os, kernel, build, architecture; /* "Linux", "6.1.0-28-amd64", "#1 SMP ...", "x86_64" */
    struct identity_text distribution;                    /* "Debian GNU/Linux 12 (bookworm)" */
    struct identity_text maker, product;                  /* of the machine, as its firmware says: "Amazon EC2", "m5.large" */
    struct identity_hypervisor hypervisor;
    struct identity_number memory_bytes;

    /* processor */
    struct identity_text vendor, brand;             /* "GenuineIntel"; "Intel(R) Xeon(R) ..." */
    struct identity_number family, model, stepping; /* on Arm: no family; part; revision as 16 * r + p of "r3p1" */
    struct identity_number signature;               /* CPUID.1 EAX; on Arm MIDR_EL1 */
    struct identity_text microcode;                 /* "0x2b000603" */
    struct identity_name name;
    struct identity_number nominal_hz; /* stated base frequency, a label: not measured */
    const char *nominal_source;        /* "CPUID.16H", "cpufreq base_frequency"; NULL: unknown */

    /* processors */
    struct identity_number cpus_online, cpus_possible, cpus_offline; /* logical CPUs */
    struct identity_text online;                                     /* the same as a list: "0-3,8" */
    struct identity_number packages, cores, threads_per_core;        /* of those online; the most threads of any core */
    struct identity_class *classes;
    int n_classes; /* >= 1 when cpus_online is known */

    /* caches and memory nodes; the same for all of a class */
    struct identity_cache *caches; /* by class, level, type */
    int n_caches;
    const char *caches_unknown; /* why there is none; NULL: known */
    struct identity_number numa_nodes;
};

/* ---- reading it ---- */

/* Where facts come from. The calls get context first. */
struct identity_source {
    void *context;
    /* The instruction: EAX EBX ECX EDX of a leaf. False, or NULL as a pointer: there is no such instruction. */
    bool (*cpuid)(void *context, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
    /* A file's text appended to out, cut at its cap (TARE_TOO_LARGE, the beginning is there). Any failure: not there. */
    enum tare_status (*read)(void *context, const char *path, struct buf *out);
    const char *os, *kernel, *build, *architecture; /* NULL: unknown */
};

/* source NULL: this machine. At most some 200 small files, however many CPUs: for the start of every measurement. Fails with NO_MEMORY only; *out is
 * then all unknown. */
enum tare_status identity_read(struct identity *out, struct arena *a, const struct identity_source *source);

#endif
