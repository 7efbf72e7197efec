# SPDX-License-Identifier: MIT
# tare_taint_report: from what valgrind or MSan wrote to places in the source. Pure, so tests and fuzzers link it without the rest of
# the program.
set(taint_sources taint_report.c taint_xml.c)
list(TRANSFORM taint_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
tare_module(taint_report SOURCES ${taint_sources} DEPS record)
target_include_directories(tare_taint_report PRIVATE ${CMAKE_CURRENT_LIST_DIR})
