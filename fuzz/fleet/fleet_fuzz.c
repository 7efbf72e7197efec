/* SPDX-License-Identifier: MIT
 *
 * A plan of tare fleet that somebody gave us: it is refused, or it is the text that its own argv, nodes, blocks and seed make, and small enough to be held.
 */
#include "fleet_plan.h"
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
    arena_finish(&a);
    return 0;
}
