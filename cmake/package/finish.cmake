# SPDX-License-Identifier: MIT
# Run by cpack over the staged files of each package, before they are packed: what Debian's policy asks for beyond `cmake --install`.
# Licence and changes get their places and names, manual pages and changes are compressed (without the time, so that the same
# sources give the same package).
function(compress)
  execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, where it is set
set(packages program:tare library:libtare0 development:libtare-dev)
foreach(pair IN LISTS packages)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  if(NOT EXISTS ${root})
    message(FATAL_ERROR "nothing is staged in ${root}")
  endif()
  set(doc ${root}/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/copyright ${doc}/copyright)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md ${doc}/changelog)
  file(WRITE ${doc}/changelog.Debian "tare (${version}) bookworm; urgency=medium\n\n"
    "  * Built from the sources of tare; what changed in them is in changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  compress(${doc}/changelog ${doc}/changelog.Debian)
  file(GLOB pages ${root}/share/man/man*/*.[0-9])
  if(pages)
    compress(${pages})
  endif()
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides)
    file(MAKE_DIRECTORY ${root}/share/lintian/overrides)
    file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides ${root}/share/lintian/overrides/${package})
  endif()
endforeach()
set(doc ${CPACK_TEMPORARY_DIRECTORY}/program/usr/share/doc/tare)
file(REMOVE ${doc}/LICENSE ${doc}/CHANGELOG.md) # copyright and changelog.gz
# whatever the umask of who builds
file(GLOB_RECURSE staged LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(path IN LISTS staged)
  if(IS_DIRECTORY ${path})
    file(CHMOD ${path} PERMISSIONS ${CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
  elseif(path MATCHES "/share/" AND NOT IS_SYMLINK ${path})
    file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
endforeach()
