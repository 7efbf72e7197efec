/* SPDX-License-Identifier: MIT
 *
 * A report of any bytes, as XML and as text: what is read is whole texts, and the counts of the places are at most those of the report. */
#include "require.h"
#include "taint_report.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct taint_report *r)
{
    int64_t sum = 0, all = 0;
    struct buf b = BUF_INIT(1 << 20);
    for (int i = 0; i < r->n_places; i++) {
        require(r->places[i].kind < TAINT_KINDS && r->places[i].n_frames <= TAINT_FRAMES, "a place out of its range", "");
        taint_put_frame(&b, &r->places[i].at);
        sum += r->places[i].count;
    }
    for (int i = 0; i < TAINT_KINDS; i++)
        all += r->count[i];
    require(r->crowded || sum == all, "counts do not add up", "");
    buf_finish(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct taint_report r;
    taint_xml_read((const char *)data, size, &a, &r, NULL);
    check(&r);
    require(taint_msan_read((const char *)data, size, &a, &r, NULL) == TARE_OK, "text was refused", "");
    check(&r);
    arena_finish(&a);
    return 0;
}
