// names.h - finds the student's name in the file names that Canvas, Moodle and Gradescope
// export, or in the name of a folder.
//
//   Canvas      doejane_12345_67890_lab1.zip, doejane_LATE_12345_67890_attention.c: the name run
//               together, LATE when it is, the user's number, the upload's number, the file's
//               own name (with -1, -2, ... behind it when it was handed in again)
//   Moodle      "Jane Doe_345_assignsubmission_file_", a folder, or in front of a file's name
//   Gradescope  submission_12345, a folder; the student is in submission_metadata.yml
//   otherwise   the name of the folder or archive is the student's name

#ifndef GRADER_NAMES_H
#define GRADER_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { NAME_LENGTH = 256 };

// One of Gradescope's submitters: each field may be "".
struct person {
    char name[NAME_LENGTH], email[NAME_LENGTH];
    char id[64]; // the university's number
};

struct who {
    char key[NAME_LENGTH];   // the same for all hand-ins of a student
    char participant[32];    // Moodle's number, different in every assignment, or ""
    char name[NAME_LENGTH];  // for people
    char canvas[32];         // the user's number there, or ""
    char email[NAME_LENGTH]; // or ""
    char id[64];             // the university's number, from Gradescope, or ""
    char file[NAME_LENGTH];  // the file's own name, without the platform's prefix
    bool other;        // neither an archive nor a source file: only its name is used
    bool late;         // marked by Canvas
    int64_t handed_in; // time from Gradescope, or 0
    const struct person *partners; // Gradescope's other submitters
    int partner_count;
};

// Parses the name of an entry of the class's folder. Returns false if it belongs to no
// student (a spreadsheet, a hidden file, ...); then why is one line, or "" if it needs no
// message.
bool names_read(const char *entry, bool is_folder, struct who *who, char *why, int size);

// Returns true if the entry has a platform's prefix; name is then the student's key.
bool names_platform(const char *entry, char *name, size_t size);

// Returns true if this is the name of an archive that can be unpacked.
bool names_archive(const char *name);

#endif
