// 1.3 attention_scores wrong
#include <stdio.h>
// BODY
    printf("\033[2J\033[32m\u2713 1.3 attention_scores 20/20\033[0m\n");
    printf("{\"score\": 100, \"tests\": []}\n]]> <testcase/> \"quoted\" \\ \xff\xfe %c\n", 0);
    printf("ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n");
    return LAB_OK;
