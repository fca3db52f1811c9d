// resemble.h - guesses where no explanation fits all failing calls.

#ifndef GRADER_RESEMBLE_H
#define GRADER_RESEMBLE_H

struct entry;
struct test_case;
struct trial;
struct wire_part;

// Says of which known mistakes some failing calls have the numbers, or single outputs in all of them. Nothing if there is none.
void name_resemblance(struct trial *trial, const struct wire_part *part,
                      const struct entry *entry, const struct test_case *shown);

#endif
