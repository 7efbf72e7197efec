/* SPDX-License-Identifier: MIT */
#include "gunzip.h"

enum tare_status gunzip(const char *bytes, size_t n, struct buf *out, struct tare_err *err)
{
    (void)bytes, (void)n, (void)out;
    return err_set(err, TARE_UNSUPPORTED,
                   "compressed with gzip, and this tare was built without zlib; show it with: gunzip -c FILE | tare show -");
}
