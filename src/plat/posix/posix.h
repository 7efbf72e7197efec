/* SPDX-License-Identifier: MIT
 *
 * posix.h - what the POSIX platforms (linux, fake) share below plat.h. Never included outside src/plat.
 *
 *     if (fd < 0)
 *         return posix_fail(err, errno, "cannot open %s", path);   // "cannot open x: No such file or directory"
 *
 * The sources beside it implement these calls of plat.h for every POSIX platform: plat_input_read, plat_file_create and its
 * family, plat_open_*, plat_keep_standard_streams, plat_pipe, plat_rewind, plat_rewinds, plat_is_file, plat_close,
 * plat_is_terminal, plat_terminal_width, plat_environment, plat_getenv, plat_signal_name, plat_die_of, the reading of files, and plat_setting_*. All
 * others belong to the platform.
 */
#ifndef POSIX_H
#define POSIX_H

#include "plat.h"

/* The status that fits an errno value: ENOENT is NOT_FOUND, EACCES is PERMISSION ... else IO. */
enum tare_status posix_status(int error);
/* Sets err to the formatted text, ": " and the system's words for `error`; returns posix_status(error). */
__attribute__((format(printf, 3, 4))) enum tare_status posix_fail(struct tare_err *err, int error, const char *format, ...);

/* After a read or write that failed: true where it was interrupted, or would have waited, which is waited for here. Who gave us a standard stream may have set
 * it so, for itself and for us. Else errno is as it was. */
bool posix_again(int fd, bool writing);
/* All of it, through interruptions; 0 or an errno. */
int posix_write_all(int fd, const void *bytes, size_t n);
/* So many bytes from there, likewise; -1: the file ends before. */
int posix_read_at(int fd, int64_t offset, void *bytes, size_t n);
/* open(2) with mode 0666. To open a FIFO is to wait for its other end: unlike a plain open this ends with EINTR at a signal that
 * plat_signal has noted. */
int posix_open(const char *path, int flags);
/* Appends everything up to the end of an open descriptor; `name` is for messages. Does not close it. */
enum tare_status posix_descriptor_read(int fd, const char *name, struct buf *out, struct tare_err *err);

/* The same, handed on piece by piece. */
enum tare_status posix_descriptor_pour(int fd, const char *name, const struct sink *sink, struct tare_err *err);

/* Why a thread cannot run on a CPU: INVALID, with the reason found out. */
enum tare_status posix_pin_refused(int cpu, struct tare_err *err);

#endif
