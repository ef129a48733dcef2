/* SPDX-License-Identifier: MIT */
/* test_cli.c: the parser of the command line, suggestions, and what is made from the tables. */
#include "program/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <cmocka.h>

static const firn_cli_option options[] = {
    {"threads", 't', FIRN_CLI_INTEGER, "N", "Threads.", .min = 1, .max = 1024},
    {"until", 0, FIRN_CLI_NUMBER, "SECONDS", "Time."},
    {"set", 0, FIRN_CLI_SETTING, "KEY=VALUE", "Settings.", .repeats = 1},
    {"frames", 0, FIRN_CLI_SPAN, "A:B", "Frames."},
    {"max-memory", 0, FIRN_CLI_BYTES, "SIZE", "Memory."},
    {"progress", 0, FIRN_CLI_CHOICE, "HOW", "Progress.", .choices = "auto line json"},
    {"quiet", 'q', FIRN_CLI_FLAG, .doc = "Quiet."},
    {"out", 'o', FIRN_CLI_FOLDER, "DIR", "Folder."},
    {0},
};
static const firn_cli_verb verb = {
    .name = "try", .arguments = "FILE", .n_min = 1, .n_max = 2, .options = options};

static char message[8192]; /* what the parser said on stderr */

/* Parses a blank-separated line behind "firn try"; stderr is caught. */
static firn_status parse(firn_cli *cli, char *line)
{
    static char program[] = "firn", name[] = "try";
    static char *argv[32] = {program, name};
    int argc = 2;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) argv[argc++] = word;
    fflush(stderr);
    FILE *file = tmpfile();
    assert_non_null(file);
    int saved = dup(2);
    dup2(fileno(file), 2);
    firn_status status = firn_cli_parse(cli, &verb, argc, argv);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    message[fread(message, 1, sizeof message - 1, file)] = 0;
    fclose(file);
    return status;
}

static void assert_refused(const char *line, const char *sentence)
{
    char copy[1200], expected[512];
    firn_cli cli;
    snprintf(copy, sizeof copy, "%s", line);
    snprintf(expected, sizeof expected, "firn: error: %s\n", sentence);
    assert_int_equal(parse(&cli, copy), FIRN_USAGE);
    assert_string_equal(message, expected);
    firn_cli_clear(&cli);
}

static void test_all_ways_to_give_an_option(void **state)
{
    (void)state;
    firn_cli cli;
    char line[] = "a.yaml --threads=4 -o dir --set a=1 --set b.c=x=y --until 1e-3 -q --frames 3: "
                  "--max-memory=1.5G -- -b";
    assert_int_equal(parse(&cli, line), FIRN_OK);
    assert_string_equal(message, "");
    assert_int_equal(cli.n_arguments, 2);
    assert_string_equal(cli.arguments[0], "a.yaml");
    assert_string_equal(cli.arguments[1], "-b"); /* behind -- everything is an argument */
    assert_int_equal(firn_cli_integer(&cli, "threads", 0), 4);
    assert_string_equal(firn_cli_text(&cli, "out", ""), "dir");
    assert_true(firn_cli_number(&cli, "until", 0) == 1e-3);
    assert_true(firn_cli_has(&cli, "quiet"));
    assert_false(firn_cli_has(&cli, "progress"));
    assert_true(firn_cli_bytes(&cli, "max-memory", 0) == 3u << 29);
    const char *sets[2];
    assert_int_equal(firn_cli_all(&cli, "set", sets, 2), 2);
    assert_string_equal(sets[1], "b.c=x=y"); /* split at the first = only, and only by the scene */
    int first = 0, last = 99;
    assert_true(firn_cli_span(&cli, "frames", &first, &last));
    assert_int_equal(first, 3);
    assert_int_equal(last, 99); /* an open end stays as it was */
    firn_cli_clear(&cli);
}

