/* SPDX-License-Identifier: MIT */
/* resume_rules.h: what a resumed shot may not change, and why. Everything else may. */
#ifndef FIRN_EDITS_H
#define FIRN_EDITS_H

#include "firn/base.h"

/* Two scenes as firn_scene_write gives them: before and after the edits. FIRN_REFUSED and a
 * sentence for each change that cannot be. */
firn_status firn_resume_rules_check(const char *before, size_t n_before, const char *after,
                                    size_t n_after, firn_messages *messages);
/* The same for a setting like "materials.snow.law=sand", before it is applied: the parameters of
 * the old law would be refused one by one, and never the law. */
firn_status firn_resume_rules_check_setting(const char *before, size_t n_before,
                                            const char *setting, firn_messages *messages);

#endif
