/* SPDX-License-Identifier: MIT */
/* help_search.h: `firn help WORD`: every place of the help that has a word. */
#ifndef FIRN_HELP_SEARCH_H
#define FIRN_HELP_SEARCH_H

#include "program/cli.h"

/* Prints what is called WORD: a section or key of a scene (with or without the names above it), a
 * law, a preset. Then one line for each other place that mentions it, or a word with its root:
 * verbs and their options, keys, laws, presets, shapes, forces, measures, attributes, formats.
 * Returns how many there are. */
int firn_help_search(FILE *out, const firn_cli_verb *const *verbs, const char *word);

#endif
