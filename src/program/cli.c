/* SPDX-License-Identifier: MIT */
/* cli.c: the parser of the command line and the messages of the program.
 *
 * GNU conventions: --name=value, --name value, -x value; -- ends the options; options and
 * arguments may be mixed. Names are not abbreviated: an abbreviation in a script breaks when an
 * option is added. A value that begins with -- must be attached (--name=--value), since far more
 * often it is a forgotten value. */
#include "program/cli.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/units.h"
#include "firn/defs.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---------------------------------------------------------------- messages */

/* The stream is a terminal, and NO_COLOR is not set. */
static int has_color(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (no_color && *no_color) return 0;
    return isatty(fileno(stream)) && terminal && strcmp(terminal, "dumb") != 0;
}

/* Control characters in a file name would move the cursor of the terminal. */
static void put_harmless(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        fputc(iscntrl((unsigned char)*c) && *c != '\n' && *c != '\t' ? '?' : *c, out);
}

static void say(firn_level level, const char *text)
{
    static const char *const words[] = {"error", "warning", "note"};
    static const char *const colors[] = {"\033[1;31m", "\033[1;33m", "\033[1;36m"};
    int color = has_color(stderr);
    fflush(stdout);
    fprintf(stderr, "firn: %s%s:%s ", color ? colors[level] : "", words[level],
            color ? "\033[0m" : "");
    put_harmless(stderr, text);
    fputc('\n', stderr);
}

static void say_list(firn_level level, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    say(level, text);
}

int firn_cli_fail(firn_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_list(FIRN_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

int firn_cli_no_memory(const char *what)
{
    return firn_cli_fail(FIRN_MEMORY, "%s: out of memory", what);
}

void firn_cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_list(FIRN_WARNING, format, arguments);
    va_end(arguments);
}

void firn_cli_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_list(FIRN_NOTE, format, arguments);
    va_end(arguments);
}

void firn_cli_note_interrupted(const char *things, int n_done, int n, int next, int last)
{
    char remedy[80] = "";
    if (next >= 0)
        snprintf(remedy, sizeof remedy, "; to make the others: --frames %d:%d", next, last);
    firn_cli_note("interrupted; %d of %d %s done%s", n_done, n, things, remedy);
}

int firn_cli_report(const firn_messages *messages, firn_status status)
{
    for (int i = 0; i < firn_messages_total(messages); i++) {
        firn_level level = FIRN_NOTE;
        const char *sentence = firn_messages_text(messages, i, &level);
        say(level, sentence);
    }
    int n_hidden = firn_messages_count(messages, FIRN_ERROR) +
                   firn_messages_count(messages, FIRN_WARNING) +
                   firn_messages_count(messages, FIRN_NOTE) - firn_messages_total(messages);
    if (n_hidden > 0) firn_cli_note("%d more messages are not shown", n_hidden);
    return status;
}

static void report(const firn_messages *messages) { firn_cli_report(messages, FIRN_OK); }

const firn_voice firn_cli_voice = {say, report};

/* The reason of an earlier failure to write to standard output: another write, of a newline, fails
 * for the same reason. 0: it is gone. */
static int ask_again(void)
{
    clearerr(stdout);
    errno = 0;
    return fputc('\n', stdout) == EOF || fflush(stdout) != 0 ? errno : 0;
}

int firn_cli_finish(int status)
{
    const int has_failed = ferror(stdout); /* without its reason */
    int reason = fflush(stdout) != 0 ? errno : has_failed ? ask_again() : 0;
    if (!has_failed && !reason) return status;
    firn_cli_fail(FIRN_IO, "standard output: %s",
                  reason ? firn_file_reason(reason) : "part of it was lost");
    return status == FIRN_OK ? FIRN_IO : status;
}

/* ---------------------------------------------------------------- the nearest word */

enum { WORD_MAX = 64 };

int firn_cli_suggest(const char *word, const char *words, char *out, size_t n_out)
{
    return firn_suggest_word(word, words, out, n_out);
}

/* ---------------------------------------------------------------- values */

