/* SPDX-License-Identifier: MIT
 *
 * fake_streams.h - a scripted child's standard streams, which are real descriptors.
 *
 * While it writes, the pipe of spec->drain_fd is emptied, as plat_child_run promises. A write that fails is the child's loss only.
 */
#ifndef FAKE_STREAMS_H
#define FAKE_STREAMS_H

#include "plat.h"

void fake_stream_write(const struct plat_child_spec *spec, int fd, const char *bytes, size_t n);
void fake_stream_zeros(const struct plat_child_spec *spec, int fd, int64_t n);
int64_t fake_stream_read(int fd); /* to its end; bytes */

#endif
