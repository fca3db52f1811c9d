# claim.sh - claims for the shell tests, one line of TAP each. From the root of the workbook:
#
#     claim_said=$work/out # where a claim's output is kept; $work/said has that of says
#     . grader/tests/claim.sh
#     claim "the solutions pass" build/grade check --src solutions
#     exit $status
status=0

# Prints the file as TAP comments. Of a long file, prints only the first and last lines.
claim_show() {
    sed 's/^/# /' "$1" | awk '
        NR <= 40 { print }
        { line[NR % 40] = $0 }
        END {
            if (NR > 80) { print "# ..." }
            for (n = NR > 80 ? NR - 39 : 41; n <= NR; n++) { print line[n % 40] }
        }'
}

# claim WHAT COMMAND...: the command succeeds. Its output is shown if it does not.
claim() {
    claim_what=$1
    shift
    if "$@" >"$claim_said" 2>&1; then
        echo "ok - $claim_what"
    else
        echo "not ok - $claim_what"
        claim_show "$claim_said"
        status=1
    fi
}

# says STATUS TEXT COMMAND...: the command ends with that status and prints a line with this text.
says() {
    expected=$1 text=$2
    shift 2
    "$@" >"${claim_said%/*}/said" 2>&1
    got=$?
    head -n 40 "${claim_said%/*}/said"
    [ "$got" -eq "$expected" ] && grep -qF -e "$text" "${claim_said%/*}/said"
}

# one_line STATUS TEXT COMMAND...: like says, and the command prints nothing else.
one_line() { says "$@" && [ "$(wc -l <"${claim_said%/*}/said")" -eq 1 ]; }

# No command waits for somebody at a terminal.
exec </dev/null
