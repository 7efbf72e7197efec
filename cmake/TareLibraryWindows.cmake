# SPDX-License-Identifier: MIT
# libtare for programs of Windows, made as TareLibrary.cmake makes it: an archive, and a DLL with its import library. Instead of memory of threads, which a
# DLL cannot give others, points find what is a thread's by a slot of the system's (tare/detail/point_hit.h).
include(CMakePackageConfigHelpers)

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
  DEPENDS ${targets} ${exports} ${PROJECT_SOURCE_DIR}/tools/make_archive.sh VERBATIM)
add_custom_target(tare_archive ALL DEPENDS ${archive})

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exports})
file(STRINGS ${exports} names REGEX "^tare_")
list(REMOVE_ITEM names tare_trace_thread)
list(TRANSFORM names REPLACE "^(tare_trace_control|tare_point_iterations)$" "\\1 DATA")
list(JOIN names "\n  " lines)
set(definition ${CMAKE_CURRENT_BINARY_DIR}/tare.def)
file(WRITE ${definition} "EXPORTS\n  ${lines}\n")
set(object ${CMAKE_CURRENT_BINARY_DIR}/libtare.obj)
add_custom_command(OUTPUT ${object}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object} -Wl,--whole-archive ${archives} -Wl,--no-whole-archive
  DEPENDS ${targets} VERBATIM)
add_library(tare_shared SHARED ${object} ${definition})
set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set_target_properties(tare_shared PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME tare RUNTIME_OUTPUT_NAME tare-${PROJECT_VERSION_MAJOR})
target_link_options(tare_shared PRIVATE -static) # nothing of the compiler's beside it

# libsampler, likewise: the archive holds the members of libtare too, so that -lsampler is all that a program needs; the DLL has libtare's beside it.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/libsampler.exports sampler_names REGEX "^sampler_")
set(sampler_exports ${CMAKE_CURRENT_BINARY_DIR}/libsampler.exports)
file(READ ${exports} all_names)
list(JOIN sampler_names "\n" sampler_lines)
file(WRITE ${sampler_exports} "${all_names}${sampler_lines}\n")
set(sampler_archive ${CMAKE_CURRENT_BINARY_DIR}/libsampler.a)
add_custom_command(OUTPUT ${sampler_archive}
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_archive.sh ${sampler_archive} ${sampler_exports} ${CMAKE_NM} ${CMAKE_OBJCOPY} ${CMAKE_AR}
    $<TARGET_FILE:tare_sampler> ${archives}
  DEPENDS tare_sampler ${targets} ${sampler_exports} ${PROJECT_SOURCE_DIR}/tools/make_archive.sh VERBATIM)
add_custom_target(sampler_archive ALL DEPENDS ${sampler_archive})
set(sampler_definition ${CMAKE_CURRENT_BINARY_DIR}/sampler.def)
list(JOIN sampler_names "\n  " sampler_lines)
file(WRITE ${sampler_definition} "EXPORTS\n  ${sampler_lines}\n")
add_library(sampler_shared SHARED $<TARGET_OBJECTS:tare_sampler> ${sampler_definition})
set_target_properties(sampler_shared PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME sampler RUNTIME_OUTPUT_NAME sampler-${PROJECT_VERSION_MAJOR})
target_link_libraries(sampler_shared PRIVATE tare_shared tare_plat_inside_win32 tare_base)
target_link_options(sampler_shared PRIVATE -static)

install(FILES ${archive} ${sampler_archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS tare_shared sampler_shared RUNTIME COMPONENT library ARCHIVE COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tare DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/include/sampler.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tareConfigWindows.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tareConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tareConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tareConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tareConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
set(pc_rpath "")
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tare.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tare.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tare.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
configure_file(${PROJECT_SOURCE_DIR}/cmake/sampler.pc.in ${CMAKE_CURRENT_BINARY_DIR}/sampler.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sampler.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
