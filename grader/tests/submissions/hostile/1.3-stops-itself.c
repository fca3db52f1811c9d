// 1.3 attention_scores timeout
#include <signal.h>
// BODY
    raise(SIGSTOP);
    return LAB_OK;
