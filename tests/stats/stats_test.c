/* SPDX-License-Identifier: MIT */
#include "stats_test.h"

int main(void)
{
    return reference_tests() + strd_tests() + walsh_tests() + series_tests() + edge_tests() + property_tests() +
           two_variables_tests() + anytime_tests() + levels_tests() + nodes_tests() + rates_tests() + shift_function_tests();
}
