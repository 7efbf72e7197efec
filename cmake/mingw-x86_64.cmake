# SPDX-License-Identifier: MIT
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# Debian ships the compiler per thread model; either one does, and the plain name may be missing.
find_program(TARE_MINGW_CC NAMES x86_64-w64-mingw32-gcc x86_64-w64-mingw32-gcc-win32 x86_64-w64-mingw32-gcc-posix REQUIRED)
set(CMAKE_C_COMPILER ${TARE_MINGW_CC})
# Libraries of others, as tools/windows_libraries.sh puts them there. Without them tare.exe reads no records.
set(TARE_WINDOWS_LIBRARIES "" CACHE PATH "Folder with cJSON and zlib for Windows")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TARE_WINDOWS_LIBRARIES) # which read this file again, in this process, with its environment
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${TARE_WINDOWS_LIBRARIES})
set(prefix ${TARE_WINDOWS_LIBRARIES})
if(NOT prefix)
  set(prefix /usr/x86_64-w64-mingw32) # never this machine's own
endif()
set(ENV{PKG_CONFIG_LIBDIR} ${prefix}/lib/pkgconfig:${prefix}/share/pkgconfig)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# Programs need no library that does not come with Windows.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
