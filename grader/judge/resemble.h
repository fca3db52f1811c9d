// resemble.h - guesses where no explanation fits all failing calls.

#ifndef GRADER_RESEMBLE_H
#define GRADER_RESEMBLE_H

struct entry;
struct test_case;
struct trial;
struct wire_part;

// Says which known mistakes some of the failing calls resemble: the one in the call shown, and others in others.
// Nothing if there is none.
void name_resemblance(struct trial *trial, const struct wire_part *part,
                      const struct entry *entry, const struct test_case *shown);

#endif
