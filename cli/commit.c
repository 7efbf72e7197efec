/* SPDX-License-Identifier: MIT */
#include "commit.h" /* of the build, cmake/commit.cmake */
#include "cli.h"

const char cli_commit[] = TARE_COMMIT;
