/* SPDX-License-Identifier: MIT */
/* schema_space.c: tables of scene_schema.h for maps, weak planes and vectors from files. */
#include "scene/schema_space.h"
#include "scene/schema_rows.h"

static const firn_schema_key map_options[] = {
    TEXT(firn_map_def, "name", name, "", FIRN_SCHEMA_REQUIRED,
         "Name by which materials and bodies use it."),
    TEXT(firn_map_def, "file", file, "", FIRN_SCHEMA_FILE,
         "Volume (.vdb), picture (.png), points (.bgeo, .ply, ...) or painted mesh (.ply with "
         "numbers at its vertices); empty: noise."),
    TEXT(firn_map_def, "attribute", attribute, "", 0,
         "Attribute of points or grid of a .vdb; empty: the first that holds single numbers."),
    REAL(firn_map_def, "size", size, "m", "0.05", 0, 1e9, FIRN_SCHEMA_ABOVE,
         "Size of the blotches of noise, which goes from 0 to 1."),
    INTEGER(firn_map_def, "octaves", octaves, "1", 1, 12, 0,
            "Octaves of noise, each of half the size and amount of the one before."),
    REAL(firn_map_def, "scale", scale, "1", "1", 0, 1e9, FIRN_SCHEMA_ABOVE,
         "Scale factor of a file's coordinates: 0.01 for cm, 0.001 for mm."),
    REAL(firn_map_def, "from", from, "", "0", -1e30, 1e30, 0,
         "Number of the map that stands for `low` (0 of a temperature or colour)."),
    REAL(firn_map_def, "to", to, "", "1", -1e30, 1e30, 0,
         "Number of the map that stands for `high`. Numbers beyond are held between the two."),
    REAL(firn_map_def, "center", center, "m", "0 0 0", -1e9, 1e9, 0, "Centre of a picture."),
    REAL(firn_map_def, "width", width, "m", "1", 0, 1e9, FIRN_SCHEMA_ABOVE,
         "Width of a picture; its height follows from its pixels. Outside its edge continues."),
    WORD(firn_map_def, "axis", axis, "x y z", "z",
         "Axis along which a picture is projected: along z x is to the right and y up, along x "
         "z and y, along y x and z."),
    SEED(firn_map_def, "Seed of noise, added to the scene's seed."),
};
const firn_schema_section firn_schema_maps =
    END("maps", firn_map_def, 1, 1, map_options,
        "Numbers in space: noise, volumes, pictures, points, painted meshes.");

static const firn_schema_key lumps_options[] = {
    REAL(firn_lumps_def, "size", size, "m", "0", 0, 1e9, 0,
         "Mean size of the lumps, the cells of a Voronoi diagram; 0: none."),
    REAL(firn_lumps_def, "strength", strength, "1", "0.1", 0, 1, 0,
         "Part of the strength that is left between lumps."),
    REAL(firn_lumps_def, "width", width, "m", "0", 0, 1e9, 0,
         "Width of the weak layer between lumps, up to 0.4 of their size; 0: a grid cell."),
    SEED(firn_lumps_def, "Seed of the lumps, added to the scene's seed."),
};
const firn_schema_section firn_schema_lumps =
    END("lumps", firn_lumps_def, 0, 0, lumps_options,
        "Weak planes along which material breaks: yield stress, cohesion or critical stretch of "
        "the law are less there.");

static const firn_schema_key vectors_options[] = {
    TEXT(firn_vectors_def, "file", file, "", FIRN_SCHEMA_FILE,
         "A .vdb file with a grid of vectors; empty: none."),
    TEXT(firn_vectors_def, "grid", grid, "", 0, "Grid of vectors; empty: the first one."),
    REAL(firn_vectors_def, "scale", scale, "1", "1", 0, 1e9, FIRN_SCHEMA_ABOVE,
         "Scale factor of the file's coordinates: 0.01 for cm, 0.001 for mm."),
    REAL(firn_vectors_def, "factor", factor, "1", "1", -1e9, 1e9, 0,
         "Factor of the file's vectors."),
};
const firn_schema_section firn_schema_vectors =
    END("vectors", firn_vectors_def, 0, 0, vectors_options, "Vectors in space from a file.");

DEFAULT_FUNCTION(map, firn_schema_maps)
DEFAULT_FUNCTION(vectors, firn_schema_vectors)