static int read_number(const char *text, double *number)
{
    char *end;
    if (!*text || isspace((unsigned char)*text)) return 0;
    *number = strtod(text, &end);
    return *end == 0 && isfinite(*number);
}

static int read_integer(const char *text, const char *end, long long *number)
{
    char *stop;
    if (text == end || isspace((unsigned char)*text)) return 0;
    errno = 0;
    *number = strtoll(text, &stop, 10);
    return stop == end && errno == 0;
}

/* 4096, 800M, 2.5G, 4GiB, 4GB: powers of 1024, as memory is counted. */
static int read_bytes(const char *text, size_t *n_bytes)
{
    static const char units[] = "KMGT";
    char *end;
    if (!isdigit((unsigned char)*text)) return 0;
    double number = strtod(text, &end), factor = 1;
    if (*end) {
        const char *unit = *end == 'B' ? NULL : strchr(units, toupper((unsigned char)*end));
        if (unit) {
            factor = pow(1024, (double)(unit - units) + 1);
            end++;
            if (*end == 'i') end++;
        }
        if (*end == 'B') end++;
    }
    if (*end || !(number * factor >= 1) || number * factor > 1e18) return 0;
    *n_bytes = (size_t)(number * factor);
    return 1;
}

static int read_span(const char *text, int *first, int *last)
{
    const char *colon = strchr(text, ':'), *end = text + strlen(text);
    long long a = *first, b = *last;
    if (!colon) {
        if (!read_integer(text, end, &a)) return 0;
        b = a;
    } else {
        if (colon > text && !read_integer(text, colon, &a)) return 0;
        if (colon + 1 < end && !read_integer(colon + 1, end, &b)) return 0;
        if (colon == text && colon + 1 == end) return 0;
    }
    if (a < 0 || b < a || b > 100000000) return 0;
    *first = (int)a;
    *last = (int)b;
    return 1;
}

static firn_status refuse_choice(const firn_cli_option *option, const char *text)
{
    char near[WORD_MAX];
    if (firn_cli_suggest(text, option->choices, near, sizeof near))
        return firn_cli_fail(FIRN_USAGE, "--%s: unknown '%s'; allowed: %s; did you mean %s?",
                             option->name, text, option->choices, near);
    return firn_cli_fail(FIRN_USAGE, "--%s: unknown '%s'; allowed: %s", option->name, text,
                         option->choices);
}

static firn_status check_limits(const firn_cli_option *option, double number)
{
    if ((option->min != 0 || option->max != 0) && !(number >= option->min && number <= option->max))
        return firn_cli_fail(FIRN_USAGE, "--%s: out of range (%g); allowed: %g to %g", option->name,
                             number, option->min, option->max);
    return FIRN_OK;
}

