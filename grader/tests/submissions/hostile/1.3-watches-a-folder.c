// 1.3 attention_scores wrong
#include <stdlib.h>
#include <sys/inotify.h>
// BODY
    // Reports the names of files that come and go in a folder which may not be read.
    const int watch = inotify_init();
    if (watch >= 0 && inotify_add_watch(watch, "/tmp", IN_ALL_EVENTS) >= 0) exit(1);
    return LAB_OK;
