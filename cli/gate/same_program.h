/* SPDX-License-Identifier: MIT
 *
 * same_program.h - whether two program files, or two shared libraries, built in two folders do the same.
 *
 *     if (same_program(&(struct program_image){a, na, "/tmp/x-01"}, &(struct program_image){b, nb, "/tmp/x-02"})) ...
 *
 * Equal are those whose bytes are. Of ELF files for 64-bit machines debug information, symbols and build IDs may differ. Where one has the name of its
 * folder, the other may have that of its own. Of Windows' programs all else is equal, the time of the link too. Anything that cannot be read as such, a script too, is different.
 */
#ifndef SAME_PROGRAM_H
#define SAME_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct program_image {
    const char *bytes;
    size_t n;
    const char *folder; /* of both the same length */
};

bool same_program(const struct program_image *a, const struct program_image *b);
bool is_program(const struct program_image *p); /* or a library; no script */
bool named_as_library(const char *name);        /* libx.so, libx.so.1, plugin.so, libx.sort.so, x.dll */

/* Whether no benchmark reads the tracked file, by its path below the top: texts for people at the top or in a folder of documentation, a README anywhere.
 * Source may be the input of a benchmark, and files of the build may make one, or a helper program; measuring costs no more than time. */
bool read_by_nobody(const char *path);
/* Whether the program holds the file's name without its folders: then it may read it after all, as a parser's benchmark does. */
bool program_names(const struct program_image *p, const char *path);

#endif
