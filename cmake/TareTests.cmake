# SPDX-License-Identifier: MIT
# tare_unit_test(stats SOURCES x_test.c MODULES stats): one cmocka program per module, named after it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Simulations prove figures, which sanitizers do not change, and take most of the time: tools/sanitized.sh leaves them out, and tests draw data a tenth as
# often (tests/repeated.h).
set(simulations ON)
if(CMAKE_CROSSCOMPILING)
  set(simulations OFF)
endif()
option(TARE_SIMULATIONS "Build the simulations among the tests" ${simulations})

function(tare_unit_test name)
  cmake_parse_arguments(T "" "PLAT" "SOURCES;MODULES;LIBS;LABELS" ${ARGN})
  if(TARE_PLATFORM STREQUAL "win32" AND T_PLAT AND NOT T_PLAT MATCHES "win32$")
    return() # the scripted platform stands on POSIX
  endif()
  if(T_PLAT STREQUAL "linux" AND NOT TARGET tare_plat_linux)
    return() # libtare alone
  endif()
  tare_program(test_${name} PLAT "${T_PLAT}" SOURCES ${T_SOURCES} MODULES ${T_MODULES} LIBS PkgConfig::CMOCKA ${T_LIBS})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  if(TARE_PLATFORM STREQUAL "win32") # cmocka's messages: %zu and %td are not of the oldest C library of Windows, whose rules are checked
    target_compile_options(test_${name} PRIVATE -Wno-format -Wno-format-extra-args)
  endif()
  target_compile_definitions(test_${name} PRIVATE TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
    $<$<NOT:$<BOOL:${TARE_SIMULATIONS}>>:FEW_REPETITIONS>)
  if("sim" IN_LIST T_LABELS AND NOT TARE_SIMULATIONS)
    set_target_properties(test_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_test(NAME unit.${name} COMMAND test_${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS "unit;${T_LABELS}" TIMEOUT ${TARE_HANGS})
  if("sim" IN_LIST T_LABELS)
    target_sources(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/stats/remembered.c)
    foreach(remembered tare_looks_level tare_looks_spent tare_signed_rank_k tare_binomial_cdf tare_normal_quantile)
      target_link_options(test_${name} PRIVATE -Wl,--wrap=${remembered})
    endforeach()
    set_tests_properties(unit.${name} PROPERTIES COST 20) # the longest first, so that no core is idle at the end
  endif()
endfunction()
