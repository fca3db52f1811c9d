// main.c - inside: the program that locks the box and becomes the boxed program. See box.h
// for the theory.
//
//   inside ORDERS READY [readable...] -- [writable...] -- program [arguments...]
//
// ORDERS is a descriptor with struct orders and the filter. inside writes "R" to READY when
// all walls are up, and "F" if the program then fails to start. It is linked statically, so
// it starts in a fraction of a millisecond. Any failure here is the grader's: one line on
// stderr, exit status 125, no "R".

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/orders.h"
#include "sandbox/wall.h"

enum { OUR_FAULT = 125 };

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "inside: %s: %s\n", what, strerror(errno));
    _exit(OUR_FAULT);
}

static struct sock_filter filter[MOST_INSTRUCTIONS];

static struct orders read_orders(int descriptor)
{
    struct orders orders;
    if (pread(descriptor, &orders, sizeof orders, 0) != (ssize_t)sizeof orders) {
        fail("cannot read the orders");
    }
    size_t bytes = orders.instructions * sizeof *filter;
    if (orders.instructions > MOST_INSTRUCTIONS ||
        pread(descriptor, filter, bytes, sizeof orders) != (ssize_t)bytes) {
        fail("cannot read the filter");
    }
    close(descriptor);
    return orders;
}

// Permanently: the real, effective and saved ids.
static void become_user(uint32_t user)
{
    if (user == 0) {
        return;
    }
    if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 ||
        setresuid(user, user, user) != 0) {
        fail("cannot become an unprivileged user");
    }
    if (setuid(0) == 0 || getuid() != user || geteuid() != user) {
        fail("did not become an unprivileged user");
    }
}

static void limit(int resource, rlim_t most)
{
    struct rlimit value;
    if (getrlimit((__rlimit_resource_t)resource, &value) != 0) {
        fail("getrlimit");
    }
    value.rlim_max = value.rlim_max < most ? value.rlim_max : most; // lower already?
    value.rlim_cur = value.rlim_max;
    if (setrlimit((__rlimit_resource_t)resource, &value) != 0) {
        fail("setrlimit");
    }
}

// Both the soft and the hard limit, so none can be raised again.
static void set_limits(const struct orders *orders)
{
    if (orders->limits == 0) {
        return;
    }
    // 0 would not stop a core dump to a program (core_pattern)
    limit(RLIMIT_CORE, 1);
    limit(RLIMIT_NPROC, orders->processes);
    limit(RLIMIT_FSIZE, orders->file_bytes);
    limit(RLIMIT_NOFILE, orders->open_files);
    limit(RLIMIT_STACK, orders->stack_bytes);
    limit(RLIMIT_MEMLOCK, 0);
    limit(RLIMIT_MSGQUEUE, 0);
    limit(RLIMIT_SIGPENDING, 64);
}

static void load_filter(const struct orders *orders)
{
    struct sock_fprog program = {(unsigned short)orders->instructions, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        fail("no_new_privs");
    }
    if (orders->instructions > 0 &&
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
        fail("cannot load the filter");
    }
}

// Terminates the list at *words with NULL and moves *words past it.
static const char *const *take_list(char ***words)
{
    char **list = *words;
    while (**words != NULL && strcmp(**words, "--") != 0) {
        ++*words;
    }
    if (**words == NULL) {
        errno = EINVAL;
        fail("arguments");
    }
    *(*words)++ = NULL;
    return (const char *const *)list;
}

int main(int argc, char **argv, char **environment)
{
    if (argc < 6) {
        errno = EINVAL;
        fail("this program is part of the grader; only the grader starts it");
    }
    int ready = atoi(argv[2]);
    fcntl(ready, F_SETFD, FD_CLOEXEC);
    struct orders orders = read_orders(atoi(argv[1]));
    char **words = argv + 3;
    struct wall wall = {.readable = take_list(&words)};
    wall.writable = take_list(&words);
    wall.alone = orders.alone != 0;

    become_user(orders.user);
    set_limits(&orders);
    if (orders.landlock != 0) {
        wall_raise(&wall);
    }
    load_filter(&orders);
    if (write(ready, "R", 1) != 1) {
        fail("cannot report that the box is ready");
    }
    execvpe(words[0], words, environment);
    int error = errno;
    if (write(ready, "F", 1) == 1) {
        errno = error;
    }
    fail(words[0]);
}
