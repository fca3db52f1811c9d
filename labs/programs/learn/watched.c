// watched.c - see watched.h. inotify only wakes the program up; sizes and times say what changed. So
// an editor may write in place, or write a new file and rename it.

#define _GNU_SOURCE

#include "programs/learn/watched.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "programs/learn/text.h"

// Other machines can change files there without telling this kernel.
static bool is_remote(const char *folder)
{
    static const unsigned long kinds[] = {
        0x6969,     // NFS
        0x517B,     // SMB
        0xFF534D42, // CIFS
        0xFE534D42, // SMB 2
        0x01021997, // 9P: Windows' files under WSL, shared folders of virtual machines
        0x65735546, // FUSE: sshfs
        0x786F4256, // VirtualBox
        0x5346414F, // AFS
    };
    struct statfs system;
    if (statfs(folder, &system) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (((unsigned long)system.f_type & 0xFFFFFFFF) == kinds[i]) {
            return true;
        }
    }
    return false;
}

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

static bool is_code(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot != NULL &&
           (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".cu") == 0);
}

static uint64_t look(const char *folder)
{
    uint64_t hash = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct stat status;
        if (is_code(entry->d_name) &&
            fstatat(dirfd(entries), entry->d_name, &status, 0) == 0) {
            uint64_t file = (uint64_t)status.st_ino;
            file = mixed(file, (uint64_t)status.st_size);
            file = mixed(file, (uint64_t)status.st_mtim.tv_sec);
            file = mixed(file, (uint64_t)status.st_mtim.tv_nsec);
            hash += file; // in any order
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return hash;
}

void watched_begin(struct watched *watched, const char *folder, bool poll)
{
    *watched = (struct watched){.notify = -1, .folder = print("%s", folder)};
    const bool remote = is_remote(folder);
    if (!poll && !remote) {
        watched->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    }
    if (watched->notify >= 0 &&
        inotify_add_watch(watched->notify, folder,
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE) < 0) {
        close(watched->notify);
        watched->notify = -1;
    }
    watched->polls = watched->notify >= 0 ? NULL
                     : poll               ? "as asked"
                     : remote             ? "a file system of another machine"
                                          : "inotify does not work here";
    watched->seen = look(folder);
}

void watched_end(struct watched *watched)
{
    if (watched->notify >= 0) {
        close(watched->notify);
    }
    free(watched->folder);
    *watched = (struct watched){.notify = -1};
}

bool watched_changed(struct watched *watched)
{
    char events[4096];
    while (watched->notify >= 0 && read(watched->notify, events, sizeof events) > 0) {
    }
    const uint64_t now = look(watched->folder);
    const bool changed = now != watched->seen;
    watched->seen = now;
    return changed;
}
