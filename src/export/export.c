/* SPDX-License-Identifier: MIT */
#include "export.h"
#include "arcs_export.h"
#include "events_export.h"
#include "export_kind.h"
#include "exporters.h"
#include "medians.h"
#include <string.h>

static const struct exporter *const exporters[] = {
#define EXPORTER(name, id, help, detail) &exporter_##name,
#include "exporters.def"
#undef EXPORTER
};

const struct exporter *exporter_at(int index)
{
    return index >= 0 && index < (int)(sizeof exporters / sizeof *exporters) ? exporters[index] : NULL;
}

const struct exporter *exporter_find(const char *name)
{
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters; i++)
        if (!strcmp(exporters[i]->name, name))
            return exporters[i];
    return NULL;
}

enum tare_status exporter_write(const struct exporter *x, const struct record *r, const struct export_options *o,
                                const struct sink *sink, struct tare_err *err)
{
    return x->arcs      ? arcs_write(r, o, sink, err, x->arcs)
           : x->events  ? events_write(r, o, sink, err, x->spans, x->events)
           : x->medians ? medians_write(r, o, sink, err, x->medians)
           : x->markup  ? table_write(x->markup, r, o, sink, err)
                        : x->write(r, o, sink, err);
}
