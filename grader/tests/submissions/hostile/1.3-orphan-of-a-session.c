// 1.3 attention_scores crash
#include <signal.h>
#include <unistd.h>
// BODY
    // Leaves the group and the session, twice, and continues. make attack looks for it.
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            setsid();
            signal(SIGHUP, SIG_IGN);
            signal(SIGTERM, SIG_IGN);
            alarm(60);
            for (;;) {
                pause();
            }
        }
        _exit(0);
    }
    return LAB_OK;
