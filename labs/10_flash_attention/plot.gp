# plot.gp - draws the data that explore.c of lab 10 writes.
#
#   gnuplot -c labs/10_flash_attention/plot.gp DATADIR OUTDIR
#
# Each picture is written as PNG and as SVG. Open the SVG in a browser and point at a cell or a
# dot to read its value.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"
POINT = 'hypertext point pointtype 7 pointsize 1.4 linecolor rgb "#ff000000"'

# ---- memory and time -------------------------------------------------------------------------

FILE = DATA."/cost.tsv"
array COLOR[3] = [ORANGE, BLUE, GREEN]
array NAME[3] = ["standard (4.5)", "flash (10.2)", "flash, causal (10.3)"]
stats FILE skip 1 using 4 nooutput name "STANDARD"
stats FILE skip 1 using 5 nooutput name "FLASH"
stats FILE skip 1 using 6 nooutput name "CAUSAL"
LOW = smallest(STANDARD_min, smallest(FLASH_min, CAUSAL_min))
HIGH = largest(STANDARD_max, largest(FLASH_max, CAUSAL_max))
FIG_W = 860; FIG_H = 420
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/cost"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set tmargin at screen 0.78; set bmargin at screen 0.15
    set logscale x 2; set logscale y 10
    set xrange [256:16500]
    set xtics ("256" 256, "1k" 1024, "4k" 4096, "16k" 16384)
    set xlabel "T = S, tokens" textcolor rgb GREY

    set lmargin at screen 0.10; set rmargin at screen 0.46
    set label 1 "Twice the tokens: standard attention needs four times the memory, flash attention hardly more" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 "memory beside q, k, v and out" at graph 0, 1.06 left textcolor rgb INK
    set ylabel "MiB" textcolor rgb GREY
    set yrange [0.02:4096]
    set ytics (0.1, 1, 10, 100, 1000)
    set label 3 NAME[1] at graph 0.42, 0.72 right textcolor rgb COLOR[1]
    set label 4 "flash (10.2, 10.3)" at graph 0.97, 0.20 right textcolor rgb COLOR[2]
    plot for [i = 1:2] FILE skip 1 using 1:(column(i + 1) / 2**20) with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb COLOR[i], \
        for [i = 1:2] FILE skip 1 using 1:(column(i + 1) / 2**20):(sprintf("T = %d, %s\n%.3f MiB", $1, NAME[i], column(i + 1) / 2**20)) with labels @POINT

    unset label
    set lmargin at screen 0.58; set rmargin at screen 0.94
    set label 2 "processor time, one thread" at graph 0, 1.06 left textcolor rgb INK
    set ylabel "milliseconds" textcolor rgb GREY
    set yrange [10**floor(log10(LOW)):10**ceil(log10(HIGH))]
    set ytics auto
    do for [i = 1:3] {
        set label 10 + i NAME[i] at graph 0.97, 0.30 - 0.07 * i right textcolor rgb COLOR[i]
    }
    plot for [i = 1:3] FILE skip 1 using 1:(column(i + 3)) with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb COLOR[i], \
        for [i = 1:3] FILE skip 1 using 1:(column(i + 3)):(sprintf("T = %d, %s\n%.2f ms", $1, NAME[i], column(i + 3))) with labels @POINT
    unset multiplot
    unset output
}

# The handout's picture shows fast code, and so the opposite.
if (system(sprintf("awk 'NR == 4 { print ($5 > $4) }' %s", quoted(FILE))) eq "1") {
    set print "-"
    print "cost.png: flash attention takes longer here than standard attention; the handout's picture is drawn with"
    print "SRC=solutions/fast. Plain loops are slower than OpenBLAS, which lab 4 calls. A curve ends where one call"
    print "would take more than 4 s, or where the scores would fill more than half of the free memory."
    print ""
    set print
}

# ---- one row, tile by tile -------------------------------------------------------------------

