# SPDX-License-Identifier: MIT
# tare_taint_report: from what valgrind or MSan wrote to places in the source. Pure, so tests and fuzzers link it without the rest of
# the program.
tare_module(taint_report SOURCES ${CMAKE_CURRENT_LIST_DIR}/taint_report.c DEPS record)
target_include_directories(tare_taint_report PRIVATE ${CMAKE_CURRENT_LIST_DIR})
