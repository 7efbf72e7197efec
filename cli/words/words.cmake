# SPDX-License-Identifier: MIT
# tare_words: from the command line's texts to subjects. Pure, so tests and fuzzers link it without the rest of the program.
set(words_sources words.c shell_syntax.c shell_line.c parameters.c subjects.c subject_argv.c windows_words.c)
list(TRANSFORM words_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
add_library(tare_words STATIC ${words_sources})
tare_flags(tare_words)
target_include_directories(tare_words PRIVATE ${CMAKE_CURRENT_LIST_DIR})
tare_include(tare_words record)
