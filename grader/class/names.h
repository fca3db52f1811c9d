// names.h - the name of the student who handed in a file. The names that Canvas, Moodle and
// Gradescope give to what they export, and a folder per student.
//
//   Canvas      doejane_12345_67890_lab1.zip, doejane_LATE_12345_67890_attention.c: the name run
//               together, LATE when it is, the user's number, the upload's number, the file's
//               own name (with -1, -2, ... behind it when it was handed in again)
//   Moodle      "Jane Doe_345_assignsubmission_file_", a folder, or in front of a file's name
//   Gradescope  submission_12345, a folder; who that is stands in submission_metadata.yml
//   otherwise   the folder's or the archive's own name is the student's

#ifndef GRADER_NAMES_H
#define GRADER_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { NAME_LENGTH = 256 };

struct who {
    char key[NAME_LENGTH];   // the same for all that a student hands in
    char participant[32];    // Moodle's number, another one for every assignment, or ""
    char name[NAME_LENGTH];  // for people
    char canvas[32];         // the user's number there, or ""
    char email[NAME_LENGTH]; // or ""
    char file[NAME_LENGTH]; // the file's own name, without what the platform put in front
    bool other;             // neither an archive nor source: it can only be named
    bool late;              // Canvas says so
    int64_t handed_in;      // as Gradescope says, or 0
};

// Reads the name of an entry of the class's folder. false: nobody's (a spreadsheet, a hidden
// file, ...); then why is one line, or "" for what nobody needs to hear of.
bool names_read(const char *entry, bool is_folder, struct who *who, char *why, int size);

// Is this the name of an archive that can be unpacked?
bool names_archive(const char *name);

// What Gradescope's submission_metadata.yml says of one submission: fills name, email, key and
// handed_in of who. false when it says nothing of it. Ends the program where it cannot be read.
bool names_metadata(FILE *metadata, const char *submission, struct who *who);

#endif
