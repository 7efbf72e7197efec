/* SPDX-License-Identifier: MIT
 *
 * In builds without expat. */
#include "taint_report.h"

bool taint_xml_known(void)
{
    return false;
}

enum tare_status taint_xml_read(const char *bytes, size_t n, struct arena *arena, struct taint_report *out, struct tare_err *err)
{
    (void)bytes, (void)n, (void)arena;
    *out = (struct taint_report){.tool = "memcheck"};
    return err_set(err, TARE_UNSUPPORTED,
                   "this tare was built without expat, which reads valgrind's reports (Debian: libexpat1-dev)");
}