static firn_status check_value(const firn_cli_option *option, const char *text)
{
    long long integer;
    double number;
    size_t n_bytes;
    int first = 0, last = 100000000;
    switch (option->type) {
    case FIRN_CLI_INTEGER:
        if (!read_integer(text, text + strlen(text), &integer))
            return firn_cli_fail(FIRN_USAGE, "--%s: '%s' is not a whole number", option->name,
                                 text);
        return check_limits(option, (double)integer);
    case FIRN_CLI_NUMBER:
        if (!read_number(text, &number))
            return firn_cli_fail(FIRN_USAGE, "--%s: '%s' is not a finite number", option->name,
                                 text);
        return check_limits(option, number);
    case FIRN_CLI_CHOICE:
        return firn_suggest_has(option->choices, text) ? FIRN_OK : refuse_choice(option, text);
    case FIRN_CLI_BYTES:
        if (read_bytes(text, &n_bytes)) return FIRN_OK;
        return firn_cli_fail(FIRN_USAGE, "--%s: '%s' is not a size; try: 800M or 2.5G",
                             option->name, text);
    case FIRN_CLI_SPAN:
        if (read_span(text, &first, &last)) return FIRN_OK;
        return firn_cli_fail(
            FIRN_USAGE,
            "--%s: '%s' is not a range of frames; allowed: a:b, a:, :b or a, with 0 <= a <= b",
            option->name, text);
    case FIRN_CLI_SETTING: {
        const char *equals = strchr(text, '=');
        if (equals && equals > text) return FIRN_OK;
        return firn_cli_fail(FIRN_USAGE, "--%s: '%s' is not of the form path.to.key=value",
                             option->name, text);
    }
    case FIRN_CLI_FILE:
    case FIRN_CLI_FOLDER:
        if (!*text) return firn_cli_fail(FIRN_USAGE, "--%s: the name is empty", option->name);
        if (strlen(text) < FIRN_PATH) return FIRN_OK;
        return firn_cli_fail(FIRN_USAGE, "--%s: path too long (%zu bytes); allowed: 1 to %d",
                             option->name, strlen(text), FIRN_PATH - 1);
    case FIRN_CLI_FLAG:
    case FIRN_CLI_TEXT: break;
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- parsing */

/* Every verb has --help; it is handled in main.c. */
static const firn_cli_option help_option = {"help", 'h', FIRN_CLI_FLAG,
                                            .doc = "Show this help and exit."};

static const firn_cli_option *find_option(const firn_cli_verb *verb, const char *name, size_t n,
                                          char letter)
{
    for (const firn_cli_option *o = verb->options; o && o->name; o++)
        if (letter ? o->letter == letter : strlen(o->name) == n && !strncmp(o->name, name, n))
            return o;
    if (letter ? letter == 'h' : n == 4 && !strncmp(name, "help", n)) return &help_option;
    return NULL;
}

static firn_status refuse_option(const firn_cli_verb *verb, const char *shown, const char *name,
                                 size_t n)
{
    char names[2048] = "help", wanted[WORD_MAX], near[WORD_MAX];
    size_t used = strlen(names);
    for (const firn_cli_option *o = verb->options; o && o->name && used < sizeof names - WORD_MAX;
         o++)
        if (!o->is_hidden)
            used += (size_t)snprintf(names + used, sizeof names - used, " %s", o->name);
    snprintf(wanted, sizeof wanted, "%.*s", (int)n, name);
    if (n > 1 && firn_cli_suggest(wanted, names, near, sizeof near))
        return firn_cli_fail(FIRN_USAGE, "unknown option %s; did you mean --%s?", shown, near);
    return firn_cli_fail(FIRN_USAGE, "unknown option %s; `firn help %s` lists the options", shown,
                         verb->name);
}

static firn_status give(firn_cli *cli, const firn_cli_option *option, const char *value)
{
    firn_status status = check_value(option, value);
    if (status != FIRN_OK) return status;
    cli->given[cli->n_given] = option;
    cli->values[cli->n_given++] = value;
    return FIRN_OK;
}

/* Reads the option at argv[*i] and, where it wants one, its value; *i is left on the last word
 * used. */
static firn_status parse_option(firn_cli *cli, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    int is_long = word[1] == '-';
    const char *name = word + 1 + is_long, *attached = NULL;
    size_t n = strlen(name);
    if (is_long) {
        n = strcspn(name, "=");
        if (name[n] == '=') attached = name + n + 1;
    } else if (name[1]) {
        attached = name + 1;
        n = 1;
    }
    const firn_cli_option *option = find_option(cli->verb, name, n, is_long ? 0 : *name);
    char shown[WORD_MAX + 8];
    snprintf(shown, sizeof shown, "%.*s", (int)(n + 1 + (size_t)is_long), word);
    if (!option) return refuse_option(cli->verb, shown, name, n);
    if (option->type == FIRN_CLI_FLAG) {
        if (attached)
            return firn_cli_fail(FIRN_USAGE, "%s: takes no value (given: '%s')", shown, attached);
        return give(cli, option, "");
    }
    if (attached) return give(cli, option, attached);
    if (*i + 1 >= argc)
        return firn_cli_fail(FIRN_USAGE, "%s: needs a value: %s %s", shown, shown, option->value);
    const char *value = argv[++*i];
    if (value[0] == '-' && value[1] == '-')
        return firn_cli_fail(FIRN_USAGE, "%s: needs a value (%s), found option %s; try: %s=%s",
                             shown, option->value, value, shown, value);
    return give(cli, option, value);
}

static firn_status check_arguments(const firn_cli *cli)
{
    const firn_cli_verb *verb = cli->verb;
    if (firn_cli_has(cli, "help")) return FIRN_OK;
    if (cli->n_arguments < verb->n_min)
        return firn_cli_fail(FIRN_USAGE, "`firn %s` needs %s; usage: firn %s [options] %s",
                             verb->name, cli->n_arguments ? "more arguments" : "an argument",
                             verb->name, verb->arguments);
    if (verb->n_max >= 0 && cli->n_arguments > verb->n_max)
        return firn_cli_fail(FIRN_USAGE,
                             "`firn %s`: unexpected argument '%s'; usage: firn %s [options] %s",
                             verb->name, cli->arguments[verb->n_max], verb->name, verb->arguments);
    return FIRN_OK;
}

firn_status firn_cli_parse(firn_cli *cli, const firn_cli_verb *verb, int argc, char **argv)
{
    size_t n = (size_t)argc + 1;
    *cli = (firn_cli){.verb = verb,
                      .program = argv[0],
                      .arguments = calloc(n, sizeof *cli->arguments),
                      .given = calloc(n, sizeof *cli->given),
                      .values = calloc(n, sizeof *cli->values)};
    if (!cli->arguments || !cli->given || !cli->values) return firn_cli_no_memory("arguments");
    int only_arguments = 0;
    for (int i = 2; i < argc; i++) {
        if (only_arguments || argv[i][0] != '-' || !argv[i][1]) {
            cli->arguments[cli->n_arguments++] = argv[i];
        } else if (!strcmp(argv[i], "--")) {
            only_arguments = 1;
        } else {
            firn_status status = parse_option(cli, argc, argv, &i);
            if (status != FIRN_OK) return status;
        }
    }
    return check_arguments(cli);
}

void firn_cli_clear(firn_cli *cli)
{
    free(cli->arguments);
    free(cli->given);
    free(cli->values);
    *cli = (firn_cli){0};
}

/* ---------------------------------------------------------------- getters */

static const char *last_value(const firn_cli *cli, const char *name)
{
    for (int i = cli->n_given - 1; i >= 0; i--)
        if (!strcmp(cli->given[i]->name, name)) return cli->values[i];
    return NULL;
}

int firn_cli_has(const firn_cli *cli, const char *name) { return last_value(cli, name) != NULL; }

const char *firn_cli_text(const firn_cli *cli, const char *name, const char *otherwise)
{
    const char *value = last_value(cli, name);
    return value ? value : otherwise;
}

int64_t firn_cli_integer(const firn_cli *cli, const char *name, int64_t otherwise)
{
    const char *value = last_value(cli, name);
    return value ? strtoll(value, NULL, 10) : otherwise;
}

double firn_cli_number(const firn_cli *cli, const char *name, double otherwise)
{
    const char *value = last_value(cli, name);
    return value ? strtod(value, NULL) : otherwise;
}

firn_status firn_cli_quantity(const firn_cli *cli, const char *name, const char *unit,
                              double *value, firn_messages *messages)
{
    char message[FIRN_UNITS_MESSAGE];
    const char *text = last_value(cli, name);
    if (!text || firn_units_read(text, unit, value, message)) return FIRN_OK;
    return firn_messages_add(messages, FIRN_USAGE, "--%s %s", name, message);
}

size_t firn_cli_bytes(const firn_cli *cli, const char *name, size_t otherwise)
{
    const char *value = last_value(cli, name);
    if (value) read_bytes(value, &otherwise);
    return otherwise;
}

int firn_cli_span(const firn_cli *cli, const char *name, int *first, int *last)
{
    const char *value = last_value(cli, name);
    return value && read_span(value, first, last);
}

int firn_cli_all(const firn_cli *cli, const char *name, const char **values, int n_max)
{
    int n = 0;
    for (int i = 0; i < cli->n_given; i++) {
        if (strcmp(cli->given[i]->name, name) != 0) continue;
        if (n < n_max) values[n] = cli->values[i];
        n++;
    }
    return n;
}