FILE = DATA."/row.tsv"
stats FILE skip 1 using 1 every ::0::0 nooutput name "TILE"
TILE = int(TILE_min)
HOVER = 'sprintf("after %d keys\nmaximum %.4f\nsum %.4f\nmax + log(sum) %.4f", $1, $2, $5, $6)'
FIG_W = 760; FIG_H = 500
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/row"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set lmargin at screen 0.10; set rmargin at screen 0.79
    set xrange [0:last(FILE, 1)]; set xtics 0, 2 * TILE

    set tmargin at screen 0.86; set bmargin at screen 0.48
    set label 1 "With each new maximum, the sum so far is rescaled" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set format x ""
    set ylabel "score" textcolor rgb GREY
    set label 2 "max + log(sum)" at graph 1, first last(FILE, 6) left offset 0.8, 0 textcolor rgb GREEN
    set label 3 "maximum so far" at graph 1, first last(FILE, 2) left offset 0.8, 0 textcolor rgb ORANGE
    set label 4 "score of each key" at graph 1, first 0 left offset 0.8, 0 textcolor rgb GREY
    plot DATA."/keys.tsv" skip 1 using 1:2 with points pointtype 7 pointsize 0.25 linecolor rgb "#b0b0b0", \
        FILE skip 1 using ($1 - TILE):2:(TILE):(0) with vectors nohead linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:6 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb GREEN, \
        for [i = 2:6:4] FILE skip 1 using 1:(column(i)):(@HOVER) with labels @POINT

    unset label
    set tmargin at screen 0.42; set bmargin at screen 0.12
    set format x "%g"
    set xlabel sprintf("keys so far, in tiles of %d", TILE) textcolor rgb GREY
    set ylabel "sum" textcolor rgb GREY
    set yrange [0:*]
    set label 2 "Σ exp(score − max)" at graph 1, first last(FILE, 5) left offset 0.8, 0 textcolor rgb BLUE
    set label 3 "rescaled" at first TILE, first 3 left offset 1, 0 textcolor rgb ORANGE
    plot FILE skip 1 using ($1 - TILE):4:(TILE):($5 - $4) with vectors nohead linewidth 2.5 linecolor rgb BLUE, \
        FILE skip 1 using ($1 - TILE):3:(0):($4 - $3) with vectors nohead linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:5 with points pointtype 7 pointsize 0.6 linecolor rgb BLUE, \
        FILE skip 1 using 1:5:(@HOVER) with labels @POINT
    unset multiplot
    unset output
}

# ---- tiles under the causal rule -------------------------------------------------------------

# Three score matrices with cells of one size. Their sizes and those of the tiles are explore.c's.
FILE = DATA."/tiles.tsv"
array T[3] = [24, 12, 24]
array S[3] = [24, 24, 12]
array STATE[3] = ["seen", "masked", "skipped"]
array PAINT[3] = [BLUE, "#E69F00", BLANK]
array MEANING[3] = ["a key that the query sees", "masked, in a visited tile", "in a tile that is not visited"]
TALL = 4; WIDE = 6; CELL = 11.
FIG_W = 900; FIG_H = 436
px(x) = real(x) / FIG_W
py(y) = 1 - real(y) / FIG_H
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/tiles"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    set multiplot
    set border 0; set key noautotitle; unset colorbox
    set label 1 "Under the causal rule, only tiles in which a query sees a key are visited" at screen 0.03, py(28) left font FONT.",15" textcolor rgb INK
    do for [i = 1:3] {
        set label 10 + i "■" at screen px(27 + (i - 1) * 235), py(60) left textcolor rgb PAINT[i]
        set label 20 + i MEANING[i] at screen px(43 + (i - 1) * 235), py(60) left textcolor rgb INK
    }
    LEFT = 75
    do for [m = 1:3] {
        set lmargin at screen px(LEFT); set rmargin at screen px(LEFT + S[m] * CELL)
        set tmargin at screen py(110); set bmargin at screen py(110 + T[m] * CELL)
        set xrange [-0.5:S[m] - 0.5]; set yrange [T[m] - 0.5:-0.5]
        set xtics scale 0 0, WIDE textcolor rgb INK; set ytics scale 0 0, TALL textcolor rgb INK
        set xlabel "key" offset 0, 0.4 textcolor rgb GREY; set ylabel "query" textcolor rgb GREY
        set label 2 sprintf("T = %d, S = %d", T[m], S[m]) at graph 0.5, 1 center offset 0, 0.9 textcolor rgb INK
        plot for [i = 1:3] FILE skip 1 using ($1 == m - 1 && strcol(4) eq STATE[i] ? $3 : NaN):2:(0.47):(0.47) with boxxyerror fillstyle solid noborder linecolor rgb PAINT[i], \
            for [j = 1:S[m] / WIDE - 1] "+" using (j * WIDE - 0.5):(-0.5):(0):(T[m]) every ::0::0 with vectors nohead linewidth 2.5 linecolor rgb INK, \
            for [j = 1:T[m] / TALL - 1] "+" using (-0.5):(j * TALL - 0.5):(S[m]):(0) every ::0::0 with vectors nohead linewidth 2.5 linecolor rgb INK, \
            FILE skip 1 using ($1 == m - 1 ? $3 : NaN):2:(sprintf("query %d, key %d\n%s", $2, $3, strcol(4))) with labels @POINT
        LEFT = LEFT + S[m] * CELL + 75
        unset label
    }
    unset multiplot
    unset output
}
