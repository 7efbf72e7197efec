/* SPDX-License-Identifier: MIT
 *
 * plat_setting.h - the system's settings, which are files of its kernel: a value is one write, and what is refused has a number.
 *
 *     int error;
 *     if (plat_setting_write("/proc/sys/kernel/numa_balancing", "0", &error, &err))
 *         ... error: EPERM, EROFS, EBUSY ...
 *
 * Nothing is flushed, renamed or written aside: see plat_file_create for files of ours. *error is 0 on success.
 */
#ifndef PLAT_SETTING_H
#define PLAT_SETTING_H

#include <stdbool.h>
#include <tare/status.h>

enum plat_setting_mode {
    PLAT_SETTING_THERE,
    /* An ordinary file, of a tree that stands for a machine. It is made where it is not there, in a folder that is, and holds the old value or the new one
     * whenever we are killed; behind a shorter one there may then be blanks, or empty lines where it ends in one. */
    PLAT_SETTING_COPIED
};

/* One open and one write of the whole text. IO with *error 0: the kernel took only a part. */
enum tare_status plat_setting_write(const char *path, const char *text, enum plat_setting_mode mode, int *error,
                                    struct tare_err *err);
/* The same, and *fd stays open: what was asked for holds until plat_close. */
enum tare_status plat_setting_hold(const char *path, const char *text, int *fd, int *error, struct tare_err *err);
bool plat_setting_there(const char *path);     /* a file or a folder */
bool plat_setting_read_only(const char *path); /* there, and its mode lets nobody write */
/* An empty folder, and the end of one that holds no folder. */
enum tare_status plat_setting_folder_make(const char *path, int *error, struct tare_err *err);
enum tare_status plat_setting_folder_remove(const char *path, int *error, struct tare_err *err);

#endif
