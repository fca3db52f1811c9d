# workspace.sh - for tests of grade class: skips the test if grade-class is not built, makes a folder $work,
# and in it a workbook with a stub for build/grade. From the root of the workbook:
#
#     . grader/tests/class/workspace.sh
#
# The stub calls the real build/grade once for every file and seed, and stores the answer. So a
# class takes milliseconds, and the stub can be told to fail.
top=$PWD
B=${BUILD:-build}
[ -x "$B/grade-class" ] || {
    echo "ok - $(basename "$0") # SKIP grade-class is not built (libarchive-dev, libsqlite3-dev, libmd-dev, libyaml-dev, libgit2-dev)"
    exit 0
}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/class.XXXXXX") || exit 1
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

unset GRADE_HIDDEN_SEED GRADE_NOW
export OPENBLAS_NUM_THREADS=1 # otherwise programs restart themselves, and the second start lacks writes.c
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

mkdir -p "$work/grader" "$work/build" "$work/store"
ln -s "$top/labs" "$work/labs"
cp -Rp "$top/solutions" "$work/solutions"
cp -R "$top/grader/exercises" "$work/grader/exercises"
cp grader/points.txt "$work/grader/"
ln -s "$top/grader/class" "$work/grader/class"
cp "$B/grade-class" "$work/build/"
cat >"$work/build/grade" <<END
#!/bin/sh
# STUB=fail: fails for a file that contains "trouble"; STUB=block: never ends
for word; do case \$word in --untrusted) echo "grade: no box for untrusted code on this machine: none" >&2; exit 3 ;; esac; done
tree= json= lab= seed=
umask >>"$work/umask"
all="\$*"
while [ \$# -gt 0 ]; do
    case \$1 in --src) tree=\$2 ;; --jobs) echo \$2 >>"$work/jobs" ;; --json) json=\$2 ;; --lab=*) lab=\$lab\${1#--lab=}, ;; --seed) seed=\$2 ;; esac
    shift
done
if [ "\${STUB:-}" = fail ] && grep -qs trouble "\$tree"/*/*.c; then kill -SEGV \$\$; fi
if [ "\${STUB:-}" = block ]; then echo \$\$ >"$work/blocked"; read -r never <"$work/never"; fi
key=$work/store/\$lab-\$seed-\$(cat "\$tree"/*/*.c 2>/dev/null | cksum | tr ' ' -)
[ -e "\$key" ] || {
    "$top/$B/grade" \$all >/dev/null 2>&1
    cp "\$json" "\$key.\$\$" && mv "\$key.\$\$" "\$key"
}
cp "\$key" "\$json"
exit 1
END
chmod +x "$work/build/grade"
cc=${CC:-gcc}
$cc -shared -fPIC -o "$work/writes.so" grader/tests/class/writes.c -ldl || exit 1
$cc -o "$work/book" grader/tests/class/book.c -lsqlite3 || exit 1

grade() { # FOLDER DB OPTIONS...: one lab, without a box
    folder=$1 db=$2
    shift 2
    "$work/build/grade-class" class "$folder" --db "$db" --lab 1 --trust "$@" </dev/null
}
report() { "$work/build/grade-class" report --db "$@"; }
points() { # DB NAME: the student's points in lab 1, from the table
    report "$1" --csv "$work/points.csv" >/dev/null 2>&1
    grep "^\"$2\"," "$work/points.csv" | cut -d , -f 4
}
has() { # DB NAME POINTS
    got=$(points "$1" "$2")
    [ "$got" = "$3" ] || {
        echo "$2 has '$got' points, expected $3"
        return 1
    }
}
exits() { # CODE COMMAND...
    expected=$1
    shift
    "$@"
    code=$?
    [ $code -eq "$expected" ] || {
        echo "exit status $code, expected $expected"
        return 1
    }
}
solution=solutions/01_simple_attention/attention.c
folder_of() { mkdir -p "$1/01_simple_attention" && cp "${2:-$solution}" "$1/01_simple_attention/attention.c"; }
grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale "$work/no-scale"
noscale=$work/no-scale/01_simple_attention/attention.c
