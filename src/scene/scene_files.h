/* SPDX-License-Identifier: MIT */
/* scene_files.h: the files that a scene is made of - meshes, volumes, points, every file of a
 * sequence - and whether they are still what they were when a shot read them. */
#ifndef FIRN_SCENE_FILES_H
#define FIRN_SCENE_FILES_H

#include "firn/defs.h"
#include "base/json.h"

/* Calls visit with each name of a file that the scene holds; shape: whose it is, NULL: a body's
 * points. */
void firn_scene_files_names(const firn_scene_def *scene,
                            void (*visit)(void *user, const char *name,
                                          const firn_shape_def *shape),
                            void *user);
/* Calls visit with each file of the name that there is: of a sequence all, in the order of their
 * numbers. */
void firn_scene_files_files(const char *name, void (*visit)(void *user, const char *path),
                            void *user);

/* Refuses (FIRN_MEMORY) each file that is too long to be held in memory: points longer than
 * firn_read_limits_bytes(max_memory), and with max_memory > 0 meshes longer than that. Reads no
 * byte of them; a file that does not exist is left to its reader. */
firn_status firn_scene_files_check_lengths(const firn_scene_def *scene, size_t max_memory,
                                           firn_messages *messages);

/* An array with an object a name: {"name", "files": [{"file", "bytes", "checksum"}, ...]}, all
 * paths from the root as in the scene that a manifest holds. Files that cannot be read are left
 * out: whoever reads them for the scene says so. */
firn_status firn_scene_files_write(const firn_scene_def *scene, firn_json_writer *json,
                                   firn_messages *messages);
/* Two such arrays. Warns of each file that differs and adds it to `changes`, an array: {"file",
 * "what", "bytes", "checksum"}. Of names that stand in one of the two alone the edits of the
 * scene tell. Returns how many differ. */
int firn_scene_files_compare(const firn_json_node *before, const firn_json_node *now,
                             firn_json_writer *changes, firn_messages *messages);

#endif
