// sieve.h - the interface between the two programs of the sieve.
//
//   mutant_sieve.py ── "WORKER NUMBER" ──> judge.c ── struct sieve_command ──> worker.c
//                   <── "refused WHY" ──           <── struct sieve_outcome ──

#ifndef GRADER_SIEVE_H
#define GRADER_SIEVE_H

// The worker's descriptors: commands, outcomes, and the request and answer files of two sets of
// cases.
enum { SIEVE_COMMANDS = 10, SIEVE_OUTCOMES = 11, SIEVE_FILES = 12, SIEVE_SETS = 2 };

struct sieve_command {
    int change, set;   // which change is to run on which set of cases
    long microseconds; // of processor time, at most
};

struct sieve_outcome {
    int code; // 0, an exit status, or 256 + a signal
    long microseconds;
};

struct sieve_pipes {
    int commands, outcomes;
};

// Start a worker with the files of the sets (request, answer, request, answer); end it.
struct sieve_pipes sieve_start(const char *worker, const int files[2 * SIEVE_SETS]);
void sieve_end(const struct sieve_pipes *pipes);

#endif
