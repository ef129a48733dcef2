/* SPDX-License-Identifier: MIT */
/* run_summary.c: see run_summary.h. */
#include "session/run_summary.h"

#include "base/shell.h"
#include "shot/manifest.h"

#include <string.h>
#include <sys/stat.h>

typedef struct counting {
    const char *folder, *name;
    int64_t n_files;
    double n_bytes;
    char first[FIRN_NAME * 2], last[FIRN_NAME * 2]; /* names of caches */
} counting;

static void count_one(void *user, const char *file)
{
    counting *c = user;
    char path[2 * FIRN_PATH];
    struct stat info;
    int frame, thousandths;
    size_t n_stem;
    if (!firn_shot_parse_name(file, c->name, &frame, &thousandths, &n_stem)) return;
    snprintf(path, sizeof path, "%s/%s", c->folder, file);
    if (stat(path, &info) == 0) c->n_bytes += (double)info.st_size;
    if (!c->n_files++) snprintf(c->first, sizeof c->first, "%s", file);
    snprintf(c->last, sizeof c->last, "%s", file);
}

void firn_run_summary_print(const char *folder, FILE *out)
{
    firn_manifest manifest;
    firn_text text = {0}, word = {0};
    if (firn_manifest_read(folder, &manifest, NULL) != FIRN_OK) return;
    counting c = {.folder = folder, .name = manifest.name};
    firn_file_list(folder, count_one, &c, NULL);
    firn_shell_add_word(&word, folder);
    const char *shot = word.data ? word.data : folder;
    firn_text_add(&text, "done: frames 0 to %d in %s: ", manifest.last_frame, folder);
    if (c.n_files > 1) {
        firn_text_add(&text, "%lld caches, %s to %s, ", (long long)c.n_files, c.first, c.last);
        firn_text_add_size(&text, c.n_bytes);
    } else if (c.n_files) {
        firn_text_add(&text, "one cache, %s, ", c.first);
        firn_text_add_size(&text, c.n_bytes);
    } else {
        firn_text_add(&text, "no caches; ledger.csv has the numbers over time");
    }
    firn_text_add(&text, "\nnext: ");
    if (c.n_files)
        firn_text_add(&text, "firn render %s (pictures), firn mesh %s (surfaces), ", shot, shot);
    firn_text_add(&text, "firn info %s (what is in it)\n", shot);
    if (text.data && !text.has_failed) fputs(text.data, out);
    firn_text_clear(&text);
    firn_text_clear(&word);
    firn_manifest_clear(&manifest);
}
