// 1.3 attention_scores crash
#include <stdlib.h>
// BODY
    quick_exit(0);
