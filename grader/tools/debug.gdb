# debug.gdb - for stepping through a worked example in gdb.
#
#   gdb -x grader/tools/debug.gdb --args build/unit/labs/01/test_attention --filter linear/matches_pytorch
#   (gdb) break linear
#   (gdb) run
#
# Criterion starts itself anew for each test, and halts and wakes that process on the way: gdb
# has to follow it there, and to let the halting pass. The leak check of AddressSanitizer does
# not work under a debugger.
set follow-fork-mode child
handle SIGSTOP SIGCONT nostop noprint pass
set environment ASAN_OPTIONS detect_leaks=0
set environment OPENBLAS_NUM_THREADS 1
set breakpoint pending on
set debuginfod enabled off
set print thread-events off
set print inferior-events off
