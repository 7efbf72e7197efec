/* SPDX-License-Identifier: MIT */
#ifndef CPU_FEATURES_H
#define CPU_FEATURES_H

#define CPU_COUNTER "counter"

#endif
