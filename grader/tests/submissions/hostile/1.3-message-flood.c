// 1.3 attention_scores nocompile whole-lab
#define SAY _Pragma("message \"flood flood flood flood flood flood flood flood flood\"")
#define A SAY SAY SAY SAY SAY SAY SAY SAY SAY SAY
#define B A A A A A A A A A A
#define C B B B B B B B B B B
// BODY
    C C C C C C C C C C C C C C C C C C C C
    return LAB_OK;
