/* report.c: sentences about what went wrong, collected in the order found. A report never fails to take note: when
 * memory is short it has room of its own for the first sentence; later ones are dropped, but the status and the count
 * stay right. */
#include "report.h"
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE_MAX = 2048, SENTENCES_MAX = 1000, OWN_ROOM = 512 };

typedef struct sentence {
    firn_level level;
    char *text;
} sentence;

struct firn_report {
    firn_status status;
    int n, n_level[3];
    sentence *sentences;
    int capacity; /* of the list; 0 with the sentence in `own` */
    sentence own;
    char own_text[OWN_ROOM];
};

firn_report *firn_report_create(void) { return firn_memory_allocate(NULL, sizeof(firn_report)); }

void firn_report_clear(firn_report *report)
{
    if (!report) return;
    for (int i = 0; i < report->n && report->capacity; i++)
        if (report->sentences[i].text != report->own_text)
            firn_memory_release(NULL, report->sentences[i].text, strlen(report->sentences[i].text) + 1);
    if (report->capacity)
        firn_memory_release(NULL, report->sentences, (size_t)report->capacity * sizeof *report->sentences);
    *report = (firn_report){0};
}

void firn_report_destroy(firn_report *report)
{
    firn_report_clear(report);
    firn_memory_release(NULL, report, sizeof *report);
}

static void note(firn_report *report, firn_level level, const char *format, va_list arguments)
{
    report->n_level[level]++;
    if (report->n >= SENTENCES_MAX) return;
    if (report->n >= report->capacity) {
        int capacity = report->capacity ? 2 * report->capacity : 16;
        sentence *grown = firn_memory_array(NULL, (size_t)capacity, sizeof *grown);
        if (!grown && report->n) return;
        if (grown) {
            if (report->n) memcpy(grown, report->sentences, (size_t)report->n * sizeof *grown);
            if (report->capacity)
                firn_memory_release(NULL, report->sentences, (size_t)report->capacity * sizeof *grown);
            report->sentences = grown, report->capacity = capacity;
        } else {
            report->sentences = &report->own;
        }
    }
    char text[SENTENCE_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    char *copy = firn_memory_string(NULL, text);
    if (!copy && report->n) return;
    if (!copy) copy = report->own_text, snprintf(copy, OWN_ROOM, "%.*s", OWN_ROOM - 1, text);
    report->sentences[report->n++] = (sentence){level, copy};
}

/* ---------------------------------------------------------------- order */

/* Reads "NAME:LINE:COLUMN: " at the front of a sentence; 0: there is no such place. */
static int read_place(const char *text, const char *name, long place[2])
{
    size_t n = strlen(name);
    if (strncmp(text, name, n) != 0 || text[n] != ':') return 0;
    for (int i = 0; i < 2; i++) {
        char *end;
        place[i] = strtol(text + n + 1, &end, 10);
        if (end == text + n + 1 || *end != ':') return 0;
        n = (size_t)(end - text);
    }
    return 1;
}

static int is_before(const sentence *a, const sentence *b, const char *name)
{
    long p[2], q[2];
    int a_is_placed = read_place(a->text, name, p), b_is_placed = read_place(b->text, name, q);
    if (!a_is_placed || !b_is_placed) return a_is_placed && !b_is_placed;
    return p[0] != q[0] ? p[0] < q[0] : p[1] < q[1];
}

/* By insertion: stable, and a report has few sentences. */
void firn_report_sort(firn_report *report, int first, const char *name)
{
    for (int i = first + 1; report && i < report->n; i++)
        for (int k = i; k > first && is_before(&report->sentences[k], &report->sentences[k - 1], name); k--) {
            sentence moved = report->sentences[k];
            report->sentences[k] = report->sentences[k - 1], report->sentences[k - 1] = moved;
        }
}

/* ---------------------------------------------------------------- adding */

firn_status firn_report_add(firn_report *report, firn_status status, const char *format, ...)
{
    if (!report) return status;
    if (report->status == FIRN_OK) report->status = status;
    va_list arguments;
    va_start(arguments, format);
    note(report, FIRN_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

void firn_report_warn(firn_report *report, const char *format, ...)
{
    if (!report) return;
    va_list arguments;
    va_start(arguments, format);
    note(report, FIRN_WARNING, format, arguments);
    va_end(arguments);
}

firn_status firn_report_status(const firn_report *report) { return report ? report->status : FIRN_OK; }

int firn_report_count(const firn_report *report, firn_level level) { return report ? report->n_level[level] : 0; }

int firn_report_total(const firn_report *report) { return report ? report->n : 0; }

const char *firn_report_sentence(const firn_report *report, int i, firn_level *level)
{
    if (!report || i < 0 || i >= report->n) return "";
    if (level) *level = report->sentences[i].level;
    return report->sentences[i].text;
}

const char *firn_version(void) { return FIRN_VERSION; }
