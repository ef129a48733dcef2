// SPDX-License-Identifier: MIT
// vdb_child.cpp: see vdb_child.hpp.
#include "geometry/vdb/vdb_child.hpp"
#include "geometry/vdb/vdb_guard.hpp"

extern "C" {
#include "base/file.h"
#include "base/messages.h"
}

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <ios>
#include <mutex>
#include <new>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// There where address or thread sanitizer are in the program; this file is not instrumented.
extern "C" {
void __asan_init(void) __attribute__((weak));
void __tsan_init(void) __attribute__((weak));
}

namespace firn
{

namespace
{

constexpr std::size_t MIB = (std::size_t)1 << 20, BUFFER = 512 << 10;
constexpr std::size_t ALLOWED_ALWAYS = 128 * MIB, ALLOWED_PER_BYTE = 128;
constexpr int OUT_OF_MEMORY = 77; // exit code of the child
constexpr rlim_t SECONDS_ALWAYS = 2;

std::size_t needed_for(std::size_t n_bytes)
{
    return ALLOWED_ALWAYS + (n_bytes < SIZE_MAX / 256 ? n_bytes * ALLOWED_PER_BYTE : SIZE_MAX / 2);
}

rlim_t seconds_for(std::size_t n_bytes) { return SECONDS_ALWAYS + n_bytes / MIB; }

} // namespace

// ---------------------------------------------------------------- the pipe

void outlet::flush()
{
    const char *data = waiting.data();
    for (std::size_t left = waiting.size(); left > 0;) {
        const ssize_t n = write(fd, data, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(1);
        data += n;
        left -= (std::size_t)n;
    }
    waiting.clear();
}

void outlet::put(const void *data, std::size_t n)
{
    const char *from = static_cast<const char *>(data);
    while (n > 0) {
        const std::size_t part = std::min(n, BUFFER - waiting.size());
        waiting.insert(waiting.end(), from, from + part);
        from += part;
        n -= part;
        if (waiting.size() == BUFFER) flush();
    }
}

void outlet::text(const std::string &x)
{
    value((std::uint64_t)x.size());
    put(x.data(), x.size());
}

namespace
{

// Of a process: whether it sleeps, and how much processor time it has used, in ticks; false: not
// known. The name, in parentheses, may hold anything.
bool look_at(pid_t pid, bool *sleeps, unsigned long long *used)
{
    char path[64], text[1024];
    std::snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    text[n > 0 ? n : 0] = 0;
    const char *after = std::strrchr(text, ')');
    char state = 0;
    unsigned long long user = 0, system = 0;
    if (!after || std::sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
                              &state, &user, &system) != 3)
        return false;
    *sleeps = state == 'S';
    *used = user + system;
    return true;
}

} // namespace

int standstill_seconds = 60;

void inlet::wait_for_data() const
{
    unsigned long long before = 0;
    for (int n_still = 0; n_still <= standstill_seconds;) {
        struct pollfd one = {fd, POLLIN, 0};
        const int n = poll(&one, 1, 1000);
        if (n > 0 || (n < 0 && errno != EINTR)) return; /* data, the end, or an error to be read */
        bool sleeps = false;
        unsigned long long used = 0;
        if (n < 0 || !look_at(child, &sleeps, &used)) continue;
        n_still = sleeps && used == before ? n_still + 1 : 0;
        before = used;
    }
    throw stuck();
}

void inlet::get(void *data, std::size_t n)
{
    char *to = static_cast<char *>(data);
    if (n > left) throw beyond();
    left -= n;
    while (n > 0) {
        if (at == waiting.size()) {
            waiting.resize(BUFFER);
            wait_for_data();
            ssize_t got;
            do got = read(fd, waiting.data(), BUFFER);
            while (got < 0 && errno == EINTR);
            at = 0;
            waiting.resize(got > 0 ? (std::size_t)got : 0);
            if (got <= 0) throw ended();
        }
        const std::size_t part = std::min(n, waiting.size() - at);
        std::memcpy(to, waiting.data() + at, part);
        at += part;
        to += part;
        n -= part;
    }
}

std::string inlet::text()
{
    const auto n = value<std::uint64_t>();
    if (n > left) throw beyond();
    std::string x((std::size_t)n, 0);
    get(&x[0], x.size());
    return x;
}

// ---------------------------------------------------------------- in the child

namespace
{

// Of all mappings, also those without pages; 0: not known.
std::size_t bytes_mapped()
{
    char text[64] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? std::strtoull(text, nullptr, 10) * (std::size_t)sysconf(_SC_PAGESIZE) : 0;
}

void limit(decltype(RLIMIT_AS) what, rlim_t soft, rlim_t hard)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0) return;
    now.rlim_max = std::min(now.rlim_max, hard);
    now.rlim_cur = std::min(now.rlim_max, std::min(now.rlim_cur, soft));
    setrlimit(what, &now);
}

