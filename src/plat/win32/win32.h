/* SPDX-License-Identifier: MIT
 *
 * win32.h - what the files of this platform share below plat.h. Never included outside src/plat/win32.
 *
 *     HANDLE h = win32_open(path, GENERIC_READ, OPEN_EXISTING);
 *     if (h == INVALID_HANDLE_VALUE)
 *         return win32_fail(err, GetLastError(), "cannot open %s", path);   // "cannot open x: The system cannot find ..."
 *
 * Everywhere else texts are UTF-8 and paths may have either slash. The error numbers of plat.h are those of GetLastError here. Descriptors are the C
 * library's, each over one handle that children do not inherit; nothing of the C library is used on them but their numbers.
 */
#ifndef WIN32_H
#define WIN32_H

#include "plat.h"
#include "plat_clock.h"
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#ifndef ERROR_ELEVATION_REQUIRED
#define ERROR_ELEVATION_REQUIRED 740
#endif

/* ---- errors ---- */

/* The status that fits an error: ERROR_FILE_NOT_FOUND is NOT_FOUND ... else IO. */
enum tare_status win32_status(DWORD error);
/* Sets err to the formatted text, ": " and the system's words for `error`; returns win32_status(error). */
BUF_FORMATS(3, 4) enum tare_status win32_fail(struct tare_err *err, DWORD error, const char *format, ...);

/* ---- text ---- */

/* On the heap; NULL: no memory, or no UTF-8. */
wchar_t *wide_of(const char *text);
/* A path as the calls of the system take it, also one beyond 260 characters. On the heap; NULL with the error set. */
wchar_t *wide_path(const char *path);
/* From the root on, without the prefix that long ones need. On the heap; NULL: it has none, or no memory. */
wchar_t *wide_full(const char *path);
void utf8_add(struct buf *out, const wchar_t *text);
/* How many of n bytes, at most `most`, so that no character is cut; `most` where that is not possible. */
size_t utf8_piece(const char *text, size_t n, size_t most);

/* ---- handles and descriptors ---- */

/* Others may read, write, rename and delete it meanwhile. INVALID_HANDLE_VALUE with the error set. */
HANDLE win32_open(const char *path, DWORD access, DWORD creation);
HANDLE win32_open_shared(const char *path, DWORD access, DWORD share, DWORD creation, DWORD flags);
bool win32_make_folder(const char *path, SECURITY_ATTRIBUTES *rights); /* true too when it is there; false with the error set */
enum tare_status win32_make_folders_above(const char *path, struct tare_err *err);
HANDLE win32_handle(int fd);
int win32_descriptor(HANDLE h); /* owns it from now on, also on failure: -1 with the error set */
/* 0, or the error. Whole. */
DWORD win32_write(HANDLE h, const void *bytes, size_t n);
/* 0, or the error; ERROR_HANDLE_EOF where it ends too early. */
DWORD win32_read_at(int fd, int64_t offset, char *at, size_t n);
/* From where it stands to its end; `name` is for the message. */
enum tare_status win32_pour(HANDLE h, const char *name, const struct sink *sink, struct tare_err *err);
/* Unless it is NULL or INVALID_HANDLE_VALUE, which it is afterwards. */
void win32_close(HANDLE *h);

/* ---- rights ---- */

/* For CreateFile, CreateDirectory and their like: for our user, the system and administrators, what is made within inherits it. NULL, which gives what is usual
 * there: this system does not say who we are. Not ours to free. */
SECURITY_ATTRIBUTES *win32_private(void);
/* The same for what processes of our user share, with the rights of an administrator or without. */
SECURITY_ATTRIBUTES *win32_private_at_any_level(void);
/* Why we do not act by what lies there; NULL: it is ours, or an administrator's, and nobody else may write it. */
const char *win32_distrust(const char *path);

/* ---- the console ---- */

void console_restore(void); /* as it was before plat_keep_standard_streams */

/* ---- time ---- */

/* Until the time is over or the handle, where there is one, is signalled; as finely as the system can. */
void win32_wait(int64_t ns, HANDLE also);
void win32_wait_finish(void); /* at the end of a thread of ours: what waiting keeps for it */
/* Until one of the n handles is signalled, whose place is returned as WaitForMultipleObjects does, or the time is over (WAIT_TIMEOUT); < 0: for ever. */
DWORD win32_wait_any(const HANDLE *handles, DWORD n, int64_t ns);
enum { SIGNAL_INTERRUPT = 2 };
/* Of keys that end a session: *before is 0 until the first. The same within 0.1 s is the same one, delivered twice. */
bool control_is_first(int64_t *before, int number, int64_t now_ns);
bool control_is_same(const int64_t *before, int number, int64_t now_ns);
BOOL WINAPI signal_control(DWORD control); /* what the system calls in a thread of its own at Ctrl-C and its like */
HANDLE signal_event(void);                 /* signalled from the moment that plat_signal is not 0; NULL: nobody watches */

/* ---- facts ---- */

/* The system's answer to what the other parts of tare ask by the names under which Linux has it: "/sys/devices/system/cpu/online". False: Windows has
 * no such fact, or it is not read yet. */
bool facts_read(const char *path, struct buf *out);
bool windows_product(struct buf *out); /* "Windows 11 24H2" */

/* What src/system changes or looks at (settings.c), by paths. */
bool setting_is(const char *path);
enum tare_status setting_read(const char *path, struct buf *out, struct tare_err *err);
extern void (*win32_closing)(int fd); /* called before a descriptor is closed; NULL: nobody cares */

/* ---- processes ---- */

/* False: it is certain that no process of this number and beginning (plat_process_began; -1: not known) lives. */
bool win32_may_live(int id, int64_t began);

int win32_parent(int id);            /* -1: not told */
int64_t win32_began(HANDLE process); /* in units of 100 ns; -1: not told */

/* The words of our command line in UTF-8, as the C library's rules divide it; closed by NULL. Made once, never freed. NULL: no memory. */
char **win32_arguments(int *n);

bool win32_own_folder(struct buf *out); /* appended: where our program is */
/* The next folder of a list as PATH has it, from *at on, which may be NULL; false: there is none. */
bool win32_next_folder(const char **at, struct buf *folder);

/* In the environment of a guard: the handle of the process whose end it waits for. */
#define GUARD_VARIABLE "TARE_GUARDS"

/* ---- calls that not every Windows has ---- */

/* To be cast to the type that it has. NULL where there is none. `library`: "ntdll.dll". */
typedef void win32_any(void);
win32_any *win32_call(const char *library, const char *name);

#endif
