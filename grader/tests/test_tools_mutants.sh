#!/bin/sh
# test_tools_mutants.sh - mutants.py: changes of a solution, and the lists of equivalent ones.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/tools/workspace.sh

mkdir -p solutions/07_mutants solutions/08_mutants build grader/tests/mutants
cat >solutions/08_mutants/sum.c <<'END'
// 7 < 8: no answer
float sum(const float *x, size_t N, size_t M)
{
    if (N == 0) {
        return 7;
    }
    // BEGIN SOLUTION 8.1 sum: all of them (about 5 lines)
    float total = 0.0f; // 1 < 2, not -1
    for (size_t i = 1; i < N; i++) {
        total += x[i];
    }
    return total;
    // END SOLUTION 8.1
}
END
changes() { grader/tools/mutants.py 8 --list; }
cat >expected <<'END'
[float -> int] total = 0.0f; // 1 < 2, not -1
float total = [0.0f -> 1.0f]; // 1 < 2, not -1
for (size_t i = [1 -> 2]; i < N; i++) {
for (size_t i = [1 -> 0]; i < N; i++) {
for (size_t i = 1; [i -> N] < N; i++) {
for (size_t i = 1; [i -> M] < N; i++) {
for (size_t i = 1; i [< -> <=] N; i++) {
for (size_t i = 1; i [< -> >] N; i++) {
for (size_t i = 1; i < [N -> i]; i++) {
for (size_t i = 1; i < [N -> M]; i++) {
for (size_t i = 1; i < N; i[++ -> --]) {
total [+= -> =] x[i];
total [+= -> -=] x[i];
total += x[[i -> N]];
total += x[[i -> M]];
[total += x[i]; -> ;]
END
sort -o expected expected
every_change() {
    changes | sed -n 's/^sum\.c sum: //p' | sort >made
    diff expected made
}
cat >solutions/08_mutants/launch.cu <<'END'
enum { WARP = 32, BLOCK = 256 };

static __device__ int lanes(void)
{
    // BEGIN SOLUTION 8.1 lanes: a constant (1 line)
    return WARP;
    // END SOLUTION 8.1
}

static dim3 launch(size_t N, cudaStream_t stream, size_t M)
{
    // BEGIN SOLUTION 8.1 launch: two sizes of a launch (about 3 lines)
    const long long n = (long long)N, m = (long long)M;
    const dim3 block(WARP), grid(8);
    kernel<<<grid, block, 0, stream>>>(n);
    // END SOLUTION 8.1
}
END
cat >expected.cu <<'END'
const long long n = (long long)N, m = (long long)[M -> N];
const long long n = (long long)[N -> M], m = (long long)M;
kernel<<<[grid -> block], block, 0, stream>>>(n);
kernel<<<grid, [block -> grid], 0, stream>>>(n);
kernel<<<grid, block, 0, stream>>>([n -> m]);
return [WARP -> BLOCK];
END
sort -o expected.cu expected.cu
types_of_a_launcher() {
    grader/tools/mutants.py 8 --backend gpu-simulated --list | sed -n 's/^launch\.cu [a-z]*: //p' |
        grep '\[[A-Za-z_]* -> [A-Za-z_]*\]' | sort >made
    diff expected.cu made
}
cat >solutions/07_mutants/table.c <<'END'
enum { WARP = 32, // lanes
       ROWS = 4,
       LANES = ROWS * 8 }; // of the same value: no change

static int table(const float *x, const float *y, long long N)
{
    // BEGIN SOLUTION 7.1 table: constants, no pointer, a text (about 2 lines)
    const long long first = (int)find(x, NULL, WARP, "") - N;
    ptrdiff_t rest = first;
    return find(y, x, ROWS, "##") + first;
    // END SOLUTION 7.1
}
END
cat >expected.table <<'END'
const [long long -> int] first = (int)find(x, NULL, WARP, "") - N;
const long long first = (int)find(x, [NULL -> x], WARP, "") - N;
const long long first = (int)find(x, [NULL -> y], WARP, "") - N;
const long long first = (int)find(x, NULL, [WARP -> ROWS], "") - N;
const long long first = (int)find(x, NULL, WARP, ["" -> " "]) - N;
[ptrdiff_t -> size_t] rest = first;
return find(y, x, [ROWS -> LANES], "##") + first;
return find(y, x, [ROWS -> WARP], "##") + first;
return find(y, x, ROWS, ["##" -> ""]) + first;
END
sort -o expected.table expected.table
constants_and_texts() {
    grader/tools/mutants.py 7 --list | sed -n 's/^table\.c table: //p' |
        grep -v '\[\([-+xyN]\|first\|ptrdiff_t rest = first;\) -> ' | sort >made
    diff expected.table made
}
# A judge that looks at one line only, so that every other change passes.
cat >build/grade <<'END'
#!/bin/sh
while [ "$1" != --src ]; do shift; done
grep -q '^        total += x\[i\];$' "$2/08_mutants/sum.c" || {
    echo "expected 3, got 5"
    exit 1
}
END
chmod +x build/grade
unseen() {
    grader/tools/mutants.py 8 >said
    [ $? -eq 1 ] && cat said && ! grep -q '^sum\.c sum: total' said &&
        grep -q '^sum\.c sum: for (size_t i = 1; i \[< -> <=\] N; i++) {$' said && [ -z "$(ls build/tmp)" ]
}
# Lists all mutants that pass, with a reason.
listed=grader/tests/mutants/08.txt
explained() {
    { echo '# This judge looks at one line alone.' && changes | grep -v 'total +\?= \?\[\?x\|total \[\|\[total'; } >$listed
    grader/tools/mutants.py 8
}
stale() {
    echo 'sum.c sum: gone [a -> b]' >>$listed
    ! grader/tools/mutants.py 8 --check >said && cat said &&
        grep -q "^$listed:[0-9]*: is no change of the solution" said
}
refused_though_listed() {
    { echo '# Wrong.' && echo 'sum.c sum: total += x[[i -> N]];'; } >$listed
    ! grader/tools/mutants.py 8.1 >said && grep -A 1 "^$listed:2: is refused, not equivalent" said >refusal &&
        grep -qx '    expected 3, got 5' refusal
}
without_reason() {
    echo 'sum.c sum: total += x[[i -> N]];' >$listed
    ! grader/tools/mutants.py 8 --check >said && grep -q "^$listed:1: has no reason" said
}
a_part_again() {
    grader/tools/mutants.py 8 --some 5 --seed 7 >first
    grader/tools/mutants.py 8 --some 5 --seed 7 >second
    grep -q '^5 of 16 changes, --seed 7$' first && cmp first second
}
broken_judge() {
    printf '#!/bin/sh\necho no disk >&2\nexit 3\n' >build/grade
    grader/tools/mutants.py 8 2>said
    [ $? -eq 3 ] && grep -q '^mutants: grade ended with 3: no disk' said
}
if command -v python3 >/dev/null; then
    claim "every token of a solution is changed, one at a time" every_change
    claim "a kernel launch gets other sizes, but the same stream and constants" types_of_a_launcher
    claim "constants, NULL, strings and the signs of integers are changed" constants_and_texts
    claim "changes that pass the judge are printed" unseen
    claim "listed changes are not printed" explained
    claim "a list entry that matches no solution is reported" stale
    claim "a list entry that the judge refuses is printed with the judge's report" refused_though_listed
    claim "a list entry without a reason is reported" without_reason
    claim "the same seed draws the same changes" a_part_again
    claim "a failure of the judge is an error" broken_judge
    claim "an unknown lab is refused" refused grader/tools/mutants.py 9
else
    echo "ok - mutants # SKIP python3 is not installed"
fi
rm -r solutions/07_mutants solutions/08_mutants build/grade grader/tests/mutants

exit $status
