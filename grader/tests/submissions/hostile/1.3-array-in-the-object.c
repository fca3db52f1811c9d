// 1.3 attention_scores nocompile whole-lab
// 320 megabytes of initial values: the compiler stops at its limit for a file. It is no error of the compiler.
static float big[80000000] = {1.0f};
// BODY
    big[T] = 1.0f;
    for (size_t t = 0; t < T; t++) for (size_t s = 0; s < S; s++) { float a=0; for (size_t i=0;i<d;i++) a+=q[t*d+i]*k[s*d+i]; scores[t*S+s]=a/sqrtf((float)d)*big[0]; }
    return LAB_OK;
