#!/bin/sh
# clean.sh - removes build/ except what a student made and nothing can build again: earlier versions
# (build/backup), the answers to questions (build/questions/*.progress), what passed (build/progress).
set -eu
cd "$(dirname "$0")/../.."

[ -d build ] || exit 0
find build -mindepth 1 -maxdepth 1 ! -name backup ! -name progress ! -name questions -exec rm -rf {} +
[ ! -d build/questions ] ||
    find build/questions -mindepth 1 -maxdepth 1 ! -name '*.progress' -exec rm -rf {} +
rmdir build/questions build/progress build 2>/dev/null || :

kept() { # WHERE WHAT
    [ ! -e "build/$1" ] || echo "clean: kept in build/$1: $2"
}
kept backup "the versions that reset kept"
kept questions "your answers to questions"
kept progress "which exercises passed"
