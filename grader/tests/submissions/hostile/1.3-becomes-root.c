// 1.3 attention_scores wrong needs-box
#define _GNU_SOURCE
#include <grp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
// BODY
    if (geteuid() == 0 || getegid() == 0 || setuid(0) == 0 || seteuid(0) == 0 ||
        setresuid(0, 0, 0) == 0 || setgid(0) == 0 || setgroups(0, NULL) == 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) {
        exit(1);
    }
    return LAB_OK;
