# SPDX-License-Identifier: MIT
# libtare for programs of Windows: its archive, made as TareLibrary.cmake makes it. Not all that it promises is there yet (src/plat/win32/not_yet.c);
# brackets of tare/clock.h and the statistics are.
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/libtare.exports)
set(archive ${CMAKE_CURRENT_BINARY_DIR}/libtare.a)
set(targets)
set(archives)
foreach(part IN ITEMS base stats plat_inside_win32 clock noise probe)
  target_compile_options(tare_${part} PRIVATE -ffunction-sections -fdata-sections)
  list(APPEND archives $<TARGET_FILE:tare_${part}>)
  list(APPEND targets tare_${part})
endforeach()
add_custom_command(OUTPUT ${archive}
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_archive.sh ${archive} ${exports} ${CMAKE_NM} ${CMAKE_OBJCOPY} ${CMAKE_AR} ${archives}
  DEPENDS ${targets} ${exports} VERBATIM)
add_custom_target(tare_archive ALL DEPENDS ${archive})
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