static void test_the_last_of_two_counts(void **state)
{
    (void)state;
    firn_cli cli;
    char line[] = "a -t 2 -t3";
    assert_int_equal(parse(&cli, line), FIRN_OK);
    assert_int_equal(firn_cli_integer(&cli, "threads", 0), 3);
    firn_cli_clear(&cli);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("a --treads 4", "unknown option --treads; did you mean --threads?");
    assert_refused("a --zzzz", "unknown option --zzzz; `firn help try` lists the options");
    assert_refused("a -z", "unknown option -z; `firn help try` lists the options");
    assert_refused("a --threads", "--threads: needs a value: --threads N");
    assert_refused("a --out --quiet",
                   "--out: needs a value (DIR), found option --quiet; try: --out=--quiet");
    assert_refused("a --quiet=1", "--quiet: takes no value (given: '1')");
    assert_refused("a --threads 0", "--threads: out of range (0); allowed: 1 to 1024");
    assert_refused("a --threads 4x", "--threads: '4x' is not a whole number");
    assert_refused("a --threads 99999999999999999999",
                   "--threads: '99999999999999999999' is not a whole number");
    assert_refused("a --until nan", "--until: 'nan' is not a finite number");
    assert_refused("a --until 1e400", "--until: '1e400' is not a finite number");
    assert_refused("a --set frames", "--set: 'frames' is not of the form path.to.key=value");
    assert_refused(
        "a --frames 5:2",
        "--frames: '5:2' is not a range of frames; allowed: a:b, a:, :b or a, with 0 <= a <= b");
    assert_refused("a --max-memory 4X", "--max-memory: '4X' is not a size; try: 800M or 2.5G");
    assert_refused("a --max-memory=-4G", "--max-memory: '-4G' is not a size; try: 800M or 2.5G");
    assert_refused("a --progress jsno",
                   "--progress: unknown 'jsno'; allowed: auto line json; did you mean json?");
    assert_refused("a --out=", "--out: the name is empty");
    char longest[1100] = "a --out=";
    memset(longest + 8, 'x', 1024); /* one more than FIRN_PATH holds */
    assert_refused(longest, "--out: path too long (1024 bytes); allowed: 1 to 1023");
    assert_refused("", "`firn try` needs an argument; usage: firn try [options] FILE");
    assert_refused("a b c", "`firn try`: unexpected argument 'c'; usage: firn try [options] FILE");
}

static void test_control_characters_stay_harmless(void **state)
{
    (void)state;
    assert_refused("a b \033[2Jc",
                   "`firn try`: unexpected argument '\?[2Jc'; usage: firn try [options] FILE");
}

static void test_help_needs_no_argument(void **state)
{
    (void)state;
    firn_cli cli;
    char line[] = "--help";
    assert_int_equal(parse(&cli, line), FIRN_OK);
    assert_true(firn_cli_has(&cli, "help"));
    firn_cli_clear(&cli);
}

static void test_nearest(void **state)
{
    (void)state;
    char near[64];
    assert_true(firn_cli_suggest("rnu", "run resume render", near,
                                 sizeof near)); /* neighbours swapped: one edit */
    assert_string_equal(near, "run");
    assert_true(
        firn_cli_suggest("mat", "run materials", near, sizeof near)); /* the beginning of a word */
    assert_string_equal(near, "materials");
    assert_false(firn_cli_suggest("xyz", "run resume render", near, sizeof near));
}

/* Every entry of the real table can be shown, and no two options of a verb share a name or a
 * letter. */
static void test_every_verb_is_whole(void **state)
{
    (void)state;
    for (int i = 0; firn_verbs[i]; i++) {
        const firn_cli_verb *v = firn_verbs[i];
        assert_non_null(v->run);
        assert_non_null(v->summary);
        assert_non_null(v->arguments);
        assert_ptr_equal(firn_verbs_find(v->name), v);
        for (const firn_cli_option *o = v->options; o && o->name; o++) {
            assert_non_null(o->doc);
            assert_true(o->doc[strlen(o->doc) - 1] == '.');
            assert_true((o->type == FIRN_CLI_FLAG) == (o->value == NULL));
            assert_true((o->type == FIRN_CLI_CHOICE) == (o->choices != NULL));
            assert_string_not_equal(o->name, "help");
            for (const firn_cli_option *p = v->options; p < o; p++) {
                assert_string_not_equal(o->name, p->name);
                assert_false(o->letter && o->letter == p->letter);
            }
        }
    }
}

static char *printed(void (*print)(FILE *))
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    print(out);
    fclose(out);
    return text;
}

static void print_overview(FILE *out) { firn_cli_docs_overview(out, firn_verbs); }
static void print_man(FILE *out) { firn_cli_docs_man(out, firn_verbs); }
static void print_bash(FILE *out) { firn_cli_docs_bash(out, firn_verbs); }
static void print_zsh(FILE *out) { firn_cli_docs_zsh(out, firn_verbs); }

static void test_documents_name_every_verb(void **state)
{
    (void)state;
    static void (*const documents[])(FILE *) = {print_overview, print_man, print_bash, print_zsh};
    for (size_t d = 0; d < 4; d++) {
        char *text = printed(documents[d]);
        for (int i = 0; firn_verbs[i]; i++) assert_non_null(strstr(text, firn_verbs[i]->name));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_ways_to_give_an_option),
        cmocka_unit_test(test_the_last_of_two_counts),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_control_characters_stay_harmless),
        cmocka_unit_test(test_help_needs_no_argument),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_every_verb_is_whole),
        cmocka_unit_test(test_documents_name_every_verb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
