// 1.3 attention_scores crash
#include <signal.h>
#include <unistd.h>
// BODY
    kill(getpid(), SIGKILL);
    return LAB_OK;
