/* SPDX-License-Identifier: MIT
 *
 * A plan of tare fleet that somebody gave us: it is refused, or it is the text that its own argv, nodes, blocks and seed make, and small enough to be held.
 * A class: it is refused, or what is written of it is read as the same.
 */
#include "fleet_class.h"
#include "require.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct fleet_plan p;
    struct tare_err err;
    if (!fleet_plan_read(&p, (const char *)data, size, &a, &err)) {
        struct buf again = BUF_INIT(1 << 26);
        require(p.nodes >= FLEET_NODES_LEAST && p.nodes <= FLEET_NODES_MOST && p.blocks >= 1 && p.blocks <= FLEET_BLOCKS_MOST,
                "its size is allowed", "");
        require(!p.argv[p.argc] && strlen(p.id) == FLEET_ID_BYTES - 1, "it is complete", "");
        fleet_plan_put(&p, &again);
        require(again.len == size && !memcmp(again.data, data, size), "it is written as it was read", "");
        buf_finish(&again);
    }
    struct fleet_class c, same;
    if (!fleet_class_read(&c, (const char *)data, size, &a, &err)) {
        struct buf first = BUF_INIT(1 << 26), second = BUF_INIT(1 << 26);
        require(c.n >= 0 && c.n <= FLEET_NODES_MOST, "its size is allowed", "");
        fleet_class_put(&c, &first);
        require(!fleet_class_read(&same, buf_text(&first), first.len, &a, &err), "what is written can be read", err.text);
        fleet_class_put(&same, &second);
        require(first.len == second.len && !memcmp(first.data, second.data, first.len), "and is the same", "");
        buf_finish(&first);
        buf_finish(&second);
    }
    arena_finish(&a);
    return 0;
}
