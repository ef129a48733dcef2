/* SPDX-License-Identifier: MIT */
/* material_text.h: what `firn materials` prints, made from the tables of the laws. */
#ifndef FIRN_MATERIALS_TEXT_H
#define FIRN_MATERIALS_TEXT_H

#include "firn/laws.h"
#include "base/text.h"

/* Every law with its title and the names of its presets. */
void firn_materials_text_list(firn_text *text);

/* All that is known of a law, or of the law of a preset (its settings first). Refused with the
 * nearest known name when there is neither. */
firn_status firn_materials_text_describe(const char *name, firn_text *text,
                                         firn_messages *messages);

/* Every preset as a material of a scene's `materials:`, each parameter written out with its unit.
 */
firn_status firn_materials_text_yaml(firn_text *text, firn_messages *messages);

/* The names of all laws and presets, separated by blanks. */
void firn_materials_text_names(firn_text *text);

#endif
