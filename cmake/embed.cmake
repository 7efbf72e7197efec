# SPDX-License-Identifier: MIT
# A file as a C array: cmake -DIN=... -DOUT=... -DNAME=... -P embed.cmake. Without IN the array is empty.
set(hex)
if(IN)
  file(READ ${IN} hex HEX)
endif()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
string(LENGTH "${hex}" digits)
math(EXPR n "${digits} / 2")
file(WRITE ${OUT} "const unsigned char ${NAME}[] = {\n${bytes}0};\nconst unsigned long ${NAME}_bytes = ${n};\n")
