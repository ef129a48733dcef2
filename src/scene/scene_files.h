/* SPDX-License-Identifier: MIT */
/* scene_files.h: the input files of a scene (meshes, volumes, points, every file of a sequence):
 * names, lengths, checksums, and what has changed since a shot read them. */
#ifndef FIRN_SCENE_FILES_H
#define FIRN_SCENE_FILES_H

#include "firn/defs.h"
#include "base/json.h"

/* Refuses (FIRN_MEMORY) each file that is too long to be held in memory: points longer than
 * firn_read_limits_bytes(max_memory), and with max_memory > 0 meshes longer than that. Reads no
 * byte of them; a file that does not exist is left to its reader. */
firn_status firn_scene_files_check_lengths(const firn_scene_def *scene, size_t max_memory,
                                           firn_messages *messages);

/* After errors: for each file that one of them names, the place in the scene that reads it. */
void firn_scene_files_explain(const firn_scene_def *scene, firn_messages *messages);

/* An array with one object per name: {"name", "files": [{"file", "bytes", "checksum"}, ...]}, paths
 * absolute as in the manifest. Unreadable files are left out; their reader reports them. */
firn_status firn_scene_files_write(const firn_scene_def *scene, firn_json_writer *json,
                                   firn_messages *messages);
/* Two such arrays. Warns of each file that differs and adds it to `changes`, an array: {"file",
 * "what", "bytes", "checksum"}. Names in one of the two alone are edits of the scene. Returns the
 * number of files that differ. */
int firn_scene_files_compare(const firn_json_node *before, const firn_json_node *now,
                             firn_json_writer *changes, firn_messages *messages);

#endif
