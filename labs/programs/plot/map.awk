# map.awk - takes a map file apart for gnuplot.
#
# A map file is what lab_write_map_tsv writes: tab-separated, the first line is empty + the
# column names, every other line is a row name + one number per column, "nan" for a cell to
# leave blank.
#
#   awk -v part=check   < map.tsv   rows columns min max longest-row-name longest-column-name,
#                                   or one line "error: ..." when the file is not such a table
#   awk -v part=cells               column  row  value  column-name  row-name, a line per cell
#   awk -v part=columns -v step=4   every fourth column: number, name; part=rows likewise
#   awk -v part=shades -v side=32   the cells of part=cells averaged over blocks, so that at
#                                   most side x side remain: column  row  value
#
# Quotes and backslashes in names become their typographic twins: gnuplot strips the plain
# ones, and a hover text is JavaScript.

BEGIN { FS = "\t"; OFS = "\t"; if (!step) step = 1; rows = 0 }

function plain(name)
{
    gsub(/"/, "”", name); gsub(/'/, "’", name); gsub(/\\/, "∖", name)
    return name == "" ? " " : name
}

# The name's length in characters: bytes that continue a UTF-8 character do not count.
function width(name)
{
    gsub(/[\200-\277]/, "", name)
    return length(name)
}

function fail(message)
{
    if (part == "check") print "error: " message
    failed = 1
    exit 1
}

{ sub(/\r$/, "") }
$0 == "" { next }

!columns {
    columns = NF - 1
    if (columns < 1) fail("line " NR " should be column names after a tab, and has none")
    for (i = 1; i <= columns; i++) {
        column[i - 1] = plain($(i + 1))
        if (width(column[i - 1]) > column_width) column_width = width(column[i - 1])
        if (part == "columns" && (i - 1) % step == 0) print i - 1, column[i - 1]
    }
    next
}

NF != columns + 1 {
    fail("line " NR " has " (NF - 1) " values, the first line names " columns " columns")
}

{
    name = plain($1)
    if (width(name) > row_width) row_width = width(name)
    if (part == "rows" && rows % step == 0) print rows, name
    for (i = 2; i <= NF; i++) {
        if (part == "cells") print i - 2, rows, $i, column[i - 2], name
        blank = (tolower($i) ~ /^-?nan$/)
        if (part == "shades" && !blank) {
            sum[rows, i - 2] = $i + 0
        }
        if (blank) continue
        if ($i !~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/) {
            fail("line " NR ", column " i ": \"" $i "\" is not a number (a blank cell is nan)")
        }
        if (!seen || $i + 0 < low) low = $i + 0
        if (!seen || $i + 0 > high) high = $i + 0
        seen = 1
    }
    rows++
}

END {
    if (failed) exit 1
    if (!rows && part == "check") { print "error: the table has no rows"; exit 1 }
    if (part == "check") {
        printf "%d %d %.9g %.9g %d %d\n", rows, columns, low, high, row_width, column_width
    }
    if (part == "shades") {
        block = 1
        while (columns > block * side || rows > block * side) block++
        for (r = 0; r * block < rows; r++) for (c = 0; c * block < columns; c++) {
            total = 0; count = 0
            for (i = r * block; i < (r + 1) * block && i < rows; i++)
                for (j = c * block; j < (c + 1) * block && j < columns; j++)
                    if ((i, j) in sum) { total += sum[i, j]; count++ }
            print c, r, (count ? total / count : "nan")
        }
    }
}
