/* SPDX-License-Identifier: MIT
 *
 * record_read.h where the JSON library is not to be had: records are written, not read.
 */
#include "stored_read.h"

enum tare_status record_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err)
{
    (void)text, (void)n;
    *r = (struct record){.arena = {0}};
    *reading = (struct record_reading){.notes = BUF_INIT(1)};
    return err_set(err, TARE_UNSUPPORTED, "this tare was built without cJSON and cannot read records");
}

enum tare_status stored_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err)
{
    return record_read(r, text, n, reading, err);
}

void record_reading_finish(struct record_reading *reading)
{
    buf_finish(&reading->notes);
}
