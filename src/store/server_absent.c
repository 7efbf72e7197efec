/* SPDX-License-Identifier: MIT
 *
 * In place of server_libpq.c: none can be opened, so there is nothing else to do.
 */
#include "server.h"

static enum tare_status absent(struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED, "this tare was built without libpq, so it keeps histories in folders only");
}

enum tare_status history_check_url(const char *url, struct tare_err *err)
{
    (void)url;
    return absent(err);
}

enum tare_status server_open(struct server **out, const char *url, enum server_use use, struct tare_err *err)
{
    (void)out, (void)url, (void)use;
    return absent(err);
}

void server_close(struct server *s)
{
    (void)s;
}

enum tare_status server_forked(struct server **s, const char *url, struct tare_err *err)
{
    (void)s, (void)url;
    return absent(err);
}

enum tare_status server_files(struct server *s, const struct index_visit *visit, struct tare_err *err)
{
    (void)s, (void)visit;
    return absent(err);
}

enum tare_status server_each_series(struct server *s, const struct index_visit *visit, struct tare_err *err)
{
    (void)s, (void)visit;
    return absent(err);
}

enum tare_status server_points(struct server *s, int64_t series, const struct indexed_point **items, int *n, struct tare_err *err)
{
    (void)s, (void)series, (void)items, (void)n;
    return absent(err);
}

enum tare_status server_values(struct server *s, int64_t file, int64_t measured_utc_ns, int64_t place, double **values, int *n,
                               double *step, struct tare_err *err)
{
    (void)s, (void)file, (void)measured_utc_ns, (void)place, (void)values, (void)n, (void)step;
    return absent(err);
}

enum tare_status server_add(struct server *s, const struct buf *text, const char *old, char id[HISTORY_ID_BYTES], bool *added,
                            struct tare_err *err)
{
    (void)s, (void)text, (void)old, (void)id, (void)added;
    return absent(err);
}
