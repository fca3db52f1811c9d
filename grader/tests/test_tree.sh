#!/bin/sh
# test_tree.sh - the tree follows its own rules (grader/tools/check_tree.sh), as a test.
cd "$(dirname "$0")/../.." || exit 1

if findings=$(grader/tools/check_tree.sh); then
    echo "ok - the tree keeps its rules"
else
    echo "${findings:-check_tree.sh failed without a finding}" | sed 's/^/not ok - /'
    exit 1
fi
