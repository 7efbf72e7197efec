# SPDX-License-Identifier: MIT
# libtare: the modules that live in measured programs, as one archive and one shared library for others.
#
# Inside, names across files are `module_verb`; a program that links libtare must not meet them. For the shared library the modules are first
# linked into one object, in which only the names of src/libtare.exports stay global. The archive has a member for each source, so
# that a program gets what it needs and no more; there the other names are put behind tare__ (tools/make_archive.sh).
# tools/check_exports.sh holds the list against the public headers and against what the libraries really export.
include(CMakePackageConfigHelpers)

set(parts base stats plat_inside_${TARE_PLATFORM} clock noise probe)
set(archives)
set(bound) # before it is called: the loader's search takes more stack than a handler of signals may have, mostly for the registers of AVX-512
if(TARE_CPU STREQUAL "x86_64")
  set(bound -fno-plt)
endif()
foreach(part IN LISTS parts)
  set_property(TARGET tare_${part} PROPERTY POSITION_INDEPENDENT_CODE ON)
  target_compile_options(tare_${part} PRIVATE ${bound} -fno-semantic-interposition -ffunction-sections -fdata-sections) # for --gc-sections
  list(APPEND archives $<TARGET_FILE:tare_${part}>)
  list(APPEND targets tare_${part})
endforeach()

set(exports ${CMAKE_CURRENT_SOURCE_DIR}/libtare.exports)
set(object ${CMAKE_CURRENT_BINARY_DIR}/libtare.o)
set(groups)
if(TARE_CPU STREQUAL "other") # i686 has functions in groups, of which a program keeps one, perhaps another's, while ours become local
  set(groups -Wl,--force-group-allocation)
endif()
add_custom_command(OUTPUT ${object}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib ${groups} -o ${object}.all -Wl,--whole-archive ${archives} -Wl,--no-whole-archive
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${exports} ${object}.all ${object}
  DEPENDS ${targets} ${exports} VERBATIM)
add_custom_target(tare_object DEPENDS ${object})

add_library(tare_static STATIC ${object})
add_library(tare_shared SHARED ${object})
foreach(library tare_static tare_shared)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME tare)
  add_dependencies(${library} tare_object)
endforeach()
set_target_properties(tare_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(tare_shared PRIVATE m)
add_custom_command(TARGET tare_static POST_BUILD
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_archive.sh $<TARGET_FILE:tare_static> ${exports} ${CMAKE_NM} ${CMAKE_OBJCOPY} ${CMAKE_AR} ${archives}
  VERBATIM)
# nodelete: threads that passed points come back into the library when they end.
target_link_options(tare_shared PRIVATE -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,nodelete)

# libsampler: SAMPLER v2's points over libtare. The archive holds the members of libtare too, and what SAMPLER's points take of them needs no libm, so -lsampler
# or its path is all that a program needs, wherever it is started. The shared library, for those who name it, finds libtare's beside itself.
set(sampler_exports ${CMAKE_CURRENT_BINARY_DIR}/libsampler.exports)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exports} ${CMAKE_CURRENT_SOURCE_DIR}/libsampler.exports)
file(READ ${exports} names)
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/libsampler.exports sampler_names)
file(WRITE ${sampler_exports} "${names}${sampler_names}")
set_property(TARGET tare_sampler PROPERTY POSITION_INDEPENDENT_CODE ON)
target_compile_options(tare_sampler PRIVATE ${bound})
set(sampler_object ${CMAKE_CURRENT_BINARY_DIR}/libsampler.o)
add_custom_command(OUTPUT ${sampler_object}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib ${groups} -o ${sampler_object}.all -Wl,--whole-archive $<TARGET_FILE:tare_sampler> -Wl,--no-whole-archive
    $<TARGET_FILE:tare_plat_inside_${TARE_PLATFORM}> $<TARGET_FILE:tare_base>
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${sampler_exports} ${sampler_object}.all ${sampler_object}
  DEPENDS tare_sampler ${targets} ${sampler_exports} VERBATIM)
add_custom_target(sampler_object DEPENDS ${sampler_object})
add_library(sampler_static STATIC ${sampler_object})
add_library(sampler_shared SHARED ${sampler_object})
foreach(library sampler_static sampler_shared)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME sampler)
  add_dependencies(${library} sampler_object)
endforeach()
add_custom_command(TARGET sampler_static POST_BUILD
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make_archive.sh $<TARGET_FILE:sampler_static> ${sampler_exports} ${CMAKE_NM} ${CMAKE_OBJCOPY} ${CMAKE_AR}
    $<TARGET_FILE:tare_sampler> ${archives}
  VERBATIM)
set_target_properties(sampler_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH $ORIGIN)
target_link_libraries(sampler_shared PRIVATE tare_shared)
target_link_options(sampler_shared PRIVATE -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,nodelete)
install(TARGETS tare_static tare_shared sampler_static
  ARCHIVE COMPONENT development
  LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS sampler_shared LIBRARY COMPONENT library NAMELINK_SKIP)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tare DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/sampler-repeat DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/include/sampler.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tareConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tareConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tareConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tareConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tareConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# A program that is built with what pkg-config says starts from any prefix: where the loader does not search, the path is in the program.
set(pc_rpath "-Wl,-rpath,\${libdir} ")
if(CMAKE_INSTALL_PREFIX MATCHES "^/(usr)?$")
  set(pc_rpath "")
endif()
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tare.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tare.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tare.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
configure_file(${PROJECT_SOURCE_DIR}/cmake/sampler.pc.in ${CMAKE_CURRENT_BINARY_DIR}/sampler.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sampler.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
