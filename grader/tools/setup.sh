#!/bin/sh
# setup.sh - installs the packages that the workbook needs and that are missing.
#
# First prints what is missing and why. Installs as root or through sudo; if neither is
# possible, prints the command and stops. Works in a new container with empty package lists.
# SETUP=skip skips the check.
#
#   grader/tools/setup.sh            for make demo and make setup
#   grader/tools/setup.sh --test     for make test: also installs what only the tests need
#   grader/tools/setup.sh --book     for make book: installs only what that needs
#   grader/tools/setup.sh --check gcc libcjson-dev ...
#                                    what the other targets call: installs nothing, and fails
#                                    with one line when one of these is missing
#
# The list is packages.txt. Start reading at the bottom.
set -eu
cd "$(dirname "$0")/../.."
list=grader/tools/packages.txt
needs=required
case ${1:-} in
--test) needs='required|test' ;;
--book) needs=book ;;
esac

# Lists the required packages that are not installed, one per line; for a|b, lists a.
missing() {
    # dpkg-query fails if it does not know a package, but still prints the others.
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' \
        $(awk -v needs="^($needs)\$" '$2 ~ needs { gsub(/\|/, " ", $1); print $1 }' "$list") 2>/dev/null) || :
    awk -v installed="$installed" -v needs="^($needs)\$" '
        BEGIN {
            n = split(installed, line, "\n")
            for (i = 1; i <= n; i++) {
                if (line[i] ~ /^.i/) { # "ii gcc": wanted, installed
                    there[substr(line[i], 4)] = 1
                }
            }
        }
        $2 ~ needs {
            n = split($1, name, "|")
            for (i = 1; i <= n; i++) {
                if (name[i] in there) {
                    next
                }
            }
            print name[1]
        }
    ' "$list"
}

# Prints "  gnuplot-nox          draws the pictures" for the named packages, or for all required
# ones.
explain() {
    awk -v names=" $* " -v needs="^($needs)\$" '
        $2 ~ needs {
            split($1, name, "|")
            if (names ~ /^ *$/ || index(names, " " name[1] " ")) {
                $1 = $2 = ""
                printf "  %-18s %s\n", name[1], substr($0, 3)
            }
        }
    ' "$list"
}

# Runs apt-get as root or through sudo. Its output goes to the log, which is shown only on
# failure.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1 </dev/null
}

[ "${SETUP:-}" != skip ] || exit 0

if [ "${1:-}" = --check ]; then
    shift
    command -v dpkg-query >/dev/null || exit 0 # the compiler will say
    needed=" $* " lacking=
    for package in $(missing); do
        case $needed in *" $package "*) lacking="$lacking $package" ;; esac
    done
    [ -n "$lacking" ] || exit 0
    echo "missing on this machine:$lacking. make setup installs it; SETUP=skip continues without it" >&2
    exit 1
fi

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not a Debian or Ubuntu machine. What is needed, by its Debian name:" >&2
    explain >&2
    echo "Install it another way, then add SETUP=skip to each command: make demo SETUP=skip" >&2
    exit 1
fi

lacking=$(missing)
if [ -z "$lacking" ]; then
    [ "$needs" = book ] || echo "setup: everything that is needed is installed"
    exit 0
fi

echo "setup: missing on this machine"
explain $lacking

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=sudo
else
    echo "setup: installing needs root, and sudo does not work here. Run this yourself, or" >&2
    echo "ask an administrator. make ... SETUP=skip continues without the packages." >&2
    # One line, easy to copy.
    echo "    sudo apt-get update && sudo apt-get install -y" $lacking >&2
    exit 1
fi

mkdir -p build
log=build/setup.log
: >"$log"
[ -z "$as_root" ] || sudo -v # asks for the password here, where it can be seen
echo "setup: installing (a minute or two; details in $log)"
apt update || echo "setup: apt-get update failed; trying with the existing package lists"
if ! apt install --no-install-recommends $lacking || [ -n "$(missing)" ]; then
    tail -n 20 "$log" >&2
    echo "setup: apt-get could not install:" $(missing) >&2
    echo "    sudo apt-get update && sudo apt-get install -y" $(missing) >&2
    exit 1
fi
echo "setup: done"
