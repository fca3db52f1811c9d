// metadata.h - Gradescope's submission_metadata.yml, read once for the class: who handed in, and when.

#ifndef GRADER_METADATA_H
#define GRADER_METADATA_H

#include <stdbool.h>
#include <stdio.h>

#include "class/names.h"

struct metadata; // the submissions of a file

// Reads the file. Ends the program if its contents cannot be read. Caller frees.
struct metadata *metadata_read(FILE *file);
void metadata_free(struct metadata *metadata);

// Sets name, email, id, key, handed_in and partners of who. Returns false if the submission is not in the file.
// Its partners belong to the metadata.
bool metadata_take(const struct metadata *metadata, const char *submission,
                   struct who *who);

// The same of a partner.
void metadata_partner(const struct person *person, struct who *who);

#endif
