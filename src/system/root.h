/* SPDX-License-Identifier: MIT
 *
 * root.h - where the files of a machine's settings lie: this machine's own, or a copied tree of another one (`--sysroot DIR`).
 *
 *     struct system_root root = {.path = ""};                  // this machine; "/tmp/copy" for a tree that stands for another
 *     if (root_read(&root, "/proc/sys/kernel/randomize_va_space", &text, &err) == TARE_OK)
 *         ...
 *
 * Paths are written as the machine has them, "/sys/..." and "/proc/...". Everything that src/system reads of the machine's settings and everything that it
 * writes goes through here, so a tree of files takes the place of a machine in every respect, and a test can make the nth write fail or be the last.
 * Files are hostile: ROOT_FILE_MAX bytes at most, a text with a zero byte is none, no link of a copied tree leads out of it, and nothing there is waited for.
 */
#ifndef ROOT_H
#define ROOT_H

#include "buf.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum { ROOT_FILE_MAX = 1 << 20 };

struct system_root {
    const char *path; /* "" : this machine; else a folder as plat_directory_path gives it: absolute, no links */
    /* Called before each change of the machine, for tests: what is returned instead of TARE_OK is what the change fails with. NULL: none. */
    enum tare_status (*before_write)(void *context, const char *path, struct tare_err *err);
    void *context;
};

/* Whole text without the line end; out is cleared before. NOT_FOUND, PERMISSION, IO, FORMAT (a zero byte within; in a copied tree a pipe, a folder, a device), TOO_LARGE. */
enum tare_status root_read(const struct system_root *root, const char *path, struct buf *out, struct tare_err *err);
bool root_exists(const struct system_root *root, const char *path); /* a file or a folder */
/* NOT_FOUND: a link on the way, of what is there, leads out of a copied tree. */
enum tare_status root_check_within(const struct system_root *root, const char *path, struct tare_err *err);
/* It is there, and its mode lets nobody write: kernels say so of what is never to be changed (interrupts that they manage). */
bool root_read_only(const struct system_root *root, const char *path);
/* Names in a folder, each closed by a zero byte, sorted by their bytes. */
enum tare_status root_list(const struct system_root *root, const char *path, struct buf *names, int *n, struct tare_err *err);
/* One open and one write of the whole text, as sysfs wants it. *error: the errno of the failure, 0 when it is none of the system's. Nothing is created, but for
 * the files of a control group in a copied tree, where there is no kernel to make them; what such a tree's files hold then: copied_file_takes. */
enum tare_status root_write(const struct system_root *root, const char *path, const char *text, int *error, struct tare_err *err);
/* Takes off what a write to a copied tree left behind the value if it was killed. */
enum tare_status root_mend(const struct system_root *root, const char *path, int *error, struct tare_err *err);
/* As root_write, and *fd stays open, for what holds as long as it does; to be closed by plat_close. In a copied tree nothing is written, as nothing would take it back. */
enum tare_status root_hold(const struct system_root *root, const char *path, const char *text, int *fd, int *error,
                           struct tare_err *err);
/* A task that was written to another group's list leaves this one: of itself on a machine, by this call in a copied tree. */
enum tare_status root_task_left(const struct system_root *root, const char *path, const char *task, struct tare_err *err);
/* A control group's folder. To remove one that is not there is no failure. In a copied tree its files go with it, as the kernel's do. */
enum tare_status root_make_folder(const struct system_root *root, const char *path, int *error, struct tare_err *err);
enum tare_status root_remove_folder(const struct system_root *root, const char *path, int *error, struct tare_err *err);

#endif
