/* SPDX-License-Identifier: MIT */
#include <tare/status.h>

const char *tare_status_text(enum tare_status status)
{
    switch (status) {
#define X(name, value, text) \
    case TARE_##name:        \
        return text;
        TARE_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *tare_status_name(enum tare_status status)
{
    switch (status) {
#define X(name, value, text) \
    case TARE_##name:        \
        return #name;
        TARE_STATUS_LIST(X)
#undef X
    }
    return "UNKNOWN";
}
