/* SPDX-License-Identifier: MIT
 *
 * cpu_features.h - which instructions of an ordered read this processor has. NULL: it is there; else the reason why not.
 * Where cpuid may not be executed, what every x86-64 since 2008 has is taken as there and the rest as missing.
 */
#ifndef CPU_FEATURES_H
#define CPU_FEATURES_H

#define CPU_COUNTER "time-stamp counter"

const char *cpu_lacks_rdtscp(void);
const char *cpu_lacks_cpuid(void);
const char *cpu_lacks_serialize(void);

#endif
