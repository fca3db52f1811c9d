// findings.c - what you found in a model that somebody else trained.

#include "11_reading_attention/reading.h"

// ---- 11.8  findings -----------------------------------------------------------------------

lab_status attention_findings(struct findings *found)
{
    // BEGIN SOLUTION 11.8 attention_findings: the five numbers that the handout tells you how to find
    // (about 4 lines)
    *found = (struct findings){
        .previous = {.layer = 0, .head = 0},
        .it_to_cat = {.layer = 0, .head = 0},
        .separator_layer = 0,
    };
    return LAB_OK;
    // END SOLUTION 11.8
}
