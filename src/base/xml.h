/* SPDX-License-Identifier: MIT */
/* xml.h: the tags of an XML text one after the other, without a tree and without copies: as much of
 * XML as files of numbers use. Comments, <?...?> and <!...> are skipped; text between tags is found
 * by the places of the tags. */
#ifndef FIRN_XML_H
#define FIRN_XML_H

#include <stddef.h>

typedef struct firn_xml_tag {
    const char *begin, *end; /* from < to after > */
    const char *name;
    size_t n_name;
    int is_closing, is_empty; /* </name> <name/> */
} firn_xml_tag;

typedef enum firn_xml_step { FIRN_XML_TAG, FIRN_XML_END, FIRN_XML_CUT } firn_xml_step;

/* The next tag of [*at, end); moves *at to its end. CUT: the text ends within a tag. A zero must
 * follow the text. */
firn_xml_step firn_xml_next(const char **at, const char *end, firn_xml_tag *tag);
int firn_xml_is(const firn_xml_tag *tag, const char *name);
/* The value of an attribute, its entities replaced. 0, and an empty value: it is not there, or is
 * longer than n_value - 1. */
int firn_xml_attribute(const firn_xml_tag *tag, const char *name, char *value, size_t n_value);

#endif
