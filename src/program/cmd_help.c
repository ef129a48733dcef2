/* SPDX-License-Identifier: MIT */
/* cmd_help.c: `firn help [topic]`. A topic is a verb or an entry of the table below. The man page and
 * the shell completions are hidden options, for `meson compile`. */
#include "program/cli.h"
#include "points/format.h"
#include "program/help_search.h"
#include "measure/measure.h"
#include "mpm/integrator.h"
#include "scene/methods.h"
#include "scene/scene_help.h"
#include "geometry/shape.h"
#include "solver/attributes.h"
#include "solver/force.h"

#include <string.h>

typedef struct topic {
    const char *name, *summary;
    int (*print)(const firn_cli *cli);
} topic;

/* `scene` and, below it, its sections: `scene.bodies`, `scene.bodies.shape`. */
static int print_scene(const firn_cli *cli)
{
    if (firn_cli_has(cli, "schema")) return (int)firn_scene_help_schema(stdout);
    const char *path = cli->arguments[0] + strlen("scene");
    path += *path == '.';
    if (firn_scene_help(stdout, path)) return FIRN_OK;
    char names[1024], near[64];
    firn_scene_help_sections(names, sizeof names);
    if (firn_cli_suggest(cli->arguments[0], names, near, sizeof near))
        return firn_cli_fail(FIRN_USAGE, "scene: no section '%s'; did you mean %s?", path, near);
    return firn_cli_fail(FIRN_USAGE, "scene: no section '%s'; allowed: %s", path, names);
}

static int print_shapes(const firn_cli *cli)
{
    (void)cli;
    puts("Kinds of shapes with their keys, besides center, rotate, thickness and csg:\n");
    for (int i = 0; firn_shape_kind_at(i); i++) {
        const firn_shape_kind_info *kind = firn_shape_kind_at(i);
        printf("  %-12s %s\n  %-12s keys: %s\n", kind->name, kind->meaning, "", kind->keys);
    }
    puts(
        "\nFiles:\n\n  units        scale: 0.01 for cm, 0.001 for mm; then rotate and center. A "
        "file with z up stands\n               upright with rotate: [-90 deg, 0, 0].\n  meshes     "
        "  Polygons of any number of corners. Coincident points are merged and holes up to a\n     "
        "          tenth of the mesh closed; larger holes are refused with their position. "
        "Inverted,\n               doubled and intersecting faces are allowed: the inside is what "
        "the outside cannot\n               reach. A closed shell inside another one is a cavity "
        "if its faces point the other\n               way. With a thickness the mesh may be "
        "open.\n  fogs         The surface is where the density is half of its maximum. At most "
        "268 million\n               active voxels, 645 along each edge of a cube.\n  painted      "
        "Friction and stickiness of a collider by position: vertex properties of a .ply,\n         "
        "      float grids of a .vdb with these names. They override the collider's own values,\n  "
        "             which hold where such a grid is not active.\n  sequences    walk.%04d.obj or "
        "walk.%04d.vdb: fps files per second, interpolated in between. The\n               faces "
        "of meshes must stay the same; a .vdb moves by its vector grid v (m/s), or\n               "
        "without one is blended with the next.\n\nA list of shapes is combined in order:\n\n    "
        "shape:\n      - {kind: mesh, file: mug.stl, scale: 0.001, rotate: [-90 deg, 0, 0]}\n      "
        "- {kind: sphere, center: [0, 3 cm, 0], radius: 2 cm, csg: difference}");
    return FIRN_OK;
}

static int print_forces(const firn_cli *cli)
{
    (void)cli;
    puts("Kinds of force fields with their keys, besides keys (factors over time), shape with "
         "motion and "
         "falloff (a region), and of (a body, emitter or material):\n");
    for (int i = 0; firn_force_kind_at(i); i++) {
        const firn_force_info *kind = firn_force_kind_at(i);
        printf("  %-12s %s\n  %-12s keys: %s", kind->name, kind->meaning, "", kind->keys);
        if (*kind->vector_unit && strcmp(kind->vector_unit, "1") != 0)
            printf("; vector in %s", kind->vector_unit);
        if (*kind->strength_unit) printf("; strength in %s", kind->strength_unit);
        putchar('\n');
    }
    return FIRN_OK;
}

static int print_methods(const firn_cli *cli)
{
    (void)cli;
    puts("Methods (scene: {method: ...}):\n");
    for (int i = 0; firn_method_at(i); i++) {
        const firn_method *method = firn_method_at(i);
        printf("  %-12s %s\n  %-12s good for: %s\n  %-12s after: %s\n", method->name, method->title,
               "", method->validity, "", method->citation);
    }
    puts("\nIntegrators of mpm (time: {integrator: ...}):\n");
    for (int i = 0; firn_integrator_at(i); i++)
        printf("  %-12s %s\n", firn_integrator_at(i)->name, firn_integrator_at(i)->summary);
    return FIRN_OK;
}

static int print_formats(const firn_cli *cli)
{
    (void)cli;
    puts("File formats of particles:\n");
    for (int i = 0; firn_format_at(i); i++) {
        const firn_format *format = firn_format_at(i);
        printf("  %-12s %-6s %-6s %s\n", format->name, format->read ? "reads" : "",
               format->write ? "writes" : "", format->doc);
    }
    return FIRN_OK;
}

