// card.h - identifies the machine's CUDA device.

#ifndef GRADER_CARD_H
#define GRADER_CARD_H

// The architecture for nvcc: "sm_90", as reported by nvidia-smi; or "native" if that fails
// (nvcc then asks the driver). nvidia-smi runs only once. Safe to call from several
// threads.
//
// nvcc must not detect the device itself: it runs behind the compiler's wall, where there
// are no devices, and would compile for its default architecture with a warning.
const char *card_architecture(void);

#endif
