/* SPDX-License-Identifier: MIT */
/* cli_docs.c: help, man page and shell completions, made from the tables of the verbs. Introduction,
 * exit codes and environment are here. */
#include "program/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A line of a table: term and meaning. */
typedef struct row {
    const char *term, *meaning;
} row;

static const char intro[] =
    "firn simulates snow, dough, sand and other yielding materials with the material point method "
    "(MPM), and writes caches that other programs open.";

static const row exit_codes[] = {
    {"0", "done"},
    {"1", "usage: the command line is not valid"},
    {"2", "refused: the scene or a file that it reads is not valid; nothing was started"},
    {"3", "stopped: the simulation could not continue, or an expectation was not met; what is "
          "written is valid"},
    {"4", "i/o: a file could not be read or written, or is damaged"},
    {"5", "memory: not enough, or --max-memory would be exceeded"},
    {"6", "interrupted by a signal; a run has written a checkpoint"},
    {NULL, NULL},
};

static const row environment[] = {
    {"FIRN_THREADS", "number of threads; --threads takes precedence. Default: one per 2,048 "
                     "particles, up to OMP_NUM_THREADS or all cores"},
    {"FIRN_ISA", "instruction set: scalar, sse2, avx2 or avx512; --isa takes precedence"},
    {"NO_COLOR", "if set and not empty, messages have no colour"},
    {NULL, NULL},
};

/* ---------------------------------------------------------------- wrapped text */

enum { WIDTH = 90, OPTION_COLUMN = 26, LABEL_MAX = 512 };

/* Prints words from column `column` on, with every new line indented to `indent`. Lines of the
 * text that begin with a blank are kept as they are; an empty line separates paragraphs. */
static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
    while (*text) {
        size_t line = strcspn(text, "\n");
        if (*text == ' ' || line == 0) {
            fprintf(out, "%.*s\n", (int)line, text);
            text += line + (text[line] == '\n');
            column = 0;
            continue;
        }
        for (const char *end = text + line; text < end;) {
            size_t n = strcspn(text, " \n");
            if (column > indent && column + 1 + (int)n > WIDTH) {
                fputc('\n', out);
                column = 0;
            }
            if (column < indent)
                column += fprintf(out, "%*s", indent - column, "");
            else if (column > indent)
                column += fprintf(out, " ");
            column += fprintf(out, "%.*s", (int)n, text);
            text += n + (text + n < end ? 1 : 0);
        }
        fputc('\n', out);
        column = 0;
        if (*text == '\n') text++;
    }
}

static void print_row(FILE *out, const char *term, const char *meaning, int indent)
{
    int column = fprintf(out, "  %s", term);
    if (column >= indent) {
        fputc('\n', out);
        column = 0;
    }
    print_wrapped(out, meaning, indent, column);
}

static void print_rows(FILE *out, const char *title, const row *rows, int indent)
{
    fprintf(out, "\n%s\n", title);
    for (; rows->term; rows++) print_row(out, rows->term, rows->meaning, indent);
}

/* "-t, --threads=N" */
static const char *option_label(const firn_cli_option *option, char label[LABEL_MAX])
{
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(label, LABEL_MAX, "%s--%s%s%s", letter, option->name, option->value ? "=" : "",
             option->value ? option->value : "");
    return label;
}

