/* SPDX-License-Identifier: MIT */
#ifndef PADDING_H
#define PADDING_H
#include "buf.h"
#include <stdint.h>
struct padding { const char **env; char iteration[64]; int n; };
enum tare_status padding_init(struct padding *p, const char *const *base, uint64_t seed, struct tare_err *err);
enum tare_status padding_add(struct padding *p, const char *const *argv, struct tare_err *err);
enum tare_status padding_round(struct padding *p, int round, bool warmup, struct tare_err *err);
const char *const *padding_environment(const struct padding *p, int command);
void padding_finish(struct padding *p);
#endif
