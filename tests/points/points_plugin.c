/* SPDX-License-Identifier: MIT
 *
 * A shared object with points that is loaded and unloaded while the program runs. */
#include <tare/point.h>

void points_plugin_work(int n);

void points_plugin_work(int n)
{
    TARE_SCOPE("plugin");
    for (int i = 0; i < n; i++)
        TARE_POINT_VALUE("in plugin", i);
}
