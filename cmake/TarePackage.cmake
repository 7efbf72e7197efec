# SPDX-License-Identifier: MIT
# Debian packages by cpack: tare (the program with its manual, completions, documents and examples), libtare0 and libtare-dev.
# `./dev package` builds them, with prefix /usr; cmake/package/finish.cmake gives the files the form that Debian wants.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tare)
set(CPACK_PACKAGE_VENDOR "The tare authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own, the first line of its description
# Who builds packages answers for them; the variables are those of Debian's own tools, which take "NAME <ADDRESS>" as an address too. Without one cpack
# makes no packages.
set(address "$ENV{DEBEMAIL}")
set(maintainer ${CPACK_PACKAGE_VENDOR})
if(address MATCHES "^(.*[^ ]) *<(.*)>$")
  set(maintainer "${CMAKE_MATCH_1}")
  set(address "${CMAKE_MATCH_2}")
endif()
if(NOT "$ENV{DEBFULLNAME}" STREQUAL "")
  set(maintainer "$ENV{DEBFULLNAME}")
endif()
set(CPACK_PACKAGE_CONTACT "")
if(address)
  set(CPACK_PACKAGE_CONTACT "${maintainer} <${address}>")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(package_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(soname_package libtare${PROJECT_VERSION_MAJOR})

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tare)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "git, libpq5, libtare-dev")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "measures commands and says how far each number can be trusted
tare runs two commands or more in interleaved rounds, in random order, until
it is certain which is faster, by how much and how sure that is, or says that
it is undecided. It measures time, memory, counters of the processor and
metrics of the user's own, explains what disturbed a run, compares revisions
of a git repository, and keeps every run in a record that can be shown,
exported and repeated.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${soname_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(control ${CMAKE_CURRENT_BINARY_DIR}/package-control)
file(CONFIGURE OUTPUT ${control}/shlibs CONTENT
  "libtare ${PROJECT_VERSION_MAJOR} ${soname_package} (>= ${PROJECT_VERSION})\nlibsampler ${PROJECT_VERSION_MAJOR} ${soname_package} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "measures code from within and estimates with intervals - shared library
libtare has the statistics of tare (estimators, their intervals and tests),
its clocks and what runs inside programs that are measured.
.
This package has the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtare-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${soname_package} (= ${package_version}), libc6-dev | libc-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "measures code from within and estimates with intervals - development files
libtare has the statistics of tare (estimators, their intervals and tests),
its clocks and what runs inside programs that are measured.
.
This package has the headers, the archive, and what CMake and pkg-config need.")

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package/finish.cmake)
include(CPack)
