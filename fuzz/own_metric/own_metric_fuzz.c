/* SPDX-License-Identifier: MIT
 *
 * The value of --metric and a program's output. Input: the value, cut at its first zero, then the output. A value is refused in one line or makes
 * a metric with a name and a unit; the search stays within its steps and its group within the output; a number is finite.
 */
#include "own_metric.h"
#include "require.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 2000000 };

static void search(const struct own_metric *m, const char *output, size_t n)
{
    struct pattern_group g = {0}, again = {0};
    enum pattern_result r = pattern_last(m->pattern, output, n, STEPS, &g);
    require(r == pattern_last(m->pattern, output, n, STEPS, &again), "a second search finds something else", "");
    if (r != PATTERN_FOUND || !g.start)
        return;
    require(g.start == again.start && g.n == again.n, "a second search finds another group", "");
    require(g.start >= output && g.start + g.n <= output + n, "the group lies outside", "");
    require(!memchr(g.start, '\n', g.n), "the group crosses lines", "");
    double value, step;
    require(!own_number(m, g.start, g.n, &value, &step) || (isfinite(value) && step >= 0),
            "a number that is not finite, or whose step is negative", "");
    own_scaled_behind(g.start + g.n, (size_t)(output + n - g.start) - g.n);
}

static void check(const struct own_metric *m, const char *output, size_t n)
{
    double value, step;
    require(*m->name && *m->unit && m->factor > 0 && *m->text, "a metric without name, unit, factor or text", "");
    require(!own_number(m, output, n, &value, &step) || isfinite(value), "a number that is not finite", "");
    if (m->kind == OWN_REGEX)
        search(m, output, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t head = zero ? (size_t)(zero - data) : size, skip = zero ? head + 1 : size;
    const char *value = arena_copy(&a, (const char *)data, head);
    struct own_metric m;
    struct tare_err err = {0};
    if (own_metric_is(value)) {
        char *output = malloc(size - skip + 1); /* exact: what is read past its end is seen */
        if (output && size > skip)
            memcpy(output, data + skip, size - skip);
        if (!own_metric_parse(&m, value, &a, &err))
            check(&m, output, size - skip);
        else
            require(*err.text && !strncmp(err.text, "--metric", 8), "a refusal that does not say of what", "");
        free(output);
    }
    arena_finish(&a);
    return 0;
}
