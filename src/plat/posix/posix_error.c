/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <string.h>

enum tare_status posix_status(int error)
{
    switch (error) {
    case 0:
        return TARE_OK;
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return TARE_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return TARE_PERMISSION;
    case ENOMEM:
    case EMFILE:
    case ENFILE: /* as with memory: nothing is said of the file, and the next one fails too */
        return TARE_NO_MEMORY;
    case EINVAL:
        return TARE_INVALID;
    case ENOSYS:
    case EOPNOTSUPP:
        return TARE_UNSUPPORTED;
    case E2BIG:
    case EAGAIN:
        return TARE_TOO_LARGE;
    case EINTR:
        return TARE_INTERRUPTED;
    case EBUSY:
        return TARE_BUSY;
    default:
        return TARE_IO;
    }
}

const char *plat_errno_text(int error)
{
#ifdef __GLIBC__
    const char *text = strerrordesc_np(error); /* unlike strerror: no locale, no static buffer */
#else
    const char *text = strerror(error); /* musl's has neither */
#endif
    return text ? text : "unknown error";
}

enum tare_status posix_fail(struct tare_err *err, int error, const char *format, ...)
{
    if (!err)
        return posix_status(error);
    struct buf b = err_room(err);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    buf_format(&b, ": %s", plat_errno_text(error));
    return posix_status(error);
}

enum tare_status posix_pin_refused(int cpu, struct tare_err *err)
{
    char path[64], text[16];
    struct buf name = buf_over(path, sizeof path), state = buf_over(text, sizeof text);
    buf_format(&name, "/sys/devices/system/cpu/cpu%d/online", cpu);
    if (!plat_file_read(path, &state, NULL) && buf_text(&state)[0] == '0')
        return err_set(err, TARE_INVALID,
                       "cannot run on CPU %d: it is offline; /sys/devices/system/cpu/online lists those that are not", cpu);
    return err_set(err, TARE_INVALID,
                   "cannot run on CPU %d: there is no such CPU, or it is not allowed to us (taskset -p $$ shows those that are)",
                   cpu);
}
