// terminal.h - the terminal: single keys, size, colors, and signals as events.

#ifndef LAB_LEARN_TERMINAL_H
#define LAB_LEARN_TERMINAL_H

#include <stdbool.h>

struct terminal {
    bool keys;   // standard input is a terminal
    bool screen; // standard output is one that can be cleared
    bool color;
    int signals; // a descriptor: a signal is waiting
};

// Blocks the signals that the program handles, and reads single keys from now on.
void terminal_begin(struct terminal *terminal);

// Single keys without echo (true), or as the terminal was before (false). Also at exit.
void terminal_raw(bool raw);

// A key; 0 at the end of the input.
int terminal_key(void);

int terminal_columns(void);
int terminal_rows(void);

// Takes a waiting signal. After Ctrl-Z it returns when the program continues.
int terminal_signal(const struct terminal *terminal);

// In a child process, before exec: signals as usual.
void terminal_child(void);

#endif
