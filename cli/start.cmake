# SPDX-License-Identifier: MIT
# What makes tare start quickly: which parts of it lie together, and how its tables are linked.

# Kernels map a program in pieces of 64 KiB around what is touched. So what every command needs, and what `tare system show` does, is a library of its own, and the
# modules below it are linked behind it, before all others: half as many pieces.
set(start_sources ${sources})
list(FILTER start_sources INCLUDE REGEX "^(cli|commit|outputs|report|screen)\\.c$|^system/")
list(REMOVE_ITEM sources ${start_sources})
set(start_modules cli_options system identity noise)

# The addresses in tables of options and names as some bits each (DT_RELR), not 24 bytes: 140 kB less to read in at each start. Linker and C library
# must both know it, so it is tried.
function(tare_pack_relocations program)
  if(NOT CMAKE_CROSSCOMPILING)
    include(CheckCSourceRuns)
    include(CMakePushCheckState)
    cmake_push_check_state()
    set(packed -Wl,-z,pack-relative-relocs)
    set(CMAKE_REQUIRED_LINK_OPTIONS ${packed})
    check_c_source_runs("static const char *const words[] = {\"one\", \"two\"};
      static const char *const *volatile table = words;
      int main(void) { return table[1][0] != 't'; }" TARE_PACKED_RELOCATIONS)
    cmake_pop_check_state()
    if(TARE_PACKED_RELOCATIONS)
      target_link_options(${program} PRIVATE ${packed})
    endif()
  endif()
endfunction()
