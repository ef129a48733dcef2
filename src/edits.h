/* edits.h: what a resumed shot may not change, and why. Everything else may. */
#ifndef FIRN_EDITS_H
#define FIRN_EDITS_H

#include "firn/base.h"

/* Two scenes as firn_scene_write gives them: before and after the edits. FIRN_REFUSED and a sentence for each change
 * that cannot be. */
firn_status firn_edits_check(const char *before, size_t n_before, const char *after, size_t n_after,
                             firn_report *report);

#endif
