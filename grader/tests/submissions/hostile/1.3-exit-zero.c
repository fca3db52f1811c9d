// 1.3 attention_scores crash
#include <stdlib.h>
// BODY
    exit(0);
