/* SPDX-License-Identifier: MIT
 *
 * machine_tree.h - the files of other machines, as one text each, laid out as real files for a test.
 *
 *     char *folder = tree_make(TESTS_DIR "/trees/laptop.tree");      // fails the test when it cannot
 *     struct system_root root = {.path = folder};
 *     ...
 *     tree_remove(folder);
 *
 * A line is a path, a tab and the file's content, to which a newline is added. In the content \n is a newline, \t a tab, \e nothing at all (and no newline
 * behind it). A path that ends in "/" is an empty folder. "!path" may be written by nobody. "<name" takes in the tree of that name first; lines of the same path
 * then win. "-path" takes a file or folder of the tree before away. "path@<tab>target" is a link. "{A-B}" in a path stands for each number, and then {n}, {n%M} and
 * {n%M+K} in the content for what comes of it. "#" begins a comment.
 */
#ifndef MACHINE_TREE_H
#define MACHINE_TREE_H

char *tree_make(const char *manifest);
void tree_remove(char *folder); /* the text too */
/* One file more, or another content: path as the machine has it. */
void tree_put(const char *folder, const char *path, const char *content);
/* Its content; for the caller to free. NULL: not there. */
char *tree_get(const char *folder, const char *path);

#endif
