// findings.c - what you found in a published model.

#include "11_reading_attention/reading.h"

// ---- 11.8  findings -----------------------------------------------------------------------

lab_status attention_findings(struct findings *found)
{
    // BEGIN SOLUTION 11.8 attention_findings: the five numbers that you find as the handout says
    // (about 4 lines)
    *found = (struct findings){
        .next = {.layer = 1, .head = 8},       // share 0.58
        .it_to_cat = {.layer = 5, .head = 11}, // weight 0.71
        .cls_layer = 4,                        // 0.62 on average
    };
    return LAB_OK;
    // END SOLUTION 11.8
}
