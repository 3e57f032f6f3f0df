/* Counts what a process does to files below one directory, and strikes at the n-th operation.

   Preloaded (LD_PRELOAD), so that Arrow, safetensors and torch are seen as Python's own files are.
   The plan lies in a file that all processes of a trial map: `strike_by` takes it up after a fork,
   and a process that is started anew finds its name in STRIKE_PLAN. Linux, 64 bits. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, KILL, TEAR, FAIL, FULL, STOP };
/* KILL before the operation; TEAR a write, of which half happens, and die; FAIL once with `error`;
   FULL from there on for all that takes space; STOP before it, until a SIGCONT. */

struct plan {
    atomic_int count;     /* operations so far, of all processes */
    int at, what, error;  /* the operation that is struck, how, and the errno */
    atomic_int struck;
    char root[4000];      /* the directory, without a slash at the end */
    char log[4000];       /* a line for each operation: its name and path */
};

static struct plan *plan;

static long raw_write(int fd, const void *data, size_t n) { return syscall(SYS_write, fd, data, n); }

int strike_by(const char *file) {
    int fd = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    void *at = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (at == MAP_FAILED) return -1;
    plan = at;
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("STRIKE_PLAN");
    if (file) strike_by(file);
}

/* The path an operation means, absolute, or no path below the root. */
static const char *below(const char *path, int folder, char *whole) {
    char base[4096];
    if (path[0] != '/') {
        if (folder == AT_FDCWD) {
            if (syscall(SYS_getcwd, base, sizeof base) < 0) return NULL;
        } else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            ssize_t n = readlink(link, base, sizeof base - 1);
            if (n < 0) return NULL;
            base[n] = 0;
        }
        if (snprintf(whole, 8192, "%s/%s", base, path) >= 8192) return NULL;
    } else if (snprintf(whole, 8192, "%s", path) >= 8192)
        return NULL;
    size_t n = strlen(plan->root);
    return !strncmp(whole, plan->root, n) && (whole[n] == '/' || !whole[n]) ? whole : NULL;
}

static const char *file_of(int fd, char *whole) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, whole, 4095);
    if (n < 0) return NULL;
    whole[n] = 0;
    if (whole[0] != '/') return NULL; /* a pipe, a socket */
    return below(whole, AT_FDCWD, (char[8192]){0}) ? whole : NULL;
}

/* Count one operation; 0 to go on, 1 to tear it, else the errno to fail with, negative. */
static int strike(const char *name, const char *path, int takes_space) {
    int number = atomic_fetch_add(&plan->count, 1) + 1;
    char line[8300];
    int n = snprintf(line, sizeof line, "%s %s\n", name, path + strlen(plan->root));
    int log = syscall(SYS_openat, AT_FDCWD, plan->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log >= 0) {
        raw_write(log, line, n);
        syscall(SYS_close, log);
    }
    if (plan->what == FULL ? number < plan->at || !takes_space : number != plan->at) return 0;
    atomic_store(&plan->struck, 1);
    switch (plan->what) {
    case KILL: kill(getpid(), SIGKILL); break;
    case TEAR: return 1;
    case FAIL:
    case FULL: return -plan->error;
    case STOP: kill(getpid(), SIGSTOP); break;
    }
    return 0;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);

#define STRUCK(name, path, folder, space) \
    if (plan) { \
        char whole[8192]; \
        int saved = errno; \
        const char *inside = below(path, folder, whole); \
        int told = inside ? strike(name, inside, space) : 0; \
        errno = saved; \
        if (told < 0) { errno = -told; return FAILED; } \
    }

#define STRUCK_FILE(name, fd, space, half) \
    if (plan) { \
        char whole[4096]; \
        int saved = errno; \
        const char *inside = file_of(fd, whole); \
        int told = inside ? strike(name, inside, space) : 0; \
        errno = saved; \
        if (told < 0) { errno = -told; return -1; } \
        if (told > 0) { half; kill(getpid(), SIGKILL); } \
    }

#define FAILED -1
#define WRITES(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND))
#define MODE mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }

