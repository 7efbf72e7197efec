# SPDX-License-Identifier: MIT
# What several platforms compile in, each as a part of its own library, so that a program links exactly one: what POSIX systems share, and the twin for this
# processor.
set(real ${CMAKE_CURRENT_LIST_DIR}/real) # what needs no system, but real threads and a real processor
set(posix ${CMAKE_CURRENT_LIST_DIR}/posix)
set(posix_sources
  ${posix}/directory.c
  ${posix}/environment.c
  ${posix}/file_put.c
  ${posix}/file_read.c
  ${posix}/file_write.c
  ${posix}/input_read.c
  ${posix}/library.c
  ${posix}/posix_error.c
  ${posix}/process_write.c
  ${posix}/setting.c
  ${posix}/share.c
  ${posix}/signal_end.c
  ${posix}/state_folder.c
  ${posix}/stream.c
  ${posix}/terminal.c
  ${posix}/trace_thread.c
  ${real}/file_replace.c
  ${real}/read_collect.c)
set(cpu ${CMAKE_CURRENT_LIST_DIR}/cpu/${TARE_CPU})
set(cpu_sources
  ${cpu}/cpu_counter.c
  ${cpu}/cpu_identification.c
  ${cpu}/cpu_reads.c
  ${cpu}/../cpu_calls.c
  ${cpu}/../cpu_order_calls.c
  ${cpu}/../cpu_subject.c)
