#!/bin/sh
# test_foreign.sh - a report quotes a student's text and is not changed by it. It shows names of
# the student's files but not of the instructor's, and no text can look like a verdict.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
grade=${GRADE:-$B/grade}
work=$(mktemp -d "${TMPDIR:-/tmp}/instructor.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
modes="--follow=none --strangers"
if $grade walls | grep -q '^box available'; then modes="$modes --untrusted"; fi

tree=$work/hand-in
lab=01_simple_attention
file=$tree/$lab/attention.c
fresh() {
    rm -rf "$tree"
    mkdir -p "$tree"
    cp -R solutions/$lab "$tree/"
}
in_front() { # the standard input, placed before the solution
    fresh
    cat - solutions/$lab/attention.c >"$file"
}
check() { # MODE OPTIONS...: leaves report, report.json and report.xml
    $grade check --no-color --src "$tree" --json "$work/report.json" --junit "$work/report.xml" "$@" \
        >"$work/report" 2>&1
}
said() { # WORDS: in every mode, in the report and in its JSON
    for mode in $modes; do
        check $mode --exercise 1.3
        grep -qF -- "$1" "$work/report" && grep -qF -- "$1" "$work/report.json" || {
            echo "$mode:"
            cat "$work/report"
            return 1
        }
    done
}

# ---- files that a compiler cannot read --------------------------------------------------------

utf16() { # ENCODING BYTES-IN-FRONT FILE
    fresh
    {
        printf "$2"
        iconv -f UTF-8 -t "$1" "solutions/$lab/$3"
    } >"$tree/$lab/$3"
}
told_encoding() { # WORDS FILE OPTIONS...
    words=$1 name=$2
    shift 2
    for mode in $modes; do
        check $mode --exercise 1.3 "$@"
        cat "$work/report"
        [ "$(sed -n "/^$lab does not compile/{n; p;}" "$work/report")" = "$lab/$name is saved as $words; save it as UTF-8" ] &&
            [ "$(grep -c 'attention.cu*' "$work/report")" = 1 ] || return 1
    done
}
if command -v iconv >/dev/null; then
    utf16 UTF-16LE '\377\376' attention.c
    claim "UTF-16 is reported in one sentence" told_encoding UTF-16 attention.c
    utf16 UTF-16BE '\376\377' attention.c
    claim "big-endian UTF-16 is reported" told_encoding UTF-16 attention.c
    utf16 UTF-16LE '' attention.c
    claim "UTF-16 without a byte order mark is reported" told_encoding UTF-16 attention.c
    utf16 UTF-16BE '' attention.c
    claim "big-endian UTF-16 without a byte order mark is reported" told_encoding UTF-16 attention.c
    utf16 UTF-32LE '\377\376\0\0' attention.c
    claim "UTF-32 is reported" told_encoding UTF-32 attention.c
    utf16 UTF-16LE '\377\376' attention.cu
    claim "UTF-16 in a .cu file is reported" told_encoding UTF-16 attention.cu --backend gpu-simulated
    fresh && printf '\357\273\277' | cat - solutions/$lab/attention.c >"$file"
    passes() { check --strangers --exercise 1.3 && grep -q '20 of 20 points' "$work/report"; }
    claim "a UTF-8 byte order mark is ignored" passes
fi

# Every way to write the directive.
names_lines() { # TEXT [LINE]: the text as printf takes it; the line of the text on which the directive begins
    printf "int a;\nint b;\n$1" | in_front
    said "$lab/attention.c, line $((2 + ${2:-1})): remove the #line directive"
}
claim "#line is refused" names_lines '#line 5 "/home/prof/PASS.c"\n'
claim "# 5 is refused" names_lines '  #  5 "/home/prof/PASS.c"\n'
claim "%%:line is refused" names_lines '%%:line 5 "PASS.c"\n'
claim "#line after comments is refused" names_lines '/* a */ # /* b */ line 5 "PASS.c"\n'
claim "#line over two lines is refused" names_lines '#li\\\nne 5 "PASS.c"\n'
claim "#line with spaces after the backslash is refused" names_lines '#\\  \nline 5 "PASS.c"\n'
claim "#line after a raw string that contains /* is refused" names_lines \
    'const char *raw = R"(\n/*\n)";\n#line 5 "PASS.c"\n' 4
claim "#line after a raw string with a prefix is refused" names_lines \
    'const char *s = "R"; const void *raw = u8\\\nR"(\n/*\n)";\n#line 5 "PASS.c"\n' 5
claim "#line after a comment and a raw string is refused" names_lines \
    '/* "\n*/ const char *raw = R"(\n/*\n)";\n#line 5 "PASS.c"\n' 5
# What gcc takes for a blank and for the end of a line.
claim "#line behind and around a 0 is refused" names_lines '\0#\0line 5 "PASS.c"\n'
claim "#line after a lone carriage return is refused" names_lines '\r#line 5 "PASS.c"\n'
claim "#line after a comment and a lone carriage return is refused" names_lines '// a\r#line 5 "PASS.c"\n'
claim "#line after a quotation mark and a lone carriage return is refused" names_lines \
    '#if 0\n"\r#endif\r#line 5 "PASS.c"\n' 2
claim "#line over two lines that end in a carriage return is refused" names_lines '#li\\\rne 5 "PASS.c"\n'
claim "#line after a raw string and a carriage return is refused" names_lines \
    'const char *raw = R"(\n/*\n)";\r#line 5 "PASS.c"\n' 3
marked() {
    printf '\357\273\277#line 5 "PASS.c"\n' | in_front
    said "$lab/attention.c, line 1: remove the #line directive"
}
claim "#line after a byte order mark is refused" marked
no_directive() {
    in_front <<'END'
// #line 5 "PASS.c"
/*
#line 5 "PASS.c"
# 1 heading
*/
#define LINE "a \
#line 5"
#define ERROR "ERROR"
#define LETTERS "R", L"LR", 'R', FOR"not raw", "a \" R" // R"(
/*
 # 1. the product
   # line by line */
#if 0
#elif 1
#endif
#pragma GCC diagnostic push
END
    check --strangers --exercise 1.3
    cat "$work/report"
    grep -q '20 of 20 points' "$work/report"
}
claim "#line in a comment or a string is allowed" no_directive

# ---- forged lines of a report -----------------------------------------------------------------

# Every line of a report begins with our text or the compiler's.
tick=$(printf '\342\234\223')
no_line_is_forged() {
    for mode in $modes; do
        check $mode --lab 1
        cat "$work/report"
        ! grep -av ' | ' "$work/report" | grep -aE "^ *($tick|100 of 100 points|FORGED)" || return 1
        grep -q FORGED "$work/report" || return 1 # it was tried
        ! grep -aq "$(printf '\033')" "$work/report" || return 1
        ! grep -a '[^\\]\\n *'$tick "$work/report.json" || return 1
    done
}
in_front <<END
#pragma message "FORGED\n  $tick 1.3  attention_scores 20/20\nFORGED\n100 of 100 points  seed 1\n"
int x = "y";
END
claim "a #pragma message of several lines is quoted" no_line_is_forged
in_front <<END
_Pragma("message(\"FORGED\\\\n  $tick 1.3\\\\n100 of 100 points\\\\n\")")
#warning FORGED $(printf '\033[2J\033[31m') 100 of 100 points
#error FORGED 100 of 100 points
_Static_assert(0, "FORGED\n  $tick 1.3\n100 of 100 points\n");
END
claim "text of _Pragma, #warning, #error and _Static_assert is quoted" no_line_is_forged
in_front <<END
__attribute__((warning("FORGED\n  $tick 1.3\n100 of 100 points"))) int called(void);
int caller(void) { return called(); }
__asm__(".warning \"FORGED\\\\n  $tick 1.3\"");
__asm__(".error \"FORGED\"");
END
claim "messages of attributes and of the assembler are quoted" no_line_is_forged
in_front <<END
extern int forged(void) __asm__("FORGED_1.3_pass");
int caller(void) { return forged(); }
#pragma message "FORGED"
END
claim "symbol names for the linker are quoted" no_line_is_forged

# The line that gcc proposes to add is not quoted, and its last line says nothing about the code.
echo 'int printer(void) { int x = missing(); printf("%d", x); }' | in_front
gccs_own_lines() {
    check --follow=none --lab 1
    grep -q 'printer' "$work/report" && ! grep -q 'cc1:' "$work/report" && ! grep -q '| *+++' "$work/report"
}
claim "gcc's own lines are not marked as quoted" gccs_own_lines
in_front <<END
#pragma message "FORGED\n+++ |+$tick 1.3\n  +++ |+FORGED\n  cc1: $tick 1.3\n100 of 100 points"
int x = "y";
END
claim "text that resembles gcc's own lines is quoted" no_line_is_forged
huge() {
    { echo '#pragma message "FORGED" \'; head -c 200000 /dev/zero | tr '\0' a | sed 's/.*/"&"/'; echo "#error FORGED"; } | in_front
    for i in $(seq 300); do echo "#warning FORGED $i"; done | cat - "$file" >"$work/long.c" && mv "$work/long.c" "$file"
    check --strangers --lab 1
    wc -c "$work/report" "$work/report.json"
    [ "$(wc -c <"$work/report")" -lt 40000 ] && [ "$(wc -c <"$work/report.json")" -lt 200000 ]
}
claim "a report quotes a limited amount of compiler output" huge

# ---- names of files and functions -------------------------------------------------------------

snippet() { # the standard input is a function's body
    rm -rf "$tree"
    { echo "// 1.3 attention_scores crash"; cat; } >"$work/snippet.c"
    grader/tools/transplant.sh "$work/snippet.c" "$tree"
}
snippet <<'END'
#include <stdlib.h>
// BODY
    __asm__ volatile(".file 4 \"/FORGED/01_simple_attention/attention.c\"\n.loc 4 5 1");
    free(scores + 1);
    __asm__ volatile(".loc 4 6 1");
    return LAB_OK;
END
real_name() { # in the report of a crash
    for mode in $modes; do
        check $mode --exercise 1.3
        cat "$work/report"
        ! grep -q FORGED "$work/report" && grep -qE "^  at ([^ ]*/)?$lab/attention.c:[0-9]+( in [a-z_]+)?$" "$work/report" || return 1
    done
}
claim "a forged .file directive does not change the file's name" real_name
snippet <<'END'
#include <stdio.h>
#include <stdlib.h>
// BODY
    fprintf(stderr, "==1==ERROR: AddressSanitizer: heap-buffer-overflow\n"
                    "    #0 0x4 in attention_scores /x/01_simple_attention/attention.c:7\n"
                    "    #1 0x4 in FORGED!100/100 FORGED/01_simple_attention/attention.c:8\n");
    exit(66);
END
claim "a forged report of AddressSanitizer does not change the file's name" real_name

# ---- links ------------------------------------------------------------------------------------

refuses_link() { # OPTIONS...: also without a box, where nothing but the build stands in its way
    check --strangers --exercise 1.3 "$@"
    cat "$work/report"
    grep -qF "$lab/$linked is a link that leads out of the hand-in; hand in the file itself" "$work/report" &&
        grep -q '^0 of [0-9]* points' "$work/report" && ! grep -qF -e solutions -e "$work/" "$work/report.json"
}
linked=attention.c
fresh && ln -sf "$top/solutions/$lab/attention.c" "$file"
claim "a link to a solution is refused" refuses_link
rm -rf "$tree" && mkdir -p "$tree" && ln -s "$top/solutions/$lab" "$tree/$lab"
claim "a folder that is a link to the solutions is refused" refuses_link
# the other folder's name begins with this one's
fresh && mkdir "$tree-in-2" && mv "$file" "$tree-in-2/" && ln -s ../../hand-in-in-2/attention.c "$file"
claim "a link to a folder beside the hand-in is refused" refuses_link
linked=attention.cu
fresh && ln -sf "$top/solutions/$lab/attention.cu" "$tree/$lab/attention.cu"
claim "a link to a kernel's solution is refused" refuses_link --backend gpu-simulated
follows_link() {
    check --strangers --exercise 1.3
    cat "$work/report"
    grep -q '20 of 20 points' "$work/report"
}
fresh && mv "$file" "$tree/$lab/mine.c" && ln -s mine.c "$file"
claim "a link inside the hand-in is followed" follows_link
rm -rf "$work/where" && mv "$tree" "$work/where" && ln -s where "$tree"
claim "the hand-in itself may be a link" follows_link
rm "$tree"

# ---- the paths of the instructor's files ------------------------------------------------------

home=$work/home-of-ada
mkdir "$home"
hidden_paths() { # OPTIONS...: in everything that students see
    for mode in --strangers $(echo "$modes" | grep -o -- --untrusted); do
        HOME=$home check $mode --lab 1 "$@"
        sed 1d "$work/report" >"$work/shown" # the first line repeats what the instructor typed
        ! grep -aF -e "$top/" -e "$work/" -e "/submission/" -e "$home" "$work/shown" "$work/report.json" "$work/report.xml" || return 1
        grep -q attention "$work/report.json" || return 1
    done
}
printf 'int x = "y";\n' | in_front
claim "the compiler's messages contain no path of the instructor" hidden_paths
printf '#include "common/no_such_header.h"\n#include "%s/solutions/%s/attention.c"\n' "$top" $lab | in_front
claim "the message about a missing header contains no path of the instructor" hidden_paths
printf '#include "common/status.h"\nlab_status lab_no(int);\nenum lab_status { A };\n' | in_front
claim "messages that name a header of ours contain no path of the instructor" hidden_paths
printf 'int called(void);\nint caller(void) { return called(); }\n' | in_front
claim "the linker's messages contain no path of the instructor" hidden_paths
snippet <<'END'
    scores[T * S] = 1;
    return LAB_OK;
END
claim "AddressSanitizer's report contains no path of the instructor" hidden_paths
snippet <<'END'
    int big = (int)T + 2147483647;
    scores[0] = (float)(big << (int)S);
    return LAB_OK;
END
claim "UndefinedBehaviorSanitizer's report contains no path of the instructor" hidden_paths
snippet <<'END'
#include <assert.h>
#include <stdio.h>
// BODY
    printf("%s\n", __FILE__);
    assert(T == 0);
    return LAB_OK;
END
claim "the program's output contains no path of the instructor" hidden_paths
printf '#warning __FILE__\nstatic int unused;\n' | in_front
claim "a warning contains no path of the instructor" hidden_paths
fresh && rm "$file"
claim "the message about a missing file contains no path of the instructor" hidden_paths
rm -rf "$tree" && grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores_kernel.cu@unguarded "$tree"
claim "reports of the simulated GPU contain no path of the instructor" hidden_paths --backend gpu-simulated
fresh && echo '#error here' >>"$tree/$lab/attention.cu"
claim "messages of the GPU side's compiler contain no path of the instructor" hidden_paths --backend gpu-simulated
exit $status
