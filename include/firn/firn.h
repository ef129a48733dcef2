/* SPDX-License-Identifier: MIT */
/* firn: a particle/grid (Material Point Method) solver for snow, dough, sand, wax and everything
 * that yields. This header includes the whole interface; read base.h, defs.h, sim.h, laws.h in this
 * order, like a manual. */
#ifndef FIRN_H
#define FIRN_H
#include "firn/base.h"
#include "firn/defs.h"
#include "firn/sim.h"
#include "firn/laws.h"
#endif
