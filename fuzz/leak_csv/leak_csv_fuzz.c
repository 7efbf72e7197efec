/* SPDX-License-Identifier: MIT
 *
 * Any text as a file with times: what is taken comes out as whole blocks in frames that wire.h reads again, each class once in each.
 */
#include "leak_csv.h"
#include "require.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t blocks_in(const struct buf *bytes, int labels)
{
    struct wire_reader reader = {bytes->data, bytes->len, 0};
    struct wire_frame f;
    int64_t n = 0;
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type != WIRE_BLOCKS)
            continue;
        const struct wire_blocks *b = &f.u.blocks;
        require((int)b->k == (b->kind == WIRE_MAIN ? labels : 2), "leak_csv", "");
        n += b->kind == WIRE_MAIN ? b->n : 0;
        for (uint32_t i = 0; i < b->n; i++) {
            uint32_t seen = 0;
            for (uint32_t c = 0; c < b->k; c++)
                seen |= 1u << b->classes[i * b->k + c];
            require(seen == (1u << b->k) - 1, "leak_csv", "");
        }
    }
    require(reader.at == reader.size, "leak_csv", "");
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct leak_csv csv;
    struct tare_err err = {0};
    if (leak_csv_read(&csv, (const char *)data, size, 1, &err)) {
        require(err.text[0] != 0, "leak_csv", "");
        return 0;
    }
    int64_t blocks = csv.n_blocks, n = 0;
    struct buf bytes = BUF_INIT(1 << 26);
    require(csv.n_labels >= 2 && blocks > 0 && csv.left_over >= 0 && csv.left_over + blocks * csv.n_labels == csv.n, "leak_csv",
            "");
    while (leak_csv_next(&csv, "file", n ? 1 : 0, &bytes)) {
        require(!bytes.status, "leak_csv", "");
        n += blocks_in(&bytes, csv.n_labels);
        buf_clear(&bytes);
    }
    require(n == blocks, "leak_csv", "");
    buf_finish(&bytes);
    leak_csv_finish(&csv);
    return 0;
}
