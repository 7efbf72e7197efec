# SPDX-License-Identifier: MIT
# The arrows of the design as include paths.
#
#   tare_module(stats SOURCES a.c b.c DEPS plat)
#
# makes the static library tare_stats. It sees its own folder, src/base, include/ and the folders of the modules in
# DEPS, and nothing else: an include that is not an arrow does not compile. Nothing is passed on; each module names
# every module whose headers it includes. LIBS names libraries from outside (targets, known everywhere). `plat` is an interface with several implementations, so it gives only its
# header here; each program is linked with one implementation (tare_program).

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g") # asserts stay on; Release turns them off

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(TARE_PLATFORM linux)
elseif(CMAKE_SYSTEM_NAME STREQUAL "Windows")
  set(TARE_PLATFORM win32)
else()
  set(TARE_PLATFORM none) # base, stats, record and plan only
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(TARE_CPU x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TARE_CPU aarch64)
elseif(TARE_PLATFORM STREQUAL "linux")
  set(TARE_CPU other)
  message(STATUS "libtare alone, by the system's clock: tare runs on x86_64 and aarch64, not on ${CMAKE_SYSTEM_PROCESSOR}")
elseif(NOT TARE_PLATFORM STREQUAL "none")
  message(FATAL_ERROR "src/plat/cpu has no folder for ${CMAKE_SYSTEM_PROCESSOR} yet: tare runs on x86_64 and aarch64")
endif()

# A test that has not ended by then hangs, which is all that a TIMEOUT of ours says: a machine that is slow, busy or both must never reach it. Seconds.
set(TARE_HANGS 1200)
if(CMAKE_CROSSCOMPILING AND NOT TARE_PLATFORM STREQUAL "win32" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^i[3-6]86$")
  set(TARE_HANGS 10800) # an emulator takes 20 to 50 times as long
endif()
set(TARE_HANGS_BUILDING 5400) # of tests that compile much

# Warnings, floating point and sanitizers of one target. Programs without a C library set their flags themselves.
function(tare_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wvla -Wundef -Wpointer-arith -Wcast-qual -Wwrite-strings -ffp-contract=off)
  if(TARE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^i[3-6]86$") # the x87 rounds twice, so that figures would differ from those of other processors
    target_compile_options(${target} PRIVATE -msse2 -mfpmath=sse)
  endif()
  target_compile_definitions(${target} PRIVATE $<$<STREQUAL:${TARE_PLATFORM},linux>:_GNU_SOURCE>
    $<$<STREQUAL:${TARE_PLATFORM},win32>:_WIN32_WINNT=0x0A00>)
  # What is installed names no folder of the machine that built it: asserts and debug information say where in the tree.
  target_compile_options(${target} PRIVATE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
  if(TARE_SANITIZE)
    set(sanitizers -fsanitize=${TARE_SANITIZE} -fno-sanitize-recover=all)
    target_compile_options(${target} PRIVATE ${sanitizers} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE ${sanitizers})
  endif()
  if(TARE_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

function(tare_include target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/base)
  foreach(dep IN LISTS ARGN)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/${dep})
    if(dep STREQUAL "plat") # cpu.h is a part of that interface, and so are the names of clocks
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/plat/cpu ${PROJECT_SOURCE_DIR}/src/plat/${TARE_PLATFORM}/names)
    endif()
  endforeach()
endfunction()

function(tare_module name)
  cmake_parse_arguments(M "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_library(tare_${name} STATIC ${M_SOURCES})
  tare_flags(tare_${name})
  target_include_directories(tare_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  tare_include(tare_${name} ${M_DEPS})
  target_link_libraries(tare_${name} PRIVATE ${M_LIBS})
  if(TARE_ONE_FILE AND name MATCHES "^(cli|store|fleet|check|render|export)(_|$)") # what is not timed
    target_compile_options(tare_${name} PRIVATE -Os)
  endif()
endfunction()

# tare_embed(LIST name file): a file as the array `name` with name_bytes, in a source that LIST gets. Without a file the array is empty.
set(TARE_EMBED ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
function(tare_embed list name file)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.c)
  add_custom_command(OUTPUT ${out} COMMAND ${CMAKE_COMMAND} -DIN=${file} -DNAME=${name} -DOUT=${out} -P ${TARE_EMBED} DEPENDS ${file} ${TARE_EMBED} VERBATIM)
  set(${list} ${${list}} ${out} PARENT_SCOPE)
endfunction()

# Sources of this folder that are seldom run and are a part of libtare, which people link into programs of their own: small rather than fast. Never a
# file with something between two readings of a clock.
function(tare_small)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-Os>)
endfunction()

# Sources of this folder in which no code of the user's is ever below on the stack, so that no exception passes through them: without the tables by which
# it would, which are a tenth of what libtare adds to a program. Debuggers have those of -g.
function(tare_no_unwinding)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-fno-asynchronous-unwind-tables>
    $<$<NOT:$<CONFIG:Debug>>:-fno-unwind-tables>)
endfunction()

# tare_program(tare PLAT linux SOURCES main.c MODULES record stats ...): an executable over modules and one platform ("" = none).
# Linked as a group, so that the order of MODULES does not matter. What must stand together in the program goes into FIRST: these modules, and behind them what they
# need of platform and base.
function(tare_program name)
  cmake_parse_arguments(P "" "PLAT" "SOURCES;FIRST;MODULES;LIBS" ${ARGN})
  add_executable(${name} ${P_SOURCES})
  tare_flags(${name})
  tare_include(${name} ${P_FIRST} ${P_MODULES})
  set(always tare_base)
  if(P_PLAT)
    tare_include(${name} plat)
    set(always tare_plat_${P_PLAT} tare_base)
  endif()
  set(libs)
  foreach(m IN LISTS P_FIRST)
    list(APPEND libs tare_${m})
  endforeach()
  if(P_FIRST)
    list(APPEND libs ${always})
  endif()
  foreach(m IN LISTS P_MODULES)
    list(APPEND libs tare_${m})
  endforeach()
  list(APPEND libs ${always})
  list(REMOVE_DUPLICATES libs)
  list(JOIN libs "," group)
  target_link_libraries(${name} PRIVATE "$<LINK_GROUP:RESCAN,${group}>" ${P_LIBS} m)
endfunction()

# The folders of the program itself see each other, and nobody below sees them.
function(tare_cli_include target)
  foreach(folder "" options words run bench clock leak stored rerun system trace history gate fleet)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cli/${folder})
  endforeach()
endfunction()
