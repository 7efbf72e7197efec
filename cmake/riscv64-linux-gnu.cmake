# SPDX-License-Identifier: MIT
# libtare alone.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(CMAKE_C_COMPILER riscv64-linux-gnu-gcc)
set(tare_sysroot /usr/riscv64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
