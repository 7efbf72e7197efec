# SPDX-License-Identifier: MIT
# The rows of the glossary (docs/glossary.md) as lines TERM("name", "meaning.") for the compiler: cmake -DPAGE=... -DOUT=... -P glossary.cmake
# The text is changed as one string, never as a list: it may hold semicolons and brackets.
file(READ ${PAGE} text)
string(REGEX REPLACE "^.*\n\\|---\\|---\\|\n" "" text "${text}")
string(REGEX REPLACE "\\[([^]]*)\\]\\([^)]*\\)" "\\1" text "${text}")
string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" text "${text}")
string(REPLACE "`" "'" text "${text}")
string(REGEX REPLACE "\\| ([^|\n]+) \\| ([^\n]+) \\|\n" "TERM(\"\\1\", \"\\2.\")\n" text "${text}")
file(WRITE ${OUT} "${text}")
