/* SPDX-License-Identifier: MIT */
#include "export.h"
#include "exporters.h"
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
