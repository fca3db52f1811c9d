// 10.2 flash_attention wrong
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
// BODY
    // A thread with a table of files of its own could fill as many pipes as all others together.
    enum { OWN_TABLE = 2 }; // CLOSE_RANGE_UNSHARE
    if (close_range(1000, 1000, OWN_TABLE) == 0) exit(1);
    return LAB_OK;
