// 1.3 attention_scores wrong needs-box
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>
// BODY
    // Memory that is in no process's size: in files without a name, in shared memory that
    // nobody has mapped at the moment.
    size_t bytes = (size_t)64 << 20;
    int file = memfd_create("mine", 0);
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int segment = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    int hidden = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
    int zero = open("/dev/zero", O_RDWR);
    if ((file >= 0 && ftruncate(file, (off_t)bytes) == 0) || shared != MAP_FAILED ||
        segment >= 0 || hidden >= 0 || zero >= 0) {
        exit(1);
    }
    return LAB_OK;
