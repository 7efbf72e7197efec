/* SPDX-License-Identifier: MIT
 *
 * machine NAME FOLDER: lays out tests/system/trees/NAME.tree as files in a new FOLDER, for tare system ... --sysroot FOLDER. */
#include "../system/machine_tree.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char manifest[4096];
    if (argc != 3)
        return 2;
    snprintf(manifest, sizeof manifest, "%s/%s.tree", TREES_DIR, argv[1]);
    setenv("TMPDIR", ".", 1); /* on the file system of FOLDER */
    char *made = tree_make(manifest);
    if (rename(made, argv[2])) {
        perror(argv[2]);
        tree_remove(made);
        return 1;
    }
    free(made);
    return 0;
}
