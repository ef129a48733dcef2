/* SPDX-License-Identifier: MIT */
/* points.c: the particle table that stands between the solver and everything outside it (see
 * points.h).
 *
 * Storage is one plain array an attribute, [n][n_components], so that a format can write a
 * column as it lies and a solver can fill one without knowing about the others. Index attributes
 * hold ints into a table of strings; the table grows by doubling, and its capacity is implied by
 * its length (the next power of two, at least 4), so that the public struct needs no extra
 * member. */
#include "points/points.h"
#include "base/memory.h"

#include <string.h>

/* 4096 components cover every tensor and history field there is, and keep n * n_components far
 * from overflow. */
enum { ROOM_MIN = 4 };

static int room_for(int n)
{
    int room = ROOM_MIN;
    while (room < n) room *= 2;
    return room;
}

firn_points *firn_points_create(int64_t n)
{
    if (n < 0) return NULL;
    firn_points *points = firn_memory_allocate(NULL, sizeof *points);
    if (points) points->n = n;
    return points;
}

static size_t data_bytes(const firn_attribute *attribute, int64_t n)
{
    return (size_t)n * (size_t)attribute->n_components * 4;
}

static void clear_attribute(firn_attribute *attribute, int64_t n)
{
    firn_memory_release(NULL, attribute->data.f, data_bytes(attribute, n));
    for (int i = 0; i < attribute->n_strings; i++)
        firn_memory_release(NULL, attribute->strings[i], strlen(attribute->strings[i]) + 1);
    firn_memory_release(NULL, attribute->strings,
                        (size_t)room_for(attribute->n_strings) * sizeof(char *));
}

static void destroy_list(firn_attribute *list, int n_list, int64_t n)
{
    for (int i = 0; i < n_list; i++) clear_attribute(&list[i], n);
    firn_memory_release(NULL, list, (size_t)room_for(n_list) * sizeof *list);
}

void firn_points_destroy(firn_points *points)
{
    if (!points) return;
    destroy_list(points->attributes, points->n_attributes, points->n);
    destroy_list(points->details, points->n_details, 1);
    firn_memory_release(NULL, points, sizeof *points);
}

