/* SPDX-License-Identifier: MIT
 *
 * A small parser: lines of `name = number`, comments and empty lines, as in many settings files.
 *
 * A parser branches on its input, and a branch predictor learns a short input by heart when it is read again and again: the loop then measures a
 * processor that knows the file already. `lines` shows how much that is; trust the long ones for a file that is read once. What one
 * iteration reads is given in bytes, so that the table has a rate which can be held against others.
 */
#include <stdio.h>
#include <string.h>
#include <tare/tare.h>

struct parsed {
    int settings, comments, errors;
    int64_t sum; /* of all numbers: something that depends on every byte that matters */
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const char *skip_name(const char *at, const char *end)
{
    while (at < end && ((*at >= 'a' && *at <= 'z') || *at == '_'))
        at++;
    return at;
}

/* Up to 18 digits, so that it cannot overflow. NULL: no number. */
static const char *read_number(const char *at, const char *end, int64_t *number)
{
    const char *first = at;
    int64_t n = 0;
    while (at < end && *at >= '0' && *at <= '9' && at - first < 18)
        n = n * 10 + (*at++ - '0');
    *number = n;
    return at == first ? NULL : at;
}

/* `name = number`, nothing behind it. */
static bool read_setting(const char *at, const char *end, int64_t *number)
{
    const char *name = at;
    at = skip_name(at, end);
    if (at == name)
        return false;
    at = skip_blanks(at, end);
    if (at == end || *at++ != '=')
        return false;
    at = read_number(skip_blanks(at, end), end, number);
    return at && skip_blanks(at, end) == end;
}

static void read_line(struct parsed *p, const char *at, const char *end)
{
    int64_t number;
    at = skip_blanks(at, end);
    if (at == end)
        return;
    if (*at == '#') {
        p->comments++;
    } else if (read_setting(at, end, &number)) {
        p->settings++;
        p->sum += number;
    } else {
        p->errors++;
    }
}

static struct parsed parse(const char *text, size_t n)
{
    struct parsed p = {0};
    const char *end = text + n;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        if (!line_end)
            line_end = end;
        read_line(&p, text, line_end);
        text = line_end + 1;
    }
    return p;
}

enum { LINE = 48 };

/* Every fourth line is a comment. Returns the length, and the sum that is to be found. */
static size_t write_settings(char *text, int lines, uint64_t seed, int64_t *sum)
{
    static const char *const names[] = {"width", "height", "depth_of_field", "x", "retries", "timeout_ms", "port"};
    size_t n = 0;
    for (int i = 0; i < lines; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int number = (int)(seed >> 33) >> (seed >> 16 & 31); /* of one digit to ten */
        if (i % 4 == 3) {
            n += (size_t)snprintf(text + n, LINE, "# line %d\n", i);
        } else {
            n += (size_t)snprintf(text + n, LINE, "%s = %d\n", names[(seed >> 40) % 7], number);
            *sum += number;
        }
    }
    return n;
}

TARE_BENCH(parse_settings, .args = TARE_NAMED("lines", 10, 100, 1000, 10000), .complexity = true)
{
    int lines = (int)tare_arg(st, 0);
    char *text = tare_alloc(st, (size_t)lines * LINE);
    if (!text)
        return;
    int64_t sum = 0;
    size_t n = write_settings(text, lines, tare_seed(st), &sum);
    struct parsed p;
    TARE_LOOP(st)
    {
        p = parse(tare_opaque(text), n);
        tare_use_mem(&p, sizeof p);
    }
    p = parse(text, n);
    tare_check(st, p.sum == sum && p.errors == 0);
    tare_bytes(st, (double)n);
    tare_items(st, (double)lines);
}

TARE_MAIN()
