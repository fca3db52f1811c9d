// 1.3 attention_scores wrong needs-box
#include <dirent.h>
#include <stdlib.h>
// BODY
    // A box contains only its first process and this one.
    DIR *processes = opendir("/proc");
    int seen = 0;
    for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
        seen += atoi(entry->d_name) > 0;
    }
    if (seen > 4) {
        exit(1);
    }
    return LAB_OK;
