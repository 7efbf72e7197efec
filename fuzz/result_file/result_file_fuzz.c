/* SPDX-License-Identifier: MIT
 *
 * A file with results is read, or a message says why not; each name in it has frames that can be read, and the list has them all.
 */
#include "require.h"
#include "result_file.h"
#include "wire.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check_frames(struct buf *frames)
{
    struct wire_reader reader = {frames->data, frames->len, 0};
    struct wire_frame f;
    int benchmarks = 0;
    enum tare_status status;
    while ((status = wire_next(&reader, &f, NULL)) == TARE_OK)
        benchmarks += f.type == WIRE_BENCH;
    require(frames->len > 0 && status != TARE_FORMAT, "frames cannot be read", "");
    buf_clear(frames);
    return benchmarks;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct result_file s = {.format = 0};
    struct buf frames = BUF_INIT(64 << 20), others = BUF_INIT(1 << 20);
    struct tare_err err;
    const char *name;
    int n = 0;
    char *text = malloc(size + 1);
    require(text != NULL, "no memory", "");
    memcpy(text, data, size);
    text[size] = 0;
    require(!result_file_take(&s, "r", text, size, &err), "no memory", "");
    const bool listed = !result_file_list(&s, &frames, &err);
    const int in_list = listed ? check_frames(&frames) : 0;
    buf_clear(&frames);
    for (int at = 0; (name = result_file_next(&s, &at)); n++) {
        if (!listed)
            continue;
        require(!result_file_frames(&s, name, NULL, 0, &frames, &err), "no result", name);
        check_frames(&frames);
    }
    require(!listed || n == in_list, "the list lacks a name", "");
    result_file_say_others(&s, &others);
    result_file_finish(&s);
    free(text);
    buf_finish(&frames);
    buf_finish(&others);
    return 0;
}
