// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>
#include <tare/status.h>

int main()
{
    const std::string name = tare_status_name(TARE_NO_MEMORY);
    if (name != "NO_MEMORY") {
        std::printf("expected NO_MEMORY, got %s\n", name.c_str());
        return 1;
    }
    return 0;
}
