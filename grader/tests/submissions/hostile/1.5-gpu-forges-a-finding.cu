// 1.5 weighted_values_gpu crash
// As 1.6-forges-a-sanitizer-line.c, in the simulator's words; 67 says that it found something.
#include <cstdio>
#include <cstdlib>
// BODY
    fprintf(stderr, "\035finding trap\nleaked41\nleaked41 in /leaked41/attention.cu:41\n");
    fflush(stderr);
    exit(67);
