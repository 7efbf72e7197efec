/* SPDX-License-Identifier: MIT */
#include "windows_tables.h"
#include <math.h>
#include <stddef.h>

static const struct {
    uint32_t build;
    const char *client, *server; /* NULL: there was none */
} builds[] = {
    {2600, "Windows XP", NULL},
    {3790, "Windows XP x64", "Windows Server 2003"},
    {6000, "Windows Vista", NULL},
    {6001, "Windows Vista SP1", "Windows Server 2008"},
    {6002, "Windows Vista SP2", "Windows Server 2008 SP2"},
    {7600, "Windows 7", "Windows Server 2008 R2"},
    {7601, "Windows 7 SP1", "Windows Server 2008 R2 SP1"},
    {9200, "Windows 8", "Windows Server 2012"},
    {9600, "Windows 8.1", "Windows Server 2012 R2"},
    {10240, "Windows 10 1507", NULL},
    {10586, "Windows 10 1511", NULL},
    {14393, "Windows 10 1607", "Windows Server 2016"},
    {15063, "Windows 10 1703", NULL},
    {16299, "Windows 10 1709", "Windows Server 1709"},
    {17134, "Windows 10 1803", "Windows Server 1803"},
    {17763, "Windows 10 1809", "Windows Server 2019"},
    {18362, "Windows 10 1903", "Windows Server 1903"},
    {18363, "Windows 10 1909", "Windows Server 1909"},
    {19041, "Windows 10 2004", "Windows Server 2004"},
    {19042, "Windows 10 20H2", "Windows Server 20H2"},
    {19043, "Windows 10 21H1", NULL},
    {19044, "Windows 10 21H2", NULL},
    {19045, "Windows 10 22H2", NULL},
    {20348, NULL, "Windows Server 2022"},
    {22000, "Windows 11 21H2", NULL},
    {22621, "Windows 11 22H2", NULL},
    {22631, "Windows 11 23H2", NULL},
    {25398, NULL, "Windows Server 23H2"},
    {26100, "Windows 11 24H2", "Windows Server 2025"},
    {26200, "Windows 11 25H2", NULL},
    {26300, "Windows 11 26H2", NULL},
    {28000, "Windows 11 26H1", NULL},
};

const char *windows_name(uint32_t build, bool server)
{
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (builds[i].build == build)
            return server ? builds[i].server : builds[i].client;
    return NULL;
}

const char *windows_family(uint32_t build, bool server)
{
    if (server)
        return build >= 26100 ? "Windows Server 2025 or later" : "Windows Server";
    return build >= 22000 ? "Windows 11 or later" : build >= 10240 ? "Windows 10" : "Windows";
}

/* Two bits each: length (1 long, 2 short), whether the foreground gets more (1 yes, 2 no), and how much; other values are what this sort of Windows
 * is made for. */
struct windows_quantum windows_quantum(uint32_t separation, bool server)
{
    static const int ticks[2][3] = {{2, 4, 6}, {4, 8, 12}}; /* short, long */
    const uint32_t length = separation >> 4 & 3, variable = separation >> 2 & 3, boost = separation & 3;
    const bool is_long = length == 1 || (length != 2 && server), varies = variable == 1 || (variable != 2 && !server);
    const int *of = ticks[is_long];
    if (!varies)
        return (struct windows_quantum){of[2], of[2]};
    return (struct windows_quantum){of[0], of[boost < 2 ? boost : 2]};
}

static bool near(double hz, double wanted)
{
    return fabs(hz / wanted - 1) < 1e-3;
}

const char *windows_counter_source(int64_t hz, double tsc_hz, const char **words)
{
    static const struct {
        double hz;
        const char *source, *words;
    } known[] = {{1e7, "tsc", "the time-stamp counter, scaled to 10 MHz"},
                 {3579545, "acpi_pm", "the timer of ACPI, 279 ns a tick"},
                 {14318180, "hpet", "the high precision event timer"},
                 {1193182, "pit", "the programmable interval timer"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (near((double)hz, known[i].hz)) {
            *words = known[i].words;
            return known[i].source;
        }
    *words = "a counter that is not known by its frequency";
    if (tsc_hz > 0 && near((double)hz, tsc_hz / 1024))
        *words = "the time-stamp counter, divided by 1024";
    else if (tsc_hz > 0 && near((double)hz, tsc_hz))
        *words = "the time-stamp counter";
    else
        return NULL;
    return "tsc";
}
