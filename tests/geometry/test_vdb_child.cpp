// SPDX-License-Identifier: MIT
// The child process that reads .vdb files: whatever happens in it is a message of this process.
#include "geometry/vdb/vdb_child.hpp"

#include "support/scratch.h"
#include "support/skip.h" // FIRN_TESTS_SANITIZED

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ios>
#include <setjmp.h>
#include <thread>

extern "C" {
#include <cmocka.h>
}

namespace
{

constexpr std::size_t MIB = (std::size_t)1 << 20;

firn_status nothing(firn::inlet &) { return FIRN_OK; }

// Reads scratch file "a.vdb", of 1000 bytes, by `read`, which is to fail with this status and
// these words.
template <class Read>
void expect(firn_status wanted, const char *words, std::size_t most, Read &&read)
{
    firn_messages *messages = firn_messages_create();
    const firn::child_work work = {[&](std::size_t n, firn_messages *to) {
                                       assert_int_equal(n, 1000);
                                       read();
                                       return firn_messages_add(to, FIRN_STOPPED, "it went on");
                                   },
                                   [](firn::outlet &) {}};
    const firn_status status = firn::read_in_child(scratch("a.vdb"), most, messages, work, nothing);
    assert_int_equal(status, wanted);
    assert_true(scratch_says(messages, words));
    firn_messages_destroy(messages);
}

void ends_badly(void **)
{
    expect(FIRN_IO, "a.vdb: damaged (OpenVDB cannot read what it holds: Aborted)", 0,
           [] { std::abort(); });
    expect(FIRN_IO, "a.vdb: damaged (OpenVDB cannot read what it holds: Segmentation fault)", 0,
           [] { std::raise(SIGSEGV); });
    expect(FIRN_IO, "a.vdb: damaged (OpenVDB cannot read what it holds)", 0, [] { _exit(0); });
    expect(FIRN_IO, "a.vdb: damaged (grid \"a\" is odd)", 0,
           [] { throw firn::damaged("grid \"a\" is odd"); });
    expect(FIRN_IO, "a.vdb: damaged (it ends", 0, [] { throw std::ios_base::failure("end"); });
    expect(FIRN_IO, "a.vdb: damaged, or not a .vdb file (OpenVDB: odd)", 0,
           [] { throw std::runtime_error("odd"); });
    expect(FIRN_MEMORY, "a.vdb: out of memory", 0, [] { std::raise(SIGKILL); });
}

void goes_on_for_ever(void **)
{
    expect(FIRN_IO, "a.vdb: damaged (reading it took more than 2 s of processor time)", 0, [] {
        for (volatile unsigned i = 0;; i = i + 1) {}
    });
}

// As one does that waits for a lock which nobody gives back; one that is at work is left alone
// (goes_on_for_ever).
void stands_still(void **)
{
    firn::standstill_seconds = 1;
    expect(FIRN_IO, "a.vdb: the process that reads it stands still since 1 s; try: again", 0, [] {
        for (;;) pause();
    });
}

// Of a size that the limit does not reach, and in many small pieces
void asks_for_memory(void **)
{
    const auto at_once = [] {
        static_cast<volatile char *>(operator new((std::size_t)4 << 40))[0] = 1;
    };
    const auto slowly = [] {
        for (int i = 0; i < 30000; i++) static_cast<volatile char *>(operator new(100000))[0] = 1;
    };
#ifdef FIRN_TESTS_SANITIZED
    /* Its allocator has small pieces from room that it reserved at the start, which no limit counts,
     * and ends the child where a large one is refused: a message all the same. */
    (void)slowly;
    expect(FIRN_IO, "a.vdb: damaged (OpenVDB cannot read what it holds", 16 * MIB, at_once);
#else
    expect(FIRN_IO, "asks for more than 128.1 MiB of memory, which 1000 bytes cannot need", 0,
           at_once);
    expect(FIRN_IO, "asks for more than 128.1 MiB of memory, which 1000 bytes cannot need", 0,
           slowly);
    expect(FIRN_MEMORY, "reading it takes more than --max-memory (16 MiB)", 16 * MIB, slowly);
#endif
}

// Also from several threads at a time. Messages come over in their order.
void hands_over(void **)
{
    int n_right[4] = {0, 0, 0, 0};
    const std::string path = scratch("a.vdb");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([t, &n_right, &path] {
            for (int i = 0; i < 20; i++) {
                std::vector<int> sent;
                firn_messages *messages = firn_messages_create();
                const firn::child_work work = {[&](std::size_t, firn_messages *to) {
                                                   firn_messages_warn(to, "first %d", i);
                                                   firn_messages_warn(to, "second");
                                                   for (int k = 0; k < 300000; k++)
                                                       sent.push_back(k ^ t);
                                                   return FIRN_OK;
                                               },
                                               [&](firn::outlet &out) {
                                                   out.text("numbers");
                                                   out.put(sent.data(), 4 * sent.size());
                                               }};
                bool is_right = false;
                const auto take = [&](firn::inlet &in) {
                    is_right = in.text() == "numbers";
                    int values[1000]; // by one, and in pieces that end anywhere in a buffer
                    for (int k = 0, n; k < 300000; k += n) {
                        n = std::min(k < 2000 ? 1 : 1 + k % 997, 300000 - k);
                        in.get(values, sizeof *values * (std::size_t)n);
                        for (int m = 0; m < n; m++) is_right &= values[m] == ((k + m) ^ t);
                    }
                    return FIRN_OK;
                };
                is_right &= !firn::read_in_child(path.c_str(), 0, messages, work, take);
                is_right &= firn_messages_total(messages) == 2;
                is_right &= firn_messages_count(messages, FIRN_WARNING) == 2;
                is_right &= !strcmp(firn_messages_text(messages, 1, nullptr), "second");
                firn_messages_destroy(messages);
                n_right[t] += is_right;
            }
        });
    for (auto &thread : threads) thread.join();
    for (int n : n_right) assert_int_equal(n, 20);
}

// A child that sends less or more than it should; more than memory for it is allowed.
void lengths(void **)
{
    for (int k = 0; k < 2; k++) {
        firn_messages *messages = firn_messages_create();
        const std::vector<char> sent(k ? 3 * MIB : 10);
        const firn::child_work work = {
            [](std::size_t, firn_messages *) { return FIRN_OK; },
            [&](firn::outlet &out) { out.put(sent.data(), sent.size()); }};
        const auto take = [&](firn::inlet &in) {
            std::vector<char> taken(3 * MIB);
            in.get(taken.data(), taken.size());
            return FIRN_OK;
        };
        assert_int_equal(
            firn::read_in_child(scratch("a.vdb"), k ? 2 * MIB : 16 * MIB, messages, work, take),
            k ? FIRN_MEMORY : FIRN_IO);
        assert_true(scratch_says(messages, k ? "more than --max-memory (2 MiB)" : "damaged ("));
        firn_messages_destroy(messages);
    }
}

int make_file(void **state)
{
    if (scratch_create(state) != 0) return -1;
    const std::vector<char> data(1000);
    scratch_store(scratch("a.vdb"), data.data(), data.size());
    return 0;
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_badly),       cmocka_unit_test(stands_still),
        cmocka_unit_test(goes_on_for_ever), cmocka_unit_test(asks_for_memory),
        cmocka_unit_test(hands_over),       cmocka_unit_test(lengths),
    };
    return cmocka_run_group_tests(tests, make_file, scratch_destroy);
}