// Signals are blocked since before the fork, so that an interrupt is the parent's alone; those of
// faults end the child without a handler of the host, without a core file, and silently.
void settle(std::size_t allowance, std::size_t n_bytes)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGSYS};
    sigset_t set;
    sigemptyset(&set);
    for (int fault : faults) {
        signal(fault, SIG_DFL);
        sigaddset(&set, fault);
    }
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    /* A sanitizer's allocator pads each block and keeps freed ones for a while. It ends the process
     * by itself where memory is limited. */
    if (__asan_init || __tsan_init) allowance = 4 * allowance + 1024 * MIB;
    const std::size_t mapped = bytes_mapped();
    if (mapped > 0) limit(RLIMIT_AS, mapped + allowance, mapped + allowance);
    limit(RLIMIT_CPU, seconds_for(n_bytes), seconds_for(n_bytes) + 5);
    limit(RLIMIT_CORE, 0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
#endif
    const int nowhere = open("/dev/null", O_WRONLY); /* failed assertions speak there */
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    std::set_new_handler([] { _exit(OUT_OF_MEMORY); });
}

firn_status read_guarded(const char *path, std::size_t n_bytes, firn_messages *messages,
                         const child_work &work)
{
    try {
        return work.read(n_bytes, messages);
    } catch (const std::bad_alloc &) {
        return FIRN_MEMORY;
    } catch (const damaged &what) {
        return firn_messages_add(messages, FIRN_IO, "%s: damaged (%s)", path, what.what());
    } catch (const std::ios_base::failure &) {
        return firn_messages_add(messages, FIRN_IO,
                                 "%s: damaged (it ends, or points beyond its end, before all is "
                                 "there)",
                                 path);
    } catch (const std::exception &error) {
        return firn_messages_add(messages, FIRN_IO, "%s: damaged, or not a .vdb file (OpenVDB: %s)",
                                 path, error.what());
    }
}

void send_messages(outlet &out, firn_status status, const firn_messages *messages)
{
    const std::int32_t n = firn_messages_total(messages);
    out.value((std::int32_t)status);
    out.value(n);
    for (int i = 0; i < n; i++) {
        firn_level level;
        const char *text = firn_messages_text(messages, i, &level);
        out.value((std::int32_t)level);
        out.text(text);
    }
}

[[noreturn]] void be_child(int fd, const char *path, std::size_t allowance, std::size_t n_bytes,
                           const child_work &work)
{
    settle(allowance, n_bytes);
    firn_messages *messages = firn_messages_create();
    const firn_status status = messages ? read_guarded(path, n_bytes, messages, work) : FIRN_MEMORY;
    if (status == FIRN_MEMORY) _exit(OUT_OF_MEMORY);
    outlet out(fd);
    send_messages(out, status, messages);
    if (!status) work.send(out);
    out.flush();
    _exit(0);
}

// ---------------------------------------------------------------- in the parent

// Ends with the object.
class child
{
  public:
    int fd = -1;
    pid_t pid = -1;

    // False with errno set. Under the lock, as a child that is forked meanwhile would keep this
    // one's end of the pipe open.
    bool start(const char *path, std::size_t allowance, std::size_t n_bytes, const child_work &work)
    {
        std::unique_lock<std::shared_mutex> no_other(openvdb_in_use());
        int ends[2];
        sigset_t all, before;
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
#ifdef F_SETPIPE_SZ
        fcntl(ends[1], F_SETPIPE_SZ, (int)MIB); // fewer turns
#endif
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pid = fork();
        if (pid == 0) be_child(ends[1], path, allowance, n_bytes, work);
        const int why = errno;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        close(ends[1]);
        fd = ends[0];
        errno = why;
        return pid > 0;
    }

    ~child()
    {
        if (fd >= 0) close(fd);
        if (pid > 0) kill(pid, SIGKILL);
        wait();
    }

