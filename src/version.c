/* version.c: `firn --version`. The versions of the libraries are those that meson found (FIRN_WITH_..., empty where
 * not found); the instruction sets are those compiled in and those this processor offers. */
#include "version.h"

#include "firn/base.h"

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
    __builtin_cpu_init();
    fprintf(out, "firn %s\n", firn_version());
    fprintf(out, "  compiler          %s\n", compiler);
    fprintf(out, "  instruction sets  built: %s; this processor:%s%s%s\n", FIRN_ISAS,
            " scalar sse2", /* every x86-64 processor has it */
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? " avx2" : "",
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
                ? " avx512"
                : "");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const library *l = &libraries[i];
        if (*l->version)
            fprintf(out, "  %-17s %s\n", l->name, l->version);
        else
            fprintf(out, "  %-17s not found when built: %s\n", l->name, l->lost);
    }
}
