#!/bin/sh
# shades.sh - draws a table of train --map-log as shades on the terminal: the mean of all heads, with the
# tokens on both axes.
#
#   grader/tools/shades.sh build/demo/reverse.tsv
set -eu
awk -F '\t' '
    function cell(text) { return sprintf("%-6s", substr(text, 1, 5)) }
    BEGIN { split(" ,░,▒,▓,█", shade, ",") }
    NR > 1 { # step, block, head, query, key, weight, the two tokens
        sum[$4, $5] += $6
        count[$4, $5]++
        token[$5] = $8
        if ($5 >= T) T = $5 + 1
    }
    END {
        line = cell("")
        for (s = 0; s < T; s++) line = line cell(" " token[s])
        print "  " line
        for (t = 0; t < T; t++) {
            line = cell(token[t])
            for (s = 0; s < T; s++) {
                mean = count[t, s] ? sum[t, s] / count[t, s] : 0
                one = shade[1 + (mean > 0.05) + (mean > 0.15) + (mean > 0.3) + (mean > 0.6)]
                line = line one one one one "  "
            }
            print "  " line
        }
    }' "$1"
