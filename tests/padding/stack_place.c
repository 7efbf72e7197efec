/* SPDX-License-Identifier: MIT
 * Prints where its stack began: the array of its words lies right above the place the kernel gave it. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argc;
    printf("%p\n", (void *)argv);
    return 0;
}
