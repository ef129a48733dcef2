/* SPDX-License-Identifier: MIT */
/* version.c: `firn --version`. The versions of the libraries are those that meson found
 * (FIRN_WITH_..., empty where not found); the kernels are those compiled in (law.h) and those of
 * them that this processor runs. */
#include "program/version.h"

#include "firn/base.h"
#include "laws/law.h"

typedef struct library {
    const char *name, *version, *lost;
} library;

static const library libraries[] = {
    {"OpenVDB", FIRN_WITH_OPENVDB, "no .vdb files, no surfaces"},
    {"LAPACKE", FIRN_WITH_LAPACKE, "required"},
    {"libyaml", FIRN_WITH_YAML, "required"},
    {"zlib", FIRN_WITH_ZLIB, "required"},
    {"libpng", FIRN_WITH_PNG, "required"},
    {"Partio", FIRN_WITH_PARTIO, "only the own formats bgeo, ply, vtp"},
    {"Embree", FIRN_WITH_EMBREE, "pictures are made by the slower built-in splats"},
};

void firn_version_print(FILE *out)
{
#ifdef __clang__
    const char *compiler = "clang " __clang_version__;
#else
    const char *compiler = "gcc " __VERSION__;
#endif
    fprintf(out, "firn %s\n", firn_version());
    fprintf(out, "  compiler          %s\n", compiler);
    fputs("  kernels built    ", out);
#define NAME(a, index, suffix, isa, is_double) fputs(" " #suffix, out);
    FIRN_VARIANTS_BUILT(NAME, )
#undef NAME
    fputs("\n  instruction sets  this processor runs", out);
    for (int variant = 0; variant < FIRN_N_VARIANTS; variant++)
        if (firn_variant_runs(variant)) fprintf(out, " %s", firn_variant_name(variant));
    fputc('\n', out);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const library *l = &libraries[i];
        if (*l->version)
            fprintf(out, "  %-17s %s\n", l->name, l->version);
        else
            fprintf(out, "  %-17s not found when built: %s\n", l->name, l->lost);
    }
}
