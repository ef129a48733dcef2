/* cmd_help.c: `firn help [topic]`. A topic is a verb or one entry of the table below; the man page and the shell
 * completions are topics of the build, made by hidden options so that `meson compile` writes them. */
#include "cli.h"
#include "scene_help.h"

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
    if (firn_cli_nearest(cli->arguments[0], names, near, sizeof near))
        return firn_cli_fail(FIRN_USAGE, "a scene has no section '%s'; did you mean %s?", path, near);
    return firn_cli_fail(FIRN_USAGE, "a scene has no section '%s'; there are: %s", path, names);
}

/* Topics that are not verbs, ended by an entry without a name. A topic also answers for what is written behind it
 * with a dot. */
static const topic topics[] = {
    {"scene", "what a scene file may say; scene.SECTION for every key of one", print_scene},
    {NULL, NULL, NULL},
};

static int print_completion(const char *shell)
{
    if (!strcmp(shell, "bash"))
        firn_cli_docs_bash(stdout);
    else
        firn_cli_docs_zsh(stdout);
    return FIRN_OK;
}

static int refuse_topic(const char *name)
{
    char names[1024] = "", near[64];
    size_t used = 0;
    for (int i = 0; firn_verbs[i] && used < sizeof names - 64; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s ", firn_verbs[i]->name);
    for (const topic *t = topics; t->name && used < sizeof names - 64; t++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s ", t->name);
    if (firn_cli_nearest(name, names, near, sizeof near))
        return firn_cli_fail(FIRN_USAGE, "there is no help on '%s'; did you mean %s?", name, near);
    return firn_cli_fail(FIRN_USAGE, "there is no help on '%s'; topics are: %s", name, names);
}

static int run(const firn_cli *cli)
{
    if (firn_cli_has(cli, "man")) {
        firn_cli_docs_man(stdout);
        return FIRN_OK;
    }
    if (firn_cli_has(cli, "completion")) return print_completion(firn_cli_text(cli, "completion", ""));
    if (cli->n_arguments == 0) {
        firn_cli_docs_overview(stdout);
        if (topics[0].name) fputs("\nMore help: firn help TOPIC\n", stdout);
        for (const topic *t = topics; t->name; t++) printf("  %-11s %s\n", t->name, t->summary);
        return FIRN_OK;
    }
    for (const topic *t = topics; t->name; t++)
        if (strcspn(cli->arguments[0], ".") == strlen(t->name) && !strncmp(t->name, cli->arguments[0], strlen(t->name)))
            return t->print(cli);
    const firn_cli_verb *verb = firn_verbs_find(cli->arguments[0]);
    if (!verb) return refuse_topic(cli->arguments[0]);
    firn_cli_docs_help(stdout, verb);
    return FIRN_OK;
}

static const firn_cli_option options[] = {
    {"man", 0, FIRN_CLI_FLAG, .doc = "Print the man page.", .is_hidden = 1},
    {"completion", 0, FIRN_CLI_CHOICE, "SHELL", "Print the completion script of a shell.", .choices = "bash zsh"},
    {"schema", 0, FIRN_CLI_FLAG, .doc = "With the topic scene: print the JSON Schema of scene files, for editors."},
    {0},
};

const firn_cli_verb firn_cmd_help = {
    .name = "help",
    .summary = "explain a verb or a topic",
    .arguments = "[VERB|TOPIC]",
    .n_max = 1,
    .completes = FIRN_CLI_CHOICE,
    .text = "Without an argument: the list of verbs, exit codes and environment variables.",
    .options = options,
    .run = run,
};