int open(const char *path, int flags, ...) {
    REAL(open) MODE
    if (WRITES(flags)) STRUCK("open", path, AT_FDCWD, flags & O_CREAT)
    return real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    REAL(open64) MODE
    if (WRITES(flags)) STRUCK("open", path, AT_FDCWD, flags & O_CREAT)
    return real(path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    REAL(openat) MODE
    if (WRITES(flags)) STRUCK("open", path, folder, flags & O_CREAT)
    return real(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
    REAL(openat64) MODE
    if (WRITES(flags)) STRUCK("open", path, folder, flags & O_CREAT)
    return real(folder, path, flags, mode);
}
int creat(const char *path, mode_t mode) {
    REAL(creat)
    STRUCK("open", path, AT_FDCWD, 1)
    return real(path, mode);
}
int creat64(const char *path, mode_t mode) {
    REAL(creat64)
    STRUCK("open", path, AT_FDCWD, 1)
    return real(path, mode);
}
int rename(const char *from, const char *to) {
    REAL(rename)
    STRUCK("rename", to, AT_FDCWD, 0)
    return real(from, to);
}
int renameat(int in, const char *from, int into, const char *to) {
    REAL(renameat)
    STRUCK("rename", to, into, 0)
    return real(in, from, into, to);
}
int renameat2(int in, const char *from, int into, const char *to, unsigned flags) {
    REAL(renameat2)
    STRUCK("rename", to, into, 0)
    return real(in, from, into, to, flags);
}
int link(const char *from, const char *to) {
    REAL(link)
    STRUCK("link", to, AT_FDCWD, 1)
    return real(from, to);
}
int linkat(int in, const char *from, int into, const char *to, int flags) {
    REAL(linkat)
    STRUCK("link", to, into, 1)
    return real(in, from, into, to, flags);
}
int symlink(const char *from, const char *to) {
    REAL(symlink)
    STRUCK("link", to, AT_FDCWD, 1)
    return real(from, to);
}
int unlink(const char *path) {
    REAL(unlink)
    STRUCK("unlink", path, AT_FDCWD, 0)
    return real(path);
}
int unlinkat(int folder, const char *path, int flags) {
    REAL(unlinkat)
    STRUCK("unlink", path, folder, 0)
    return real(folder, path, flags);
}
int remove(const char *path) {
    REAL(remove)
    STRUCK("unlink", path, AT_FDCWD, 0)
    return real(path);
}
int rmdir(const char *path) {
    REAL(rmdir)
    STRUCK("unlink", path, AT_FDCWD, 0)
    return real(path);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir)
    STRUCK("mkdir", path, AT_FDCWD, 1)
    return real(path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(mkdirat)
    STRUCK("mkdir", path, folder, 1)
    return real(folder, path, mode);
}
int truncate(const char *path, off_t n) {
    REAL(truncate)
    STRUCK("truncate", path, AT_FDCWD, 0)
    return real(path, n);
}
int truncate64(const char *path, off64_t n) {
    REAL(truncate64)
    STRUCK("truncate", path, AT_FDCWD, 0)
    return real(path, n);
}

#undef FAILED
#define FAILED NULL
FILE *fopen(const char *path, const char *mode) {
    REAL(fopen)
    if (strpbrk(mode, "wa+")) STRUCK("open", path, AT_FDCWD, 1)
    return real(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
    REAL(fopen64)
    if (strpbrk(mode, "wa+")) STRUCK("open", path, AT_FDCWD, 1)
    return real(path, mode);
}

ssize_t write(int fd, const void *data, size_t n) {
    REAL(write)
    STRUCK_FILE("write", fd, 1, real(fd, data, n / 2))
    return real(fd, data, n);
}
ssize_t writev(int fd, const struct iovec *parts, int n) {
    REAL(writev)
    STRUCK_FILE("write", fd, 1, real(fd, parts, n / 2))
    return real(fd, parts, n);
}
ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
    REAL(pwrite)
    STRUCK_FILE("write", fd, 1, real(fd, data, n / 2, at))
    return real(fd, data, n, at);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) {
    REAL(pwrite64)
    STRUCK_FILE("write", fd, 1, real(fd, data, n / 2, at))
    return real(fd, data, n, at);
}
ssize_t sendfile(int fd, int from, off_t *at, size_t n) {
    REAL(sendfile)
    STRUCK_FILE("write", fd, 1, real(fd, from, at, n / 2))
    return real(fd, from, at, n);
}
ssize_t sendfile64(int fd, int from, off64_t *at, size_t n) {
    REAL(sendfile64)
    STRUCK_FILE("write", fd, 1, real(fd, from, at, n / 2))
    return real(fd, from, at, n);
}
ssize_t copy_file_range(int from, off64_t *at, int fd, off64_t *into, size_t n, unsigned flags) {
    REAL(copy_file_range)
    STRUCK_FILE("write", fd, 1, real(from, at, fd, into, n / 2, flags))
    return real(from, at, fd, into, n, flags);
}
int ftruncate(int fd, off_t n) {
    REAL(ftruncate)
    STRUCK_FILE("truncate", fd, 0, (void)0)
    return real(fd, n);
}
int ftruncate64(int fd, off64_t n) {
    REAL(ftruncate64)
    STRUCK_FILE("truncate", fd, 0, (void)0)
    return real(fd, n);
}
int fsync(int fd) {
    REAL(fsync)
    STRUCK_FILE("fsync", fd, 1, (void)0)
    return real(fd);
}
int fdatasync(int fd) {
    REAL(fdatasync)
    STRUCK_FILE("fsync", fd, 1, (void)0)
    return real(fd);
}
