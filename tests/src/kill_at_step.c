// Preloaded into a process, kills it like `kill -9` at its n-th system call that modifies files below a folder.
//
// STEPS_BELOW is a part of the path of the folder. STEPS_KILL_AT is the number of the call; without it, the process is not
// killed. STEPS_COUNT is a file for the number of calls, written when the process ends by itself. The fatal call is not executed,
// except that a write is executed by half.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long n_calls;
static long kill_at;
static const char *below;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("STEPS_KILL_AT");
    kill_at = at ? atol(at) : 0;
    below = getenv("STEPS_BELOW");
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("STEPS_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&n_calls));
        fclose(file);
    }
}

static int is_below(const char *path) { return below && path && strstr(path, below); }

static int is_open_below(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return is_below(path);
}

static int is_at_below(int fd, const char *path) {
    return path && path[0] == '/' ? is_below(path) : is_open_below(fd);
}

static int is_the_step(int counts) { return counts && atomic_fetch_add(&n_calls, 1) + 1 == kill_at; }

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

#define STEP(counts) \
    if (is_the_step(counts)) die()

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define CHANGES(flags) ((flags) & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR))

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        STEP(CHANGES(flags) && is_below(path)); \
        return real(path, flags, mode); \
    }

OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    STEP(is_below(path));
    return real(path, mode);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    STEP(is_below(to));
    return real(from, to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags) {
    REAL(linkat);
    STEP(is_at_below(to_fd, to));
    return real(from_fd, from, to_fd, to, flags);
}

int unlink(const char *path) {
    REAL(unlink);
    STEP(is_below(path));
    return real(path);
}

int rmdir(const char *path) {
    REAL(rmdir);
    STEP(is_below(path));
    return real(path);
}

int unlinkat(int fd, const char *path, int flags) {
    REAL(unlinkat);
    STEP(is_at_below(fd, path));
    return real(fd, path, flags);
}

int fsync(int fd) {
    REAL(fsync);
    STEP(is_open_below(fd));
    return real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    STEP(is_open_below(fd));
    return real(fd);
}

ssize_t write(int fd, const void *bytes, size_t n_bytes) {
    REAL(write);
    if (is_the_step(is_open_below(fd))) {
        real(fd, bytes, n_bytes / 2);
        die();
    }
    return real(fd, bytes, n_bytes);
}
