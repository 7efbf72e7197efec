/* SPDX-License-Identifier: MIT
 *
 * The cases register themselves; cases.tsv says what is expected of each. */
#include <tare/tare.h>

TARE_MAIN()
