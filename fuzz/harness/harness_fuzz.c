/* SPDX-License-Identifier: MIT
 *
 * What a program of another harness prints is a list or a result of it, or a message; and always frames that can be read. The bits of the first
 * byte say which harness (1, 4), and whether it is a list (2).
 */
#include "harness.h"
#include "require.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const benchmarks[] = {"a", "BenchmarkA", "a/b", "a"};

static void check_frames(const struct buf *frames)
{
    struct wire_reader reader = {frames->data, frames->len, 0};
    struct wire_frame f;
    int n = 0;
    enum tare_status status;
    while ((status = wire_next(&reader, &f, NULL)) == TARE_OK)
        n++;
    require(n > 0 && status != TARE_FORMAT, "frames cannot be read", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf frames = BUF_INIT(64 << 20), last = BUF_INIT(1 << 16);
    struct tare_err err;
    if (!size)
        return 0;
    const int which = (data[0] & 1) + (data[0] & 4) / 2;
    const struct harness *h = harness_at(which);
    struct harness_words words = {.harness = h, .samples = 1, .release = "", .home = "no such folder", .own_samples = 1};
    char *text = malloc(size);
    require(text != NULL, "no memory", "");
    memcpy(text, data + 1, size - 1);
    if (data[0] & 2) {
        if (!harness_list(h, text, size - 1, &frames, &err))
            check_frames(&frames);
        harness_last_listed(h, text, size - 1, &last);
    } else {
        require(!harness_result(&words, benchmarks[which], text, size - 1, &frames, &err), "no result", err.text);
        check_frames(&frames);
    }
    free(text);
    buf_finish(&frames);
    buf_finish(&last);
    return 0;
}
