/* SPDX-License-Identifier: MIT */
/* shim.c: for system_calls.py, preloaded: at the nth call that changes the disk the program is
 * killed (SHIM_KILL=n), or the call fails (SHIM_FAIL=n, with errno SHIM_ERRNO). At its end the
 * number of calls is written into the file that SHIM_COUNT names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static long n_calls;

/* 1: this call fails. A signal interrupts some calls only. */
static int hit(int is_interruptible)
{
    const char *at = getenv("SHIM_KILL"), *fail = getenv("SHIM_FAIL"),
               *error = getenv("SHIM_ERRNO");
    long n = __atomic_add_fetch(&n_calls, 1, __ATOMIC_SEQ_CST);
    if (at && n == atol(at)) raise(SIGKILL);
    if (!fail || n != atol(fail)) return 0;
    errno = error ? atoi(error) : EIO;
    return errno != EINTR || is_interruptible;
}

__attribute__((destructor)) static void count(void)
{
    const char *path = getenv("SHIM_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) fprintf(file, "%ld\n", n_calls);
    if (file) fclose(file);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int fsync(int fd)
{
    REAL(fsync);
    return hit(1) ? -1 : real(fd);
}
int rename(const char *from, const char *to)
{
    REAL(rename);
    return hit(0) ? -1 : real(from, to);
}
int unlink(const char *path)
{
    REAL(unlink);
    return hit(0) ? -1 : real(path);
}
int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    return hit(0) ? -1 : real(path, mode);
}
int ftruncate(int fd, off_t n)
{
    REAL(ftruncate);
    return hit(1) ? -1 : real(fd, n);
}
ssize_t write(int fd, const void *data, size_t n)
{
    REAL(write);
    return fd > 2 && hit(1) ? -1 : real(fd, data, n);
}
int open(const char *path, int flags, ...)
{
    REAL(open);
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return flags & (O_WRONLY | O_RDWR) && hit(1) ? -1 : real(path, flags, mode);
}
