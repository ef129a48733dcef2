/* report.c: sentences about what went wrong, collected in the order found. A report never fails to take note:
 * when memory is short the sentence is dropped, but the status and the count stay right. */
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE_MAX = 2048, SENTENCES_MAX = 1000 };

typedef struct sentence {
    firn_level level;
    char *text;
} sentence;

struct firn_report {
    firn_status status;
    int n, n_level[3];
    sentence *sentences;
    int capacity;
};

firn_report *firn_report_create(void) { return firn_memory_allocate(NULL, sizeof(firn_report)); }

void firn_report_clear(firn_report *report)
{
    if (!report) return;
    for (int i = 0; i < report->n; i++) free(report->sentences[i].text);
    free(report->sentences);
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
    if (report->n == report->capacity) {
        int capacity = report->capacity ? 2 * report->capacity : 16;
        sentence *grown = realloc(report->sentences, (size_t)capacity * sizeof *grown);
        if (!grown) return;
        report->sentences = grown, report->capacity = capacity;
    }
    char text[SENTENCE_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    char *copy = malloc(strlen(text) + 1);
    if (!copy) return;
    strcpy(copy, text);
    report->sentences[report->n++] = (sentence){level, copy};
}

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
