// findings.c - what you found in a model that somebody else trained.

#include "11_reading_attention/reading.h"

// ---- 11.8  findings -----------------------------------------------------------------------

lab_status attention_findings(struct findings *found)
{
    // TODO 11.8: the five numbers that the handout tells you how to find (about 4 lines)
    return lab_todo(found);
}
