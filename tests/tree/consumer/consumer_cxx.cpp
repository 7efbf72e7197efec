// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>
#include <tare/clock.h>
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
    tare_bracket bracket;
    TARE_START(bracket);
    TARE_STOP(bracket);
    tare_clock_info info;
    tare_clock_describe(&info);
    tare_elapsed elapsed;
    tare_bracket_elapsed(&bracket, &elapsed);
    if (!(info.hz > 0) || elapsed.gross_ticks < 0) {
        std::printf("expected a clock that runs, got %s at %g Hz, %lld ticks\n", info.name, info.hz, (long long)elapsed.gross_ticks);
        return 1;
    }
    return 0;
}