static const firn_attribute *find(const firn_attribute *list, int n_list, const char *name)
{
    for (int i = 0; i < n_list; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

/* Appends to one of the two lists; nothing has changed when NULL is returned. */
static firn_attribute *add(firn_attribute **list, int *n_list, int64_t n, const char *name,
                           firn_attribute_type type, int n_components)
{
    firn_attribute made = {.type = type, .n_components = n_components};
    size_t n_name = strlen(name);
    if (n_name == 0 || n_name >= sizeof made.name || find(*list, *n_list, name)) return NULL;
    if (n_components < 1 || n_components > FIRN_POINTS_COMPONENTS_MAX) return NULL;
    if (type == FIRN_ATTRIBUTE_VECTOR && n_components != 3) return NULL;
    memcpy(made.name, name, n_name + 1);

    made.data.f = firn_memory_array(NULL, (size_t)n, (size_t)n_components * 4);
    if (!made.data.f) return NULL;
    if (!*list || *n_list == room_for(*n_list)) {
        firn_attribute *grown =
            firn_memory_array(NULL, (size_t)room_for(*n_list + 1), sizeof *grown);
        if (!grown) {
            firn_memory_release(NULL, made.data.f, data_bytes(&made, n));
            return NULL;
        }
        if (*list) memcpy(grown, *list, (size_t)*n_list * sizeof *grown);
        firn_memory_release(NULL, *list, (size_t)room_for(*n_list) * sizeof *grown);
        *list = grown;
    }
    (*list)[*n_list] = made;
    return &(*list)[(*n_list)++];
}

firn_attribute *firn_points_add(firn_points *points, const char *name, firn_attribute_type type,
                                int n_components)
{
    return add(&points->attributes, &points->n_attributes, points->n, name, type, n_components);
}

firn_attribute *firn_points_add_detail(firn_points *points, const char *name,
                                       firn_attribute_type type, int n_components)
{
    return add(&points->details, &points->n_details, 1, name, type, n_components);
}

const firn_attribute *firn_points_find(const firn_points *points, const char *name)
{
    return find(points->attributes, points->n_attributes, name);
}

const firn_attribute *firn_points_find_detail(const firn_points *points, const char *name)
{
    return find(points->details, points->n_details, name);
}

int firn_attribute_intern(firn_attribute *attribute, const char *string)
{
    for (int i = 0; i < attribute->n_strings; i++)
        if (strcmp(attribute->strings[i], string) == 0) return i;
    return firn_attribute_append(attribute, string);
}

int firn_attribute_append(firn_attribute *attribute, const char *string)
{
    int n = attribute->n_strings;
    if (!attribute->strings || n == room_for(n)) {
        char **grown = firn_memory_array(NULL, (size_t)room_for(n + 1), sizeof *grown);
        if (!grown) return -1;
        if (n > 0) memcpy(grown, attribute->strings, (size_t)n * sizeof *grown);
        firn_memory_release(NULL, attribute->strings, (size_t)room_for(n) * sizeof *grown);
        attribute->strings = grown;
    }
    char *copy = firn_memory_string(NULL, string);
    if (!copy) return -1;
    attribute->strings[n] = copy;
    return attribute->n_strings++;
}

static size_t list_bytes(const firn_attribute *list, int n_list, int64_t n)
{
    size_t bytes = list ? (size_t)room_for(n_list) * sizeof *list : 0;
    for (int i = 0; i < n_list; i++) {
        bytes += data_bytes(&list[i], n);
        if (list[i].strings) bytes += (size_t)room_for(list[i].n_strings) * sizeof(char *);
        for (int s = 0; s < list[i].n_strings; s++) bytes += strlen(list[i].strings[s]) + 1;
    }
    return bytes;
}

void firn_attribute_tame(firn_attribute *attribute, int64_t n, const char *path,
                         firn_messages *messages)
{
    int64_t n_bad = 0;
    if (attribute->type != FIRN_ATTRIBUTE_INDEX) return;
    for (int64_t i = 0; i < n * attribute->n_components; i++) {
        int32_t *index = &attribute->data.i[i];
        if (*index >= -1 && *index < attribute->n_strings) continue;
        *index = -1;
        n_bad++;
    }
    if (n_bad)
        firn_messages_warn(
            messages, "%s: %lld values of '%s' point outside its string table and are set to none",
            path, (long long)n_bad, attribute->name);
}

/* Attribute `from` to `to`: records `which`, or with NULL the first n. Floats and ints are both four
 * bytes. */
static int copy_attribute(const firn_attribute *from, int64_t n, const int64_t *which,
                          firn_attribute *to)
{
    size_t record = (size_t)from->n_components * sizeof(float);
    const char *source = (const char *)from->data.f;
    char *target = (char *)to->data.f;
    for (int64_t k = 0; k < n; k++)
        memcpy(target + (size_t)k * record, source + (size_t)(which ? which[k] : k) * record,
               record);
    for (int k = 0; k < from->n_strings; k++)
        if (firn_attribute_append(to, from->strings[k]) < 0) return 0;
    return 1;
}

firn_points *firn_points_subset(const firn_points *points, int64_t n, const int64_t *which)
{
    firn_points *subset = firn_points_create(n);
    int good = subset != NULL;
    for (int k = 0; k < points->n_attributes && good; k++) {
        const firn_attribute *a = &points->attributes[k];
        firn_attribute *b = firn_points_add(subset, a->name, a->type, a->n_components);
        good = b && copy_attribute(a, n, which, b);
    }
    for (int k = 0; k < points->n_details && good; k++) {
        const firn_attribute *a = &points->details[k];
        firn_attribute *b = firn_points_add_detail(subset, a->name, a->type, a->n_components);
        good = b && copy_attribute(a, 1, NULL, b);
    }
    if (good) return subset;
    firn_points_destroy(subset);
    return NULL;
}

size_t firn_points_bytes(const firn_points *points)
{
    return sizeof *points + list_bytes(points->attributes, points->n_attributes, points->n) +
           list_bytes(points->details, points->n_details, 1);
}
