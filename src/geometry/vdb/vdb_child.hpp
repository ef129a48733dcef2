// SPDX-License-Identifier: MIT
// vdb_child.hpp: a .vdb file is read by a child process, which hands over what it read.
//
// OpenVDB believes what a file says of itself: four damaged bytes make a text of 4 GB, a page of
// attributes that is shorter than it says fails an assertion, which Debian's build has in, a packed
// part longer than its room is written over the heap. None of that can be caught in the process
// that reads, so the process that reads is another one:
//
//     parent                                child
//     pipe, fork ------------------------>  limits on memory, processor time, signals
//                                           OpenVDB reads; values are checked
//     messages, then grids or points  <---  through the pipe
//     waits for the end                     _exit
//
// What ends the child early (a signal, a limit, an exception) is a message of the parent. Limits:
//
//     memory          min(--max-memory, 128 MiB + 128 times the file's length), beyond what the
//                     parent has at the fork (RLIMIT_AS). A tree takes at most some fifty times
//                     the length of its file, and parts of it are asked for twice.
//     processor time  2 s + 1 s for each MiB of the file (RLIMIT_CPU); a sound one takes .02 s.
//
//     standstill      60 s in which the child sends nothing, uses no processor time and sleeps at
//                     every look (Linux). One that works or waits for the disk never does that, on
//                     however busy a machine.
//
// The child of a process with threads has one thread, and locks as they stood at the fork. So it
// starts no thread, runs no loop of TBB or OpenMP (trees are not destroyed either), and firn forks
// only while none of its own threads is inside OpenVDB (vdb_guard.hpp). A thread of the host may
// hold a lock of a library all the same, which the child would wait for without end: the
// standstill ends it.
#pragma once

#include "firn/base.h"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

namespace firn
{

// The child's end. Writing never fails: without a parent the child ends.
class outlet
{
  public:
    explicit outlet(int descriptor) : fd(descriptor) {}
    void put(const void *data, std::size_t n);
    template <class Value> void value(const Value &x) { put(&x, sizeof x); }
    void text(const std::string &x);
    void flush();

  private:
    int fd;
    std::vector<char> waiting;
};

// Seconds of standstill after which a child is given up; tests shorten it.
extern int standstill_seconds;

// The parent's end. Throws `ended` where the child ended before, `stuck` where it stands still,
// `beyond` where it sends more than it may.
class inlet
{
  public:
    struct ended : std::exception {
    };
    struct stuck : std::exception {
    };
    struct beyond : std::exception {
    };
    inlet(int descriptor, pid_t sender, std::size_t n_allowed)
        : fd(descriptor), child(sender), left(n_allowed)
    {
    }
    void get(void *data, std::size_t n);
    template <class Value> Value value()
    {
        Value x;
        get(static_cast<void *>(&x), sizeof x);
        return x;
    }
    std::string text();

  private:
    void wait_for_data() const;

    int fd;
    pid_t child;
    std::size_t left, at = 0;
    std::vector<char> waiting;
};

// The file contradicts itself; thrown by what runs in the child.
struct damaged : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct child_work {
    std::function<firn_status(std::size_t n_bytes, firn_messages *)> read; // the file, n_bytes long
    std::function<void(outlet &)> send; // what was read; called when all of it was
};

// Runs `work` in a child and `take`, which gets what was sent, in this process. most: what
// --max-memory allows, 0: not given. Call it outside of firn::guarded.
firn_status read_in_child(const char *path, std::size_t most, firn_messages *messages,
                          const child_work &work, const std::function<firn_status(inlet &)> &take);

} // namespace firn
