/* SPDX-License-Identifier: MIT
 *
 * tare/status.h - what can go wrong, as values.
 *
 * A call that can fail in the world returns `enum tare_status`: 0 is good, negative is bad. Where a
 * sentence helps, the call also takes a `struct tare_err *`, owned by the caller, which may be NULL;
 * it is written only on failure. The layer that fails says what; each layer above may put where in front.
 * There is no hidden last error. All calls here are pure and may be made from any thread.
 */
#ifndef TARE_STATUS_H
#define TARE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* One list gives code, name and text: ENTRY(name, value, text). */
#define TARE_STATUS_LIST(ENTRY)                    \
    ENTRY(OK, 0, "ok")                             \
    ENTRY(INVALID, -1, "invalid argument")         \
    ENTRY(NO_MEMORY, -2, "out of memory")          \
    ENTRY(IO, -3, "input or output failed")        \
    ENTRY(NOT_FOUND, -4, "not found")              \
    ENTRY(PERMISSION, -5, "permission denied")     \
    ENTRY(UNSUPPORTED, -6, "not supported here")   \
    ENTRY(TOO_FEW, -7, "too few values")           \
    ENTRY(TOO_LARGE, -8, "over a limit")           \
    ENTRY(TRUNCATED, -9, "ends too early")         \
    ENTRY(FORMAT, -10, "not in the expected form") \
    ENTRY(VERSION, -11, "made by a newer version") \
    ENTRY(INTERRUPTED, -12, "interrupted")         \
    ENTRY(BUSY, -13, "in use by another")          \
    ENTRY(CHILD, -14, "the measured program failed")

enum tare_status {
#define TARE_STATUS_CODE(name, value, text) TARE_##name = value,
    TARE_STATUS_LIST(TARE_STATUS_CODE)
};

/* Room for one sentence, always ended by a zero byte. */
struct tare_err {
    char text[512];
};

/* An option struct (tare_bench, tare_leak, tare_trace_options) with the size that this header gives it, so that a later libtare knows which fields
 * the program has; the others are 0, which is the default of each. TARE_BENCH and TARE_LEAK use it themselves.
 *     struct tare_trace_options o = TARE_INIT(struct tare_trace_options, .folder = "/tmp", .mode = TARE_TRACE_EVENTS);
 *     tare_trace_options o = TARE_INIT(tare_trace_options);      // C++: an expression; fields are set afterwards */
#ifdef __cplusplus
#define TARE_INIT(type)                \
    [] {                               \
        type tare_it = {};             \
        tare_it.size = sizeof tare_it; \
        return tare_it;                \
    }()
#else
#define TARE_INIT(type, ...)              \
    {                                     \
        .size = sizeof(type), __VA_ARGS__ \
    }
#endif

/* The fixed English text of a status, never NULL; "unknown status" for a foreign number. */
const char *tare_status_text(enum tare_status status);
/* Its name without prefix ("NOT_FOUND"), never NULL. */
const char *tare_status_name(enum tare_status status);

#ifdef __cplusplus
}
#endif
#endif
