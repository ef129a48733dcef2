/* SPDX-License-Identifier: MIT */
/* Files: whole or absent whatever fails and whenever, sentences for each reason, reading that is
 * bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <zlib.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "support/scratch.h"
#include "support/skip.h"

static unsigned char pattern[3 << 20];

static firn_status write_pattern(const char *path, size_t n, int gzip, firn_file_receipt *receipt,
                                 firn_messages *messages)
{
    firn_file_writer *writer = firn_file_create(path, gzip, messages);
    if (!writer) return firn_messages_status(messages);
    for (size_t at = 0, piece = 1; at < n; at += piece, piece = piece * 3 % 100003 + 1) {
        if (piece > n - at) piece = n - at;
        firn_file_write(writer, pattern + at, piece);
    }
    return firn_file_commit(writer, receipt, messages);
}

static void writes_what_was_given(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 31, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, sizeof pattern};
    firn_messages *messages = firn_messages_create();
    for (int i = 0; i < 7; i++)
        for (int gzip = 0; gzip < 2; gzip++) {
            firn_file_receipt receipt, again;
            assert_int_equal(write_pattern(scratch("a"), sizes[i], gzip, &receipt, messages),
                             FIRN_OK);
            size_t n;
            unsigned char *data = scratch_load(scratch("a"), &n);
            assert_int_equal(receipt.n_bytes, n);
            assert_true(receipt.checksum == firn_hash_of(data, n));
            assert_int_equal(firn_file_receipt_of(scratch("a"), UINT64_MAX, &again, messages),
                             FIRN_OK);
            assert_memory_equal(&receipt, &again, sizeof again);
            if (!gzip) {
                assert_int_equal(n, sizes[i]);
                assert_memory_equal(data, pattern, n);
            } else { /* zlib's own reader is the oracle */
                gzFile file = gzopen(scratch("a"), "rb");
                unsigned char *plain = malloc(sizes[i] + 1);
                assert_int_equal(gzread(file, plain, (unsigned)sizes[i] + 1), sizes[i]);
                assert_memory_equal(plain, pattern, sizes[i]);
                gzclose(file);
                free(plain);
            }
            free(data);
            firn_file_reader *reader = firn_file_open(scratch("a"), gzip, messages);
            unsigned char *read = malloc(sizes[i] + 1);
            assert_true(firn_file_left(reader) >= sizes[i]);
            for (size_t at = 0, piece = 0; at < sizes[i];
                 at += piece, piece = piece * 5 % 700001 + 1) {
                if (piece > sizes[i] - at) piece = sizes[i] - at;
                assert_int_equal(firn_file_read(reader, read + at, piece, "it", messages), FIRN_OK);
            }
            assert_memory_equal(read, pattern, sizes[i]);
            assert_int_equal(firn_file_finish(reader, messages), FIRN_OK);
            firn_file_close(reader);
            free(read);
        }
    assert_int_equal(firn_messages_total(messages), 0);
    firn_messages_destroy(messages);
}

/* Every system call fails in turn, with every reason: the old file stays, nothing else is left,
 * a sentence says why. */
static void keeps_the_old_file_when_anything_fails(void **state)
{
    (void)state;
    const int reasons[] = {ENOSPC, EIO, EROFS, ENOENT, EACCES};
    const char *words[] = {"disk is full", "input/output error", "read-only",
                           "no such file or folder", "permission denied"};
    scratch_store(scratch("kept"), "old", 3);
    int before = scratch_count(scratch_folder);
    for (int r = 0; r < 5; r++)
        for (int gzip = 0; gzip < (r ? 1 : 2); gzip++) {
            int failures = 0;
            for (int k = 1;; k++, failures++) {
                firn_messages *messages = firn_messages_create();
                firn_file_fail_after(k, reasons[r]);
                firn_status status =
                    write_pattern(scratch("kept"), (1 << 20) + 100, gzip, NULL, messages);
                firn_file_fail_after(0, 0);
                assert_int_equal(scratch_count(scratch_folder), before);
                size_t n;
                unsigned char *data = scratch_load(scratch("kept"), &n);
                int is_old = n == 3 && memcmp(data, "old", 3) == 0;
                free(data);
                if (status != FIRN_OK) {
                    assert_int_equal(status, FIRN_IO);
                    assert_true(scratch_says(messages, words[r]));
                    assert_true(scratch_says(messages, "/kept: cannot be written"));
                }
                firn_messages_destroy(messages);
                if (status == FIRN_OK) break;
                if (!is_old)
                    scratch_store(scratch("kept"), "old",
                                  3); /* only the folder's sync failed: whole, new */
            }
            /* open, at least one write, fsync, close, rename, fsync of the folder */
            assert_true(failures >= 6);
            scratch_store(scratch("kept"), "old", 3);
        }
}

