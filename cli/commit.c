/* SPDX-License-Identifier: MIT */
#include "cli.h"
#include "commit.h" /* of the build, cmake/commit.cmake */

const char cli_commit[] = TARE_COMMIT;
