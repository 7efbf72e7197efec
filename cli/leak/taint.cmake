# SPDX-License-Identifier: MIT
# tare_taint_report: from what valgrind or MSan wrote to places in the source. Pure, so tests and fuzzers link it without the rest of
# the program. Without expat it reads MSan's reports only, and --taint under valgrind says what is missing.
find_package(EXPAT QUIET)
if(EXPAT_FOUND)
  set(taint_xml taint_xml.c)
  set(taint_expat EXPAT::EXPAT)
else()
  set(taint_xml taint_xml_absent.c)
  set(taint_expat)
  message(STATUS "tare leak --taint is built without expat, so it cannot read valgrind's reports (Debian: libexpat1-dev)")
endif()
set(taint_sources taint_report.c taint_msan.c ${taint_xml})
list(TRANSFORM taint_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
add_library(tare_taint_report STATIC ${taint_sources})
tare_flags(tare_taint_report)
target_include_directories(tare_taint_report PRIVATE ${CMAKE_CURRENT_LIST_DIR})
tare_include(tare_taint_report)
target_link_libraries(tare_taint_report PRIVATE ${taint_expat})
