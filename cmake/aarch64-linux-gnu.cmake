# SPDX-License-Identifier: MIT
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(tare_sysroot /usr/aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
