/* SPDX-License-Identifier: MIT
 *
 * exporters.h - declares what exporters.def lists, for the files that define it and the one that registers it.
 */
#ifndef EXPORTERS_H
#define EXPORTERS_H

#include "export.h"

#define EXPORTER(name, id, help, detail) extern const struct exporter exporter_##name;
#include "exporters.def"
#undef EXPORTER

#endif
