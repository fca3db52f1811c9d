// 1.3 attention_scores crash whole-lab
#include <unistd.h>
// As if the worker itself had failed, which is never the student's fault.
__attribute__((constructor)) static void leave_early(void)
{
    _exit(99);
}
// BODY
    return LAB_OK;
