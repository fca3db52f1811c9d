// card.h - which CUDA device is in this machine.

#ifndef GRADER_CARD_H
#define GRADER_CARD_H

// What nvcc compiles for: "sm_90", as the driver's nvidia-smi says; "native" where it does not
// answer (nvcc then asks the driver itself). Asked once; safe to call from several threads.
//
// nvcc must not ask: it runs behind the compiler's wall, where there are no devices, and would
// compile for its default with a warning.
const char *card_architecture(void);

#endif