    // How it ended, as by waitpid; -1: the host took that away
    int wait()
    {
        int how = -1;
        if (pid <= 0) return -1;
        while (waitpid(pid, &how, 0) < 0)
            if (errno != EINTR) {
                how = -1;
                break;
            }
        pid = -1;
        return how;
    }
};

firn_status out_of_memory(const char *path, std::size_t most, std::size_t n_bytes,
                          firn_messages *messages)
{
    if (most && most < needed_for(n_bytes))
        return firn_messages_add(messages, FIRN_MEMORY,
                                 "%s: reading it takes more than --max-memory (%.4g MiB); try: "
                                 "larger voxels, or a higher --max-memory",
                                 path, (double)most / MIB);
    return firn_messages_add(messages, FIRN_IO,
                             "%s: damaged (asks for more than %.4g MiB of memory, which %zu bytes "
                             "cannot need)",
                             path, (double)needed_for(n_bytes) / MIB, n_bytes);
}

// Of a child that ended before all was sent
firn_status why_ended(int how, const char *path, std::size_t most, std::size_t n_bytes,
                      firn_messages *messages)
{
    if (how != -1 && WIFEXITED(how) && WEXITSTATUS(how) == OUT_OF_MEMORY)
        return out_of_memory(path, most, n_bytes, messages);
    const int by = how != -1 && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (by == SIGKILL) return firn_messages_no_memory(messages, "%s", path); /* by the system */
    if (by == SIGXCPU)
        return firn_messages_add(messages, FIRN_IO,
                                 "%s: damaged (reading it took more than %d s of processor time)",
                                 path, (int)seconds_for(n_bytes));
    return firn_messages_add(messages, FIRN_IO,
                             "%s: damaged (OpenVDB cannot read what it holds%s%s)", path,
                             by ? ": " : "", by ? strsignal(by) : "");
}

firn_status take_messages(inlet &in, firn_messages *messages)
{
    const auto status = (firn_status)in.value<std::int32_t>();
    for (auto n = in.value<std::int32_t>(); n > 0; n--) {
        const auto level = in.value<std::int32_t>();
        const std::string text = in.text();
        if (level == FIRN_ERROR)
            firn_messages_add(messages, status, "%s", text.c_str());
        else
            firn_messages_warn(messages, "%s", text.c_str());
    }
    return status;
}

// How long the file is; it must be there, and an ordinary one.
firn_status length_of(const char *path, std::size_t *n_bytes, firn_messages *messages)
{
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    if (!reader) return firn_file_failure(messages);
    *n_bytes = (std::size_t)firn_file_left(reader);
    firn_file_close(reader);
    return FIRN_OK;
}

} // namespace

firn_status read_in_child(const char *path, std::size_t most, firn_messages *messages,
                          const child_work &work, const std::function<firn_status(inlet &)> &take)
{
    std::size_t n_bytes = 0;
    firn_status status = length_of(path, &n_bytes, messages);
    if (status) return status;
    const std::size_t allowance = most ? std::min(most, needed_for(n_bytes)) : needed_for(n_bytes);
    child reader;
    if (!reader.start(path, allowance, n_bytes, work))
        return firn_messages_add(messages, errno == ENOMEM ? FIRN_MEMORY : FIRN_IO,
                                 "%s: no process to read it can be started: %s", path,
                                 firn_file_reason(errno));
    inlet in(reader.fd, reader.pid, allowance);
    try {
        status = take_messages(in, messages);
        if (status) return status;
        std::shared_lock<std::shared_mutex> inside(openvdb_in_use());
        memory_reserve reserve;
        return take(in);
    } catch (const inlet::ended &) {
        return why_ended(reader.wait(), path, most, n_bytes, messages);
    } catch (const inlet::stuck &) {
        return firn_messages_add(
            messages, FIRN_IO, "%s: the process that reads it stands still since %d s; try: again",
            path, standstill_seconds);
    } catch (const inlet::beyond &) {
        return out_of_memory(path, most, n_bytes, messages);
    } catch (const std::bad_alloc &) {
        return firn_messages_no_memory(messages, "%s", path);
    } catch (const std::exception &error) {
        return firn_messages_add(messages, FIRN_IO, "%s: damaged (OpenVDB: %s)", path,
                                 error.what());
    }
}

} // namespace firn
