# SPDX-License-Identifier: MIT
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# Debian ships the compiler per thread model; either one does, and the plain name may be missing.
find_program(TARE_MINGW_CC NAMES x86_64-w64-mingw32-gcc x86_64-w64-mingw32-gcc-win32 x86_64-w64-mingw32-gcc-posix REQUIRED)
set(CMAKE_C_COMPILER ${TARE_MINGW_CC})
set(tare_sysroot /usr/x86_64-w64-mingw32)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
# Programs need no library that does not come with Windows, and do not say when they were linked.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
set(CMAKE_SHARED_LINKER_FLAGS_INIT -Wl,--no-insert-timestamp)
