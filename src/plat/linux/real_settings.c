/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "plat_setting.h"
#include "posix.h"

enum tare_status plat_directory_list(const char *path, struct buf *names, int *n, struct tare_err *err)
{
    return posix_directory_list(path, names, n, err);
}

enum tare_status plat_setting_write(const char *path, const char *text, enum plat_setting_mode mode, int *error,
                                    struct tare_err *err)
{
    return posix_setting_write(path, text, mode, error, err);
}

enum tare_status plat_setting_hold(const char *path, const char *text, int *fd, int *error, struct tare_err *err)
{
    return posix_setting_hold(path, text, fd, error, err);
}

bool plat_setting_there(const char *path)
{
    return posix_setting_there(path);
}

bool plat_setting_read_only(const char *path)
{
    return posix_setting_read_only(path);
}

enum tare_status plat_setting_folder_make(const char *path, int *error, struct tare_err *err)
{
    return posix_setting_folder_make(path, error, err);
}

enum tare_status plat_setting_folder_remove(const char *path, int *error, struct tare_err *err)
{
    return posix_setting_folder_remove(path, error, err);
}
