// findings.c - what you found in a model that somebody else trained.

#include "11_reading_attention/reading.h"

// ---- 11.8  findings -----------------------------------------------------------------------

lab_status attention_findings(struct findings *found)
{
    // BEGIN SOLUTION 11.8 attention_findings: the five numbers that the handout tells you how to find
    // (about 4 lines)
    *found = (struct findings){
        .next = {.layer = 1, .head = 8},       // share 0.58
        .it_to_cat = {.layer = 5, .head = 11}, // weight 0.71
        .cls_layer = 4,                        // 0.62 on average
    };
    return LAB_OK;
    // END SOLUTION 11.8
}