static int print_attributes(const firn_cli *cli)
{
    (void)cli;
    puts("Attributes of particles, besides the history fields of the laws:\n");
    for (int i = 0; firn_attribute_at(i); i++) {
        const firn_attribute_info *info = firn_attribute_at(i);
        printf("  %-15s %-6s %s\n", info->name, info->unit, info->meaning);
    }
    return FIRN_OK;
}

static int print_measures(const firn_cli *cli)
{
    static const char *const of[] = {"Of everything, a body, a material or a region:",
                                     "Of everything or a material:", "Of a collider or grip:"};
    (void)cli;
    puts("Measures of `expect`; xyz: along its axis.");
    for (int kind = 0; kind < 3; kind++) {
        printf("\n%s\n\n", of[kind]);
        for (int i = 0; firn_measure_at(i); i++) {
            const firn_measure *measure = firn_measure_at(i);
            if ((int)measure->kind != kind) continue;
            printf("  %-18s %-4s %-9s %s\n", measure->name, measure->has_axis ? "xyz" : "",
                   measure->unit, measure->doc);
        }
    }
    return FIRN_OK;
}

/* Topics that are not verbs, ended by an entry without a name; NAME.REST is a topic NAME too. */
static const topic topics[] = {
    {"scene", "keys of a scene file; scene.SECTION for those of one section", print_scene},
    {"methods", "discretisations and integrators", print_methods},
    {"shapes", "kinds of shapes", print_shapes},
    {"forces", "kinds of force fields", print_forces},
    {"attributes", "attributes of particles", print_attributes},
    {"formats", "file formats of particles", print_formats},
    {"measures", "measures of a scene's `expect`", print_measures},
    {NULL, NULL, NULL},
};

static int print_completion(const char *shell)
{
    if (!strcmp(shell, "bash"))
        firn_cli_docs_bash(stdout, firn_verbs);
    else
        firn_cli_docs_zsh(stdout, firn_verbs);
    return FIRN_OK;
}

static void list_names(char *names, size_t n_bytes)
{
    size_t used = 0;
    for (int i = 0; firn_verbs[i] && used < n_bytes - 64; i++)
        used += (size_t)snprintf(names + used, n_bytes - used, "%s ", firn_verbs[i]->name);
    for (const topic *t = topics; t->name && used < n_bytes - 64; t++)
        used += (size_t)snprintf(names + used, n_bytes - used, "%s ", t->name);
}

static int refuse_topic(const char *name)
{
    char names[1024] = "", near[64];
    list_names(names, sizeof names);
    if (firn_cli_suggest(name, names, near, sizeof near))
        return firn_cli_fail(FIRN_USAGE, "help: unknown topic '%s'; did you mean %s?", name, near);
    return firn_cli_fail(FIRN_USAGE, "help: unknown topic '%s'; allowed: %s", name, names);
}

static int run(const firn_cli *cli)
{
    if (firn_cli_has(cli, "man")) {
        firn_cli_docs_man(stdout, firn_verbs);
        return FIRN_OK;
    }
    if (firn_cli_has(cli, "names")) {
        char names[1024] = "";
        list_names(names, sizeof names);
        puts(names);
        return FIRN_OK;
    }
    if (firn_cli_has(cli, "completion"))
        return print_completion(firn_cli_text(cli, "completion", ""));
    if (cli->n_arguments == 0) {
        firn_cli_docs_overview(stdout, firn_verbs);
        if (topics[0].name) fputs("\nMore help: firn help TOPIC\n", stdout);
        for (const topic *t = topics; t->name; t++) printf("  %-11s %s\n", t->name, t->summary);
        return FIRN_OK;
    }
    for (const topic *t = topics; t->name; t++)
        if (strcspn(cli->arguments[0], ".") == strlen(t->name) &&
            !strncmp(t->name, cli->arguments[0], strlen(t->name)))
            return t->print(cli);
    const firn_cli_verb *verb = firn_verbs_find(cli->arguments[0]);
    if (!verb)
        return firn_help_search(stdout, firn_verbs, cli->arguments[0])
                   ? FIRN_OK
                   : refuse_topic(cli->arguments[0]);
    firn_cli_docs_help(stdout, verb);
    return FIRN_OK;
}

static const firn_cli_option options[] = {
    {"man", 0, FIRN_CLI_FLAG, .doc = "Print the man page.", .is_hidden = 1},
    {"completion", 0, FIRN_CLI_CHOICE, "SHELL", "Print the completion script of a shell.",
     .choices = "bash zsh"},
    {"names", 0, FIRN_CLI_FLAG, .doc = "Print the names of all verbs and topics on one line."},
    {"schema", 0, FIRN_CLI_FLAG,
     .doc = "With topic scene: print the JSON Schema of scene files, for editors."},
    {0},
};

const firn_cli_verb firn_cmd_help = {
    .name = "help",
    .summary = "explain a verb, a topic or any word",
    .arguments = "[VERB|TOPIC|WORD]",
    .n_max = 1,
    .completes = FIRN_CLI_CHOICE,
    .choices = "help --names",
    .text = "Without an argument: verbs, exit codes and environment variables. Any other word is "
            "looked "
            "for in all help: keys of scenes, laws, presets, shapes, forces, options.\n\n"
            "  firn help bodies\n  firn help grid.dx\n  firn help honey\n  firn help friction",
    .options = options,
    .run = run,
};
