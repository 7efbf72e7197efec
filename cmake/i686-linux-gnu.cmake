# SPDX-License-Identifier: MIT
# libtare alone, for 32 bits. This machine runs its programs itself; static, as it has no loader for them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(tare_sysroot /usr/i686-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
