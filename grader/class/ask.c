// ask.c - see ask.h.

#include "class/ask.h"

#include <stdlib.h>

#include "base/memory.h"

void question_free(struct question *question)
{
    free(question->ask);
    free(question->call);
    free(question->answer);
    *question = (struct question){.ask = NULL};
}

// The same numbers for the same student, other ones for the neighbor.
static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

size_t subject_choose(const struct subject *subject, int salt, size_t count)
{
    return (size_t)(mixed(subject->seed + (uint64_t)salt) % count);
}

// "1.3, attention_scores (attention.c, lines 61 to 77)". Caller frees.
char *subject_name(const struct subject *subject)
{
    return grader_print("%s, %s (%s, lines %u to %u)", subject->exercise->id,
                        subject->part->function, subject->code->file,
                        (unsigned)subject->code->first, (unsigned)subject->code->last);
}
