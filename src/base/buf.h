/* SPDX-License-Identifier: MIT
 *
 * buf.h - text that grows up to a cap, and the only number formatter of the tree.
 *
 *     struct buf b = BUF_INIT(1 << 20);          // grows on the heap, at most 1 MiB
 *     buf_format(&b, "%s took %.3f ms\n", name, ms);
 *     write(fd, b.data, b.len);
 *     buf_finish(&b);
 *
 * The first failure (no memory, cap reached) stays in `status`; later calls then do nothing, so a long
 * composition is checked once, at its end. `data` always ends in a zero byte once anything was added.
 * Output never depends on the locale. No stdio.
 * Ownership: the struct owns its heap memory; over a caller's array (buf_over) it owns nothing.
 */
#ifndef BUF_H
#define BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

/* Lets the compiler check the arguments of a function with a format as buf_format has it. clang knows gnu_printf as printf. */
#ifdef __clang__
#define BUF_FORMATS(format_place, first) __attribute__((format(printf, format_place, first)))
#else
#define BUF_FORMATS(format_place, first) __attribute__((format(gnu_printf, format_place, first)))
#endif

struct buf {
    char *data; /* NULL until something is added */
    size_t len; /* bytes without the closing zero */
    size_t size, cap;
    size_t longest; /* buf_format shortens longer strings of %s in their middle; 0: never */
    bool fixed;
    enum tare_status status;
};

#define BUF_INIT(max_bytes) ((struct buf){.cap = (max_bytes)})

/* Uses the caller's array; text past its end is cut and status becomes TARE_TOO_LARGE. */
struct buf buf_over(char *array, size_t size);
void buf_finish(struct buf *b);
void buf_clear(struct buf *b); /* length 0, memory kept, status cleared */

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_str(struct buf *b, const char *text);
void buf_char(struct buf *b, char c);
void buf_repeat(struct buf *b, char c, int times);

/* A subset of printf: %s %.*s %.Ns %c %d %u %x with l, ll, z, t, j; %.Nf %.*f (correctly rounded, half to even, exact);
 * %g is the shortest decimal that reads back to the same double, %.Ng rounds that to N digits; widths and '-' '0' '+' for all of them.
 * Infinity and NaN print as "inf", "-inf", "nan". */
BUF_FORMATS(2, 3) void buf_format(struct buf *b, const char *format, ...);
void buf_vformat(struct buf *b, const char *format, va_list ap);
/* One text into an array, cut where it does not fit. */
BUF_FORMATS(3, 4) void buf_print(char *array, size_t size, const char *format, ...);

/* The end of a counted noun: buf_format(b, "%d run%s", n, buf_plural(n)). "" for 1, else "s". */
const char *buf_plural(long long n);

/* The text, never NULL. */
const char *buf_text(const struct buf *b);

/* The text of err as a buffer. Names of any length leave room for what is said about them. */
struct buf err_room(struct tare_err *err);
/* Sets err (may be NULL) from a format; returns status, so that `return err_set(err, TARE_IO, ...)` reads well. */
BUF_FORMATS(3, 4) enum tare_status err_set(struct tare_err *err, enum tare_status status, const char *format, ...);
enum tare_status err_no_memory(struct tare_err *err); /* NO_MEMORY, "out of memory" */
/* Puts "where: " before the text that is there. */
void err_prefix(struct tare_err *err, const char *where);

#endif
