# SPDX-License-Identifier: MIT
# Part of the files for other systems: where their libraries are, never those of this machine. tare_sysroot: the C library's folder.
# Libraries of others, as tools/libraries.sh puts them there. Without them tare reads no records.
set(TARE_LIBRARIES "" CACHE PATH "Folder with cJSON and zlib for the system that is built for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TARE_LIBRARIES) # which read this file again, in this process, with its environment
set(CMAKE_FIND_ROOT_PATH ${tare_sysroot} ${TARE_LIBRARIES})
set(prefix ${TARE_LIBRARIES})
if(NOT prefix)
  set(prefix ${tare_sysroot})
endif()
set(ENV{PKG_CONFIG_LIBDIR} ${prefix}/lib/pkgconfig:${prefix}/share/pkgconfig)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
