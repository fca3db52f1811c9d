// 1.3 attention_scores wrong needs-box
#if __has_include("../../../../solutions/01_simple_attention/attention.c") ||               \
    __has_include(<../solutions/01_simple_attention/attention.c>) ||                         \
    __has_include("/etc/passwd")
#error got through
#endif
// BODY
    return LAB_OK;