static void fails_whole_when_allocations_fail(void **state)
{
    (void)state;
    for (int k = 1; k < 40; k++) {
        firn_messages *messages = firn_messages_create();
        int before = scratch_count(scratch_folder);
        firn_memory_fail_after(k);
        firn_status status = write_pattern(scratch("new"), 100000, 1, NULL, messages);
        firn_memory_fail_after(0);
        if (status != FIRN_OK) {
            assert_int_equal(status, FIRN_MEMORY);
            assert_int_equal(scratch_count(scratch_folder), before);
        }
        firn_messages_destroy(messages);
        if (status == FIRN_OK) break;
        assert_true(k < 39);
    }
    for (int k = 1; k < 40; k++) {
        firn_memory_fail_after(k);
        firn_file_reader *reader = firn_file_open(scratch("new"), 1, NULL);
        unsigned char byte[1000];
        firn_status status = reader ? firn_file_read(reader, byte, 1000, "it", NULL) : FIRN_MEMORY;
        firn_memory_fail_after(0);
        firn_file_close(reader);
        if (status == FIRN_OK) break;
        assert_true(k < 39);
    }
}

static void refuses_targets_that_are_not_files(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    assert_null(firn_file_create(scratch("no/such/x"), 0, messages));
    assert_true(scratch_says(messages, "no such file or folder"));
    assert_null(firn_file_create(scratch_folder, 0, messages));
    assert_true(scratch_says(messages, "a folder, not a file"));
    assert_null(firn_file_create("/dev/null", 0, messages));
    assert_true(scratch_says(messages, "/dev/null: cannot be written: not an ordinary file"));
    scratch_store(scratch("locked"), "x", 1);
    assert_int_equal(chmod(scratch("locked"), 0444), 0);
    assert_null(firn_file_create(scratch("locked"), 0, messages)); /* also as root, who could */
    assert_true(scratch_says(messages, "write-protected"));
    char name[400];
    memset(name, 'n', 300);
    name[300] = 0;
    assert_null(firn_file_create(scratch(name), 0, messages));
    assert_true(scratch_says(messages, "too long"));
    memset(name, 'n', 255);
    name[255] = 0; /* the longest name there may be: the temporary one must not be longer */
    assert_int_equal(write_pattern(scratch(name), 10, 0, NULL, NULL), FIRN_OK);
    assert_int_equal(firn_file_make_folder(scratch("locked/below"), messages), FIRN_IO);
    assert_true(scratch_says(
        messages, "locked: the folder cannot be made: a part of the path is not a folder"));
    assert_int_equal(firn_file_make_folder(scratch("a1/b/c/"), NULL), FIRN_OK);
    assert_int_equal(firn_file_make_folder(scratch("a1/b/c"), NULL), FIRN_OK);
    firn_messages_destroy(messages);
}

static void follows_links(void **state)
{
    (void)state;
    scratch_store(scratch("target"), "old", 3);
    assert_int_equal(symlink("target", scratch("link")), 0);
    assert_int_equal(write_pattern(scratch("link"), 5, 0, NULL, NULL), FIRN_OK);
    struct stat info;
    assert_int_equal(lstat(scratch("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(scratch("target"), &info), 0);
    assert_int_equal(info.st_size, 5);
}

/* The kernel itself refuses here, not the hook: a limit on the file size, and a real full disk
 * where a process may mount one. */
static void meets_a_real_limit(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {1 << 20, 1 << 20};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        firn_messages *messages = firn_messages_create();
        firn_status status = write_pattern(scratch("large"), sizeof pattern, 0, NULL, messages);
        _exit(!(status == FIRN_IO && scratch_says(messages, "ulimit -f")));
    }
    int code;
    waitpid(child, &code, 0);
    assert_int_equal(code, 0);
    struct stat info;
    assert_int_not_equal(stat(scratch("large"), &info), 0);
}

static void meets_a_full_disk(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(77);
        if (mkdir(scratch("disk"), 0777) != 0) _exit(1);
        if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", scratch("disk"), "tmpfs", 0, "size=2m") != 0)
            _exit(77);
        firn_messages *messages = firn_messages_create();
        int good = write_pattern(scratch("disk/first"), 1 << 19, 0, NULL, messages) == FIRN_OK;
        good = good &&
               write_pattern(scratch("disk/second"), sizeof pattern, 0, NULL, messages) == FIRN_IO;
        good = good && scratch_says(messages, "the disk is full") &&
               scratch_count(scratch("disk")) == 1;
        size_t n = 0;
        unsigned char *data = scratch_load(scratch("disk/first"), &n);
        good = good && n == 1 << 19 && memcmp(data, pattern, n) == 0;
        _exit(!good);
    }
    int code;
    waitpid(child, &code, 0);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 77)
        SKIP("a file system of limited size may not be mounted");
    assert_int_equal(code, 0);
}