/* The option's help with choices, limits and repetition. */
static char *option_meaning(const firn_cli_option *option)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out) return NULL;
    fputs(option->doc, out);
    if (option->type == FIRN_CLI_CHOICE) fprintf(out, " One of: %s.", option->choices);
    if (option->min != 0 || option->max != 0)
        fprintf(out, " From %g to %g.", option->min, option->max);
    if (option->repeats) fputs(" May be given more than once.", out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---------------------------------------------------------------- help */

void firn_cli_docs_overview(FILE *out, const firn_cli_verb *const *verbs)
{
    print_wrapped(out, intro, 0, 0);
    fputs("\nUsage\n  firn VERB [options] [arguments]\n  firn VERB --help\n  firn "
          "--version\n\nVerbs\n",
          out);
    for (int i = 0; verbs[i]; i++) print_row(out, verbs[i]->name, verbs[i]->summary, 14);
    print_rows(out, "Exit codes", exit_codes, 14);
    print_rows(out, "Environment", environment, 18);
}

static void print_option(FILE *out, const firn_cli_option *option)
{
    char label[LABEL_MAX];
    char *meaning = option_meaning(option);
    if (meaning) print_row(out, option_label(option, label), meaning, OPTION_COLUMN);
    free(meaning);
}

void firn_cli_docs_help(FILE *out, const firn_cli_verb *verb)
{
    fprintf(out, "firn %s: %s\n\nUsage\n  firn %s %s%s\n", verb->name, verb->summary, verb->name,
            verb->options ? "[options] " : "", verb->arguments);
    if (verb->text && *verb->text) {
        fputc('\n', out);
        print_wrapped(out, verb->text, 0, 0);
    }
    fputs("\nOptions\n", out);
    for (const firn_cli_option *o = verb->options; o && o->name; o++)
        if (!o->is_hidden) print_option(out, o);
    print_row(out, "-h, --help", "Show this help and exit.", OPTION_COLUMN);
}

/* ---------------------------------------------------------------- man page */

/* roff: a backslash and a minus are escaped, a line must not begin with a dot or an apostrophe. */
static void put_roff(FILE *out, const char *text)
{
    int at_start = 1;
    for (const char *c = text; *c; c++) {
        if (at_start && (*c == '.' || *c == '\'')) fputs("\\&", out);
        at_start = *c == '\n';
        if (*c == '\\')
            fputs("\\e", out);
        else if (*c == '-')
            fputs("\\-", out);
        else
            fputc(*c, out);
    }
}

static void roff_rows(FILE *out, const char *title, const row *rows)
{
    fprintf(out, ".SH %s\n", title);
    for (; rows->term; rows++) {
        fprintf(out, ".TP\n.B %s\n", rows->term);
        put_roff(out, rows->meaning);
        fputc('\n', out);
    }
}

/* Paragraphs, with indented lines as an example block. */
static void roff_text(FILE *out, const char *text)
{
    int in_example = 0;
    fputs(".PP\n", out);
    while (*text) {
        size_t n = strcspn(text, "\n");
        int is_example = *text == ' ';
        if (is_example != in_example) fputs(is_example ? ".PP\n.nf\n" : ".fi\n.PP\n", out);
        in_example = is_example;
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (n) {
            put_roff(out, line);
            fputc('\n', out);
        } else
            fputs(".PP\n", out);
        text += n + (text[n] == '\n');
    }
    if (in_example) fputs(".fi\n", out);
}

static void roff_option(FILE *out, const firn_cli_option *option)
{
    char label[LABEL_MAX];
    char *meaning = option_meaning(option);
    option_label(option, label);
    fputs(".TP\n.B ", out);
    put_roff(out, label + strspn(label, " "));
    fputc('\n', out);
    if (meaning) put_roff(out, meaning);
    fputc('\n', out);
    free(meaning);
}

void firn_cli_docs_man(FILE *out, const firn_cli_verb *const *verbs)
{
    fprintf(out, ".TH FIRN 1 \"\" \"firn %s\" \"User Commands\"\n.SH NAME\nfirn \\- ",
            firn_version());
    fputs("simulate snow, dough, sand and other yielding materials", out);
    fputs(".B firn\n.I VERB\n[options] [arguments]\n.SH DESCRIPTION\n", out);
    put_roff(out, intro);
    fputs("\n.SH VERBS\n", out);
    for (int i = 0; verbs[i]; i++) {
        const firn_cli_verb *verb = verbs[i];
        fprintf(out, ".SS firn %s ", verb->name);
        put_roff(out, verb->arguments);
        fputs("\n.PP\n", out);
        put_roff(out, verb->summary);
        fputs(".\n", out);
        if (verb->text && *verb->text) roff_text(out, verb->text);
        for (const firn_cli_option *o = verb->options; o && o->name; o++)
            if (!o->is_hidden) roff_option(out, o);
    }
    roff_rows(out, "EXIT STATUS", exit_codes);
    roff_rows(out, "ENVIRONMENT", environment);
}

/* ---------------------------------------------------------------- completions */

static int completes_files(firn_cli_type type) { return type == FIRN_CLI_FILE; }

static void bash_verb(FILE *out, const firn_cli_verb *verb)
{
    fprintf(out, "    %s)\n        options=\"--help", verb->name);
    for (const firn_cli_option *o = verb->options; o && o->name; o++)
        if (!o->is_hidden) fprintf(out, " --%s%s", o->name, o->type == FIRN_CLI_FLAG ? "" : "=");
    fputs("\"\n        case \"$option\" in\n", out);
    for (const firn_cli_option *o = verb->options; o && o->name; o++) {
        if (o->type == FIRN_CLI_FLAG || o->is_hidden) continue;
        fprintf(out, "        --%s) ", o->name);
        if (o->type == FIRN_CLI_CHOICE)
            fprintf(out, "words=\"%s\"", o->choices);
        else
            fputs(completes_files(o->type)     ? "kind=file"
                  : o->type == FIRN_CLI_FOLDER ? "kind=folder"
                                               : "kind=none",
                  out);
        fputs(" ;;\n", out);
    }
    fputs("        esac\n", out);
    if (verb->choices)
        fprintf(out, "        arguments=\"$(\"${COMP_WORDS[0]}\" %s 2>/dev/null)\"\n",
                verb->choices);
    fputs("        ;;\n", out);
}

void firn_cli_docs_bash(FILE *out, const firn_cli_verb *const *verbs)
{
    fputs("# bash completion for firn, written by `firn help --completion bash`\n"
          "_firn() {\n"
          "    local cur prev words cword option=\"\" options=\"\" arguments=\"\" kind=\"\" value\n"
          "    COMPREPLY=()\n"
          "    cur=\"${COMP_WORDS[COMP_CWORD]}\"\n"
          "    prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
          "    words=\"\"\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"--help --version",
          out);
    for (int i = 0; verbs[i]; i++) fprintf(out, " %s", verbs[i]->name);
    /* bash hands over "--out=x" as the three words --out = x */
    fputs("\" -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    value=\"$cur\"\n"
          "    if [ \"$cur\" = \"=\" ]; then option=\"$prev\"; value=\"\"\n"
          "    elif [ \"$prev\" = \"=\" ]; then option=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
          "    else option=\"$prev\"; fi\n"
          "    case \"${COMP_WORDS[1]}\" in\n",
          out);
    for (int i = 0; verbs[i]; i++) bash_verb(out, verbs[i]);
    fputs("    esac\n"
          "    if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$value\"))\n"
          "    elif [ \"$kind\" = file ]; then COMPREPLY=($(compgen -f -- \"$value\"))\n"
          "    elif [ \"$kind\" = folder ]; then COMPREPLY=($(compgen -d -- \"$value\"))\n"
          "    elif [ \"$kind\" = none ]; then return\n"
          "    elif [ \"${cur#-}\" != \"$cur\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "        [ \"${COMPREPLY[0]%=}\" = \"${COMPREPLY[0]}\" ] || compopt -o nospace\n"
          "    elif [ -n \"$arguments\" ]; then COMPREPLY=($(compgen -W \"$arguments\" -- "
          "\"$cur\"))\n"
          "    else compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); fi\n"
          "}\n"
          "complete -F _firn firn\n",
          out);
}

/* Inside single quotes of a zsh specification: ' [ ] : and \ need care. */
static void put_zsh(FILE *out, const char *text)
{
    for (const char *c = text; *c && *c != '\n'; c++) {
        if (*c == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *c))
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
    }
}

static void zsh_option(FILE *out, const firn_cli_option *o)
{
    fprintf(out, "            '%s--%s%s[", o->repeats ? "*" : "", o->name,
            o->type == FIRN_CLI_FLAG ? "" : "=");
    put_zsh(out, o->doc);
    fputc(']', out);
    if (o->type != FIRN_CLI_FLAG) {
        fputc(':', out);
        put_zsh(out, o->value);
        fputc(':', out);
        if (o->type == FIRN_CLI_CHOICE)
            fprintf(out, "(%s)", o->choices);
        else if (completes_files(o->type))
            fputs("_files", out);
        else if (o->type == FIRN_CLI_FOLDER)
            fputs("_files -/", out);
    }
    fputs("' \\\n", out);
}

void firn_cli_docs_zsh(FILE *out, const firn_cli_verb *const *verbs)
{
    fputs("#compdef firn\n# zsh completion for firn, written by `firn help --completion zsh`\n"
          "_firn() {\n"
          "    local -a verbs\n"
          "    verbs=(\n",
          out);
    for (int i = 0; verbs[i]; i++) {
        fprintf(out, "        '%s:", verbs[i]->name);
        put_zsh(out, verbs[i]->summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
          "    local firn=$words[1] verb=$words[2]\n"
          "    shift words; (( CURRENT-- ))\n"
          "    case $verb in\n",
          out);
    for (int i = 0; verbs[i]; i++) {
        const firn_cli_verb *verb = verbs[i];
        fprintf(out, "        %s) _arguments -s \\\n", verb->name);
        for (const firn_cli_option *o = verb->options; o && o->name; o++)
            if (!o->is_hidden) zsh_option(out, o);
        fputs("            '--help[Show the help and exit.]' \\\n", out);
        if (verb->choices)
            fprintf(out, "            \"*:argument:($($firn %s 2>/dev/null))\" ;;\n",
                    verb->choices);
        else
            fputs("            '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n}\n_firn \"$@\"\n", out);
}
