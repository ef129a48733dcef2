/* SPDX-License-Identifier: MIT */
/* resume_rules.h: settings of a scene that a resumed shot cannot change, with the reason. All others
 * can be changed. */
#ifndef FIRN_RESUME_RULES_H
#define FIRN_RESUME_RULES_H

#include "firn/base.h"

/* Two scenes as firn_scene_write writes them, before and after the edits. FIRN_REFUSED and a
 * message for each change that is not possible. */
firn_status firn_resume_rules_check(const char *before, size_t n_before, const char *after,
                                    size_t n_after, firn_messages *messages);
/* The same for a setting like "materials.snow.law=sand", before it is applied. */
firn_status firn_resume_rules_check_setting(const char *before, size_t n_before,
                                            const char *setting, firn_messages *messages);

#endif
