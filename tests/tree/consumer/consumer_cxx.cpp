// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>
#include <tare/stats.h>
#include <tare/status.h>
#include <vector>

int main()
{
    const std::string name = tare_status_name(TARE_NO_MEMORY);
    if (name != "NO_MEMORY") {
        std::printf("expected NO_MEMORY, got %s\n", name.c_str());
        return 1;
    }
    const std::vector<double> values = {1, 2, 6};
    if (tare_mean(values.data(), 3) != 3) {
        std::printf("expected 3, got %g\n", tare_mean(values.data(), 3));
        return 1;
    }
    return 0;
}
