# SPDX-License-Identifier: MIT
# One static program for every Linux on x86-64: musl's C library, by Debian's musl-tools. That has no headers of the kernel; those of this machine
# are put into a folder of their own, where nothing of its C library is.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER musl-gcc)
set(tare_sysroot /usr/lib/x86_64-linux-musl)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
set(kernel ${CMAKE_BINARY_DIR}/kernel-headers)
file(MAKE_DIRECTORY ${kernel})
foreach(folder /usr/include/linux /usr/include/asm-generic /usr/include/x86_64-linux-gnu/asm)
  get_filename_component(name ${folder} NAME)
  file(CREATE_LINK ${folder} ${kernel}/${name} SYMBOLIC)
endforeach()
set(CMAKE_C_FLAGS_INIT "-idirafter ${kernel}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -no-pie")
set(TARE_ONE_FILE ON)
