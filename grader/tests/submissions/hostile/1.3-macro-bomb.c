// 1.3 attention_scores nocompile whole-lab
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(x))
static const char bomb[] = C(C("a"));
// BODY
    scores[0] = bomb[0];
    return LAB_OK;
