// SPDX-License-Identifier: MIT

package sample

const work = 1000
