# SPDX-License-Identifier: MIT
# Which commit is built, as a header that changes only with it: cmake -DSOURCE=... -DOUT=... -P commit.cmake. A source archive says it in
# commit.txt, a clone is asked; where neither knows, it is empty.
file(STRINGS ${SOURCE}/cmake/commit.txt commit LIMIT_COUNT 1)
if(commit MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${commit} 0 12 commit)
else()
  set(commit)
  if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -C ${SOURCE} describe --always --exclude=* --abbrev=12 "--dirty=, changed"
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(text "#define TARE_COMMIT \"${commit}\"\n")
set(before)
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} "${text}")
endif()