static void says_where_a_file_was_cut(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    scratch_store(scratch("short"), pattern, 100);
    firn_file_reader *reader = firn_file_open(scratch("short"), 0, messages);
    unsigned char data[200];
    assert_int_equal(firn_file_left(reader), 100);
    assert_int_equal(firn_file_read(reader, data, 60, "the header", messages), FIRN_OK);
    assert_int_equal(firn_file_left(reader), 40);
    assert_int_equal(firn_file_read(reader, data, 60, "the points", messages), FIRN_IO);
    assert_true(scratch_says(messages, "cut off (ends after 100 bytes, inside the points)"));
    firn_file_close(reader);
    reader = firn_file_open(scratch("short"), 0, messages);
    firn_file_read(reader, data, 60, "the header", messages);
    assert_int_equal(firn_file_finish(reader, messages), FIRN_IO);
    assert_true(scratch_says(messages, "more bytes after the end of the data, at byte 60"));
    firn_file_close(reader);
    assert_null(firn_file_open("/dev/zero", 0, messages));
    assert_int_equal(mkfifo(scratch("pipe"), 0666), 0);
    assert_null(firn_file_open(scratch("pipe"), 0, messages)); /* and does not hang */
    assert_null(firn_file_open(scratch_folder, 0, messages));
    assert_true(scratch_says(messages, "a folder, not a file"));
    size_t n;
    assert_null(firn_file_text(scratch("short"), 99, &n, messages));
    assert_true(scratch_says(messages, "too long (100 bytes); allowed: up to 99"));
    firn_messages_destroy(messages);
}

/* Every bit of a small gzip file but the few that its header does not use, and every cut of it. */
static void sees_damage_in_gzip(void **state)
{
    (void)state;
    assert_int_equal(write_pattern(scratch("z"), 500, 1, NULL, NULL), FIRN_OK);
    size_t n;
    unsigned char *data = scratch_load(scratch("z"), &n), out[501];
    for (size_t cut = 0; cut < n; cut++) {
        scratch_store(scratch("cut"), data, cut);
        firn_file_reader *reader = firn_file_open(scratch("cut"), 1, NULL);
        int good = firn_file_read(reader, out, 500, "it", NULL) == FIRN_OK &&
                   firn_file_finish(reader, NULL) == FIRN_OK;
        firn_file_close(reader);
        assert_false(good);
    }
    for (size_t bit = 10 * 8; bit < 8 * n; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        scratch_store(scratch("cut"), data, n);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        firn_file_reader *reader = firn_file_open(scratch("cut"), 1, NULL);
        int good = firn_file_read(reader, out, 500, "it", NULL) == FIRN_OK &&
                   firn_file_finish(reader, NULL) == FIRN_OK;
        firn_file_close(reader);
        assert_false(good && memcmp(out, pattern, 500) != 0); /* never silently wrong */
    }
    free(data);
}

static void appends_and_publishes(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_file_append(scratch("log"), 0, "one\n", 4, messages), FIRN_OK);
    assert_int_equal(firn_file_append(scratch("log"), 4, "two\n", 4, messages), FIRN_OK);
    assert_int_equal(firn_file_append(scratch("log"), 4, "TWO\n", 4, messages),
                     FIRN_OK); /* what was torn is replaced */
    size_t n;
    char *text = firn_file_text(scratch("log"), 100, &n, messages);
    assert_string_equal(text, "one\nTWO\n");
    firn_memory_release(NULL, text, n + 1);
    assert_int_equal(firn_file_append(scratch("log"), 9, "x", 1, messages), FIRN_IO);
    assert_true(scratch_says(messages, "cut by another program"));

    char temporary[4096];
    assert_int_equal(
        firn_file_temporary(scratch("made.prt"), temporary, sizeof temporary, messages), FIRN_OK);
    assert_true(firn_file_is_temporary(strrchr(temporary, '/') + 1));
    assert_string_equal(strrchr(temporary, '.'), ".prt");
    scratch_store(temporary, pattern, 1000);
    firn_file_receipt receipt;
    assert_int_equal(firn_file_publish(temporary, scratch("made.prt"), &receipt, messages),
                     FIRN_OK);
    assert_true(receipt.n_bytes == 1000 && receipt.checksum == firn_hash_of(pattern, 1000));
    assert_int_equal(access(scratch("made.prt"), F_OK), 0);
    assert_int_not_equal(access(temporary, F_OK), 0);

    assert_int_equal(firn_file_temporary(scratch("left"), temporary, sizeof temporary, messages),
                     FIRN_OK);
    int before = scratch_count(scratch_folder);
    assert_int_equal(firn_file_sweep(scratch_folder, messages), FIRN_OK);
    assert_int_equal(scratch_count(scratch_folder), before - 1);
    firn_messages_destroy(messages);
}

int main(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (unsigned char)((x = x * 1664525u + 1013904223u) >> 28);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_was_given),
        cmocka_unit_test(keeps_the_old_file_when_anything_fails),
        cmocka_unit_test(fails_whole_when_allocations_fail),
        cmocka_unit_test(refuses_targets_that_are_not_files),
        cmocka_unit_test(follows_links),
        cmocka_unit_test(meets_a_real_limit),
        cmocka_unit_test(meets_a_full_disk),
        cmocka_unit_test(says_where_a_file_was_cut),
        cmocka_unit_test(sees_damage_in_gzip),
        cmocka_unit_test(appends_and_publishes),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
