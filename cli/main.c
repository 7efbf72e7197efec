/* SPDX-License-Identifier: MIT */
#include "cli.h"
#include "plat.h"

int main(int argc, char **argv)
{
    plat_arguments(&argc, &argv);
    return cli_main(argc, argv);
}
