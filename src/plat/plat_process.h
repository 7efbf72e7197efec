/* SPDX-License-Identifier: MIT
 *
 * plat_process.h - what a measured program asks of its own process: bytes through a descriptor that it inherited, its memory.
 *
 *     struct plat_process_memory m;
 *     plat_process_peak_forget();
 *     work();
 *     plat_process_memory(&m);            // m.peak_bytes: the most since
 *
 * It starts nothing and ends nothing. One thread.
 */
#ifndef PLAT_PROCESS_H
#define PLAT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

int64_t plat_process_id(void);
/* Whole or error. */
enum tare_status plat_process_write(int fd, const void *bytes, size_t n, struct tare_err *err);

struct plat_process_memory {
    int64_t now_bytes, peak_bytes; /* resident; -1: the system does not tell */
};
/* False: it tells neither. */
bool plat_process_memory(struct plat_process_memory *out);
/* The peak begins anew at what is resident now. False: it cannot be forgotten, and goes back to the start of the process. */
bool plat_process_peak_forget(void);

#endif
