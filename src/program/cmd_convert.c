/* SPDX-License-Identifier: MIT */
/* cmd_convert.c: `firn convert FROM TO` - between all formats of the table, with attributes
 * chosen by name. */
#include "program/cli.h"
#include "base/messages.h"
#include "base/suggest.h"
#include "points/format.h"
#include "session/interrupt.h"

#include <string.h>

/* The chosen attributes and every nth point, copied; P always comes along. */
static firn_points *choose(const firn_points *all, const char *names, int64_t nth)
{
    firn_points *chosen = firn_points_create((all->n + nth - 1) / nth);
    for (int pass = 0; chosen && pass < 2; pass++)
        for (int a = 0; a < (pass ? all->n_details : all->n_attributes); a++) {
            const firn_attribute *from = pass ? &all->details[a] : &all->attributes[a];
            if (!pass && names && !firn_suggest_has(names, from->name) &&
                strcmp(from->name, "P") != 0)
                continue;
            firn_attribute *to =
                pass ? firn_points_add_detail(chosen, from->name, from->type, from->n_components)
                     : firn_points_add(chosen, from->name, from->type, from->n_components);
            int is_good = to != NULL;
            for (int s = 0; is_good && s < from->n_strings; s++)
                is_good = firn_attribute_append(to, from->strings[s]) >= 0;
            if (!is_good) {
                firn_points_destroy(chosen);
                return NULL;
            }
            size_t bytes = (size_t)from->n_components * 4;
            for (int64_t i = 0; i < (pass ? 1 : chosen->n); i++)
                memcpy(to->data.i + i * to->n_components,
                       from->data.i + (pass ? 0 : i * nth) * to->n_components, bytes);
        }
    return chosen;
}

static firn_status check_names(const firn_points *points, const char *names,
                               firn_messages *messages)
{
    char word[64];
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        if (n >= sizeof word)
            return firn_messages_add(messages, FIRN_USAGE, "'%s' is not the name of an attribute",
                                     p);
        memcpy(word, p, n);
        word[n] = 0;
        if (n && !firn_points_find(points, word))
            return firn_messages_add(messages, FIRN_USAGE,
                                     "attribute '%s' does not exist; `firn info` lists all", word);
        p += n + (p[n] == ' ');
    }
    return FIRN_OK;
}

static firn_status convert(const firn_cli *cli, firn_messages *messages)
{
    const char *names = firn_cli_text(cli, "attributes", NULL);
    int64_t nth = firn_cli_integer(cli, "nth", 1);
    const firn_format *to = firn_format_of(cli->arguments[1]);
    firn_points *points, *chosen = NULL;
    if (!to || !to->write) /* before a large file is read for nothing */
        return firn_format_write(cli->arguments[1], NULL, NULL, messages);
    firn_status status = firn_format_read(cli->arguments[0], &points, messages);
    if (status != FIRN_OK) return status;
    if (names) status = check_names(points, names, messages);
    if (status == FIRN_OK && (names || nth > 1)) {
        chosen = choose(points, names, nth);
        if (!chosen) status = firn_messages_no_memory(messages, "copy of the points");
    }
    firn_interrupt_begin();
    if (status == FIRN_OK)
        status = firn_format_write(cli->arguments[1], chosen ? chosen : points, NULL, messages);
    firn_points_destroy(chosen);
    firn_points_destroy(points);
    return status;
}

static int run(const firn_cli *cli)
{
    if (firn_cli_has(cli, "list")) {
        const firn_format *format;
        for (int i = 0; (format = firn_format_at(i)); i++)
            printf("%-12s %-13s %s%s  %s\n", format->name, format->extension,
                   format->read ? "r" : "-", format->write ? "w" : "-", format->doc);
        return FIRN_OK;
    }
    if (cli->n_arguments != 2)
        return firn_cli_fail(
            FIRN_USAGE, "`firn convert` needs two files; usage: firn convert [options] FROM TO");
    firn_messages *messages = firn_messages_create();
    firn_status status = convert(cli, messages);
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"attributes", 'a', FIRN_CLI_TEXT, "NAMES",
     "Only these attributes, separated by blanks; P is always kept."},
    {"nth", 'n', FIRN_CLI_INTEGER, "N", "Only every N-th point.", .min = 1, .max = 1e9},
    {"list", 0, FIRN_CLI_FLAG, .doc = "List the formats: r: readable, w: writable."},
    {0},
};

const firn_cli_verb firn_cmd_convert = {
    .name = "convert",
    .summary = "convert a cache to another format",
    .arguments = "FROM TO",
    .n_max = 2,
    .completes = FIRN_CLI_FILE,
    .text =
        "Reads points in one format and writes them in another, by the extensions of the names. "
        "Attributes and details are kept as far as the format can hold them.\n\n  firn convert "
        "snow.0010.bgeo snow.0010.vtp\n  firn convert -a 'v Jp' -n 10 snow.0010.bgeo preview.bgeo",
    .options = options,
    .run = run,
};
