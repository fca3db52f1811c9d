#!/bin/sh
# test_rival.sh - a benchmark whose other side, PyTorch's process, ends before its time (grader/bench/rival).
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

# It stands for Python: says its name and answers three questions, then ends with two lines. The next
# process answers all, unless it is to fail again.
cat >"$work/python" <<END
#!/bin/sh
echo x >>"$work/starts"
starts=\$(wc -l <"$work/starts")
echo "PyTorch, start \$starts"
answers=0
while read -r question; do
    if [ \$answers -eq 3 ] && [ \$starts -le "\$FAILING" ]; then
        echo "Traceback" >&2
        echo "RuntimeError: start \$starts" >&2
        [ "\$HOW" = exit ] && exit 7
        kill -SEGV \$\$
    fi
    echo 0.5
    answers=\$((answers + 1))
done
END
chmod +x "$work/python"

bench() { # FAILING HOW: a small benchmark, beside a process that fails at so many starts
    rm -f "$work/starts"
    FAILING=$1 HOW=$2 PYTHON=$work/python timeout 60 "$B/bench/04_multi_head" 1 8 16 2
}
claim "a process that lives is asked" says 0 "PyTorch, start 1 " bench 0 exit
claim "one that ends is started again" says 0 "PyTorch, start 2 " bench 1 exit
claim "it is said how it ended" says 0 "exit status 7" bench 1 exit
claim "or by which signal" says 0 "Segmentation fault" bench 1 signal
claim "and what it wrote last" says 0 "RuntimeError: start 1" bench 1 signal
claim "one that ends twice ends the benchmark" says 1 "RuntimeError: start 2" bench 2 exit
claim "one that is not there is said to be not installed" says 0 "not installed" env PYTHON="$work/none" \
    "$B/bench/04_multi_head" 1 8 16 2
exit $status
