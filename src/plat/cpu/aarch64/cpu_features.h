/* SPDX-License-Identifier: MIT
 *
 * cpu_features.h - which instructions of an ordered read this processor has. NULL: it is there; else the reason why not.
 */
#ifndef CPU_FEATURES_H
#define CPU_FEATURES_H

#define CPU_COUNTER "virtual counter"

/* Implemented by the operating system's folder: the processor's own feature registers are not open to a process. */
const char *cpu_lacks_cntvctss(void);
const char *cpu_lacks_dit(void);

#endif
