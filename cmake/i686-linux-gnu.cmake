# SPDX-License-Identifier: MIT
# libtare alone, for 32 bits. This machine runs its programs itself, with the loader of the cross compiler's C library.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(tare_sysroot /usr/i686-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${tare_sysroot}/lib/ld-linux.so.2 -Wl,--disable-new-dtags -Wl,-rpath,${tare_sysroot}/lib")
