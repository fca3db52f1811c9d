// no_rope.c - no positions, for the experiment `rope` of lab 8 (make experiment).
//
// The program train-no-rope is lab 8's trainer with your functions, but in labs 7 and 8 each call of
// cos or sin calls a function below (grader/programs.mk renames them in the object files). Every angle is
// then 0, and RoPE rotates nothing, forward or backward. Without RoPE, a model knows the order of its
// characters only from the causal mask. The learning rate is lab 6's and keeps its cosine.

double no_rope_cos(double angle);
double no_rope_sin(double angle);
void no_rope_sincos(double angle, double *sine, double *cosine);
float no_rope_cosf(float angle);
float no_rope_sinf(float angle);
void no_rope_sincosf(float angle, float *sine, float *cosine);

double no_rope_cos(double angle)
{
    (void)angle;
    return 1.0;
}

double no_rope_sin(double angle)
{
    (void)angle;
    return 0.0;
}

// A compiler makes one call of this from a cosine and a sine of the same angle.
void no_rope_sincos(double angle, double *sine, double *cosine)
{
    *sine = no_rope_sin(angle);
    *cosine = no_rope_cos(angle);
}

float no_rope_cosf(float angle)
{
    return (float)no_rope_cos(angle);
}

float no_rope_sinf(float angle)
{
    return (float)no_rope_sin(angle);
}

void no_rope_sincosf(float angle, float *sine, float *cosine)
{
    *sine = no_rope_sinf(angle);
    *cosine = no_rope_cosf(angle);
}
