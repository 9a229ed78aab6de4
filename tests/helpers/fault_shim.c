/* Fails or kills at the n-th call that changes files below given folders.
 *
 * Preloaded (LD_PRELOAD). Counts nothing until fault_arm is called.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FAIL, KILL, FAIL_FROM };

static char folders[2][PATH_MAX];
static atomic_int armed, calls, no_links;
static int stop_at, mode, error_number;

void fault_arm(const char *a, const char *b, int at, int how, int error, int without_links) {
    snprintf(folders[0], PATH_MAX, "%s", a);
    snprintf(folders[1], PATH_MAX, "%s", b);
    stop_at = at;
    mode = how;
    error_number = error;
    no_links = without_links;
    calls = 0;
    armed = 1;
}

int fault_calls(void) { return calls; }

void fault_disarm(void) { armed = 0; }

static int below(const char *path) {
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]);
        if (length && !strncmp(path, folders[i], length)) return 1;
    }
    return 0;
}

static int below_fd(int fd, const char *name) {
    char link[64], path[2 * PATH_MAX];
    if (name && name[0] == '/') return below(name);
    if (fd == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

/* Is this the call? A killed process never returns. */
static int fault(int concerned) {
    if (!armed || !concerned) return 0;
    int call = atomic_fetch_add(&calls, 1) + 1;
    if (mode == FAIL_FROM ? call < stop_at : call != stop_at) return 0;
    if (mode == KILL) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
        for (;;) pause();
    }
    errno = error_number;
    return 1;
}

#define REAL(type, name, ...)                                    \
    static type (*real)(__VA_ARGS__);                            \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return fault(armed && below_fd(fd, 0)) ? -1 : real(fd, data, size);
}

ssize_t writev(int fd, const struct iovec *data, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    return fault(armed && below_fd(fd, 0)) ? -1 : real(fd, data, count);
}

#define PWRITE(name)                                                     \
    ssize_t name(int fd, const void *data, size_t size, off64_t at) {    \
        REAL(ssize_t, #name, int, const void *, size_t, off64_t);        \
        return fault(armed && below_fd(fd, 0)) ? -1 : real(fd, data, size, at); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define OF_FD(name)                                                      \
    int name(int fd) {                                                   \
        REAL(int, #name, int);                                           \
        return fault(armed && below_fd(fd, 0)) ? -1 : real(fd);          \
    }
OF_FD(fsync)
OF_FD(fdatasync)

#define TRUNCATE(name)                                                   \
    int name(int fd, off64_t size) {                                     \
        REAL(int, #name, int, off64_t);                                  \
        return fault(armed && below_fd(fd, 0)) ? -1 : real(fd, size);    \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define WRITES(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
#define MODE(flags)                                                      \
    mode_t permissions = 0;                                              \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                               \
        va_list rest;                                                    \
        va_start(rest, flags);                                           \
        permissions = va_arg(rest, mode_t);                              \
        va_end(rest);                                                    \
    }
#define OPEN(name)                                                       \
    int name(const char *path, int flags, ...) {                         \
        MODE(flags)                                                      \
        REAL(int, #name, const char *, int, ...);                        \
        return fault(armed && WRITES(flags) && below_fd(AT_FDCWD, path)) \
                   ? -1 : real(path, flags, permissions);                \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                     \
    int name(int fd, const char *path, int flags, ...) {                 \
        MODE(flags)                                                      \
        REAL(int, #name, int, const char *, int, ...);                   \
        return fault(armed && WRITES(flags) && below_fd(fd, path))       \
                   ? -1 : real(fd, path, flags, permissions);            \
    }
OPENAT(openat)
OPENAT(openat64)

#define OF_PATH(name)                                                    \
    int name(const char *path) {                                         \
        REAL(int, #name, const char *);                                  \
        return fault(armed && below_fd(AT_FDCWD, path)) ? -1 : real(path); \
    }
OF_PATH(unlink)
OF_PATH(rmdir)

int unlinkat(int fd, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    return fault(armed && below_fd(fd, path)) ? -1 : real(fd, path, flags);
}

int mkdir(const char *path, mode_t permissions) {
    REAL(int, "mkdir", const char *, mode_t);
    return fault(armed && below_fd(AT_FDCWD, path)) ? -1 : real(path, permissions);
}

int chmod(const char *path, mode_t permissions) {
    REAL(int, "chmod", const char *, mode_t);
    return fault(armed && below_fd(AT_FDCWD, path)) ? -1 : real(path, permissions);
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    return fault(armed && below_fd(AT_FDCWD, to)) ? -1 : real(from, to);
}

int renameat(int a, const char *from, int b, const char *to) {
    REAL(int, "renameat", int, const char *, int, const char *);
    return fault(armed && below_fd(b, to)) ? -1 : real(a, from, b, to);
}

static int refused(int concerned) {
    if (!armed || !concerned || !no_links) return 0;
    errno = EPERM;
    return 1;
}

int link(const char *from, const char *to) {
    REAL(int, "link", const char *, const char *);
    int concerned = armed && below_fd(AT_FDCWD, to);
    return fault(concerned) || refused(concerned) ? -1 : real(from, to);
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    int concerned = armed && below_fd(b, to);
    return fault(concerned) || refused(concerned) ? -1 : real(a, from, b, to, flags);
}
