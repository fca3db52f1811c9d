// terminal.c - see terminal.h.

#define _GNU_SOURCE

#include "programs/learn/terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

// What exit must restore; atexit passes no argument.
static struct termios before;
static bool changed;

static void handled(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGTSTP);
    sigaddset(set, SIGWINCH);
}

void terminal_raw(bool raw)
{
    struct termios now;
    if (raw && !changed && tcgetattr(STDIN_FILENO, &before) == 0) {
        now = before;
        now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        now.c_cc[VMIN] = 1;
        now.c_cc[VTIME] = 0;
        changed = tcsetattr(STDIN_FILENO, TCSADRAIN, &now) == 0;
    } else if (!raw && changed) {
        changed = tcsetattr(STDIN_FILENO, TCSADRAIN, &before) != 0;
    }
}

static void restore(void)
{
    terminal_raw(false);
}

void terminal_begin(struct terminal *terminal)
{
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    const bool dumb = kind == NULL || *kind == '\0' || strcmp(kind, "dumb") == 0;
    terminal->keys = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    terminal->screen = isatty(STDOUT_FILENO) && !dumb;
    terminal->color = terminal->screen && (no == NULL || *no == '\0');
    sigset_t set;
    handled(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGTTOU, SIG_IGN); // after a child that had the terminal
    terminal->signals = signalfd(-1, &set, SFD_CLOEXEC);
    if (terminal->keys) {
        terminal_raw(true);
        atexit(restore);
    }
}

int terminal_key(void)
{
    unsigned char key = 0;
    return read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}

static struct winsize size(void)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    return size;
}

int terminal_columns(void)
{
    const int columns = size().ws_col;
    return columns > 0 ? columns : 80;
}

int terminal_rows(void)
{
    const int rows = size().ws_row;
    return rows > 0 ? rows : 24;
}

int terminal_signal(const struct terminal *terminal)
{
    struct signalfd_siginfo info;
    if (read(terminal->signals, &info, sizeof info) != sizeof info) {
        return 0;
    }
    if (info.ssi_signo == SIGTSTP) {
        terminal_raw(false);
        kill(0, SIGSTOP);
        if (terminal->keys) {
            terminal_raw(true);
        }
    }
    return (int)info.ssi_signo;
}

void terminal_child(void)
{
    sigset_t set;
    handled(&set);
    signal(SIGTTOU, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
