# plot.gp - draws the data that explore.c of lab 9 writes.
#
#   gnuplot -c labs/09_generation/plot.gp DATADIR OUTDIR
#
# Each picture is written as PNG and as SVG. Open the SVG in a browser and point at a dot to read
# its value.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"
POINT = 'hypertext point pointtype 7 pointsize 1.4 linecolor rgb "#ff000000"'
array NAME[4] = ["multi-head: 32 heads of keys", "grouped: 8 heads of keys", "multi-query: 1 head of keys", "grouped, a window of 4096"]
array COLOR[4] = [ORANGE, BLUE, GREEN, GREY]

# ---- the time of a token ---------------------------------------------------------------------

FILE = DATA."/time.tsv"
stats FILE skip 1 using 2 nooutput name "WITHOUT"
stats FILE skip 1 using 3 nooutput name "WITH"
# A token takes between a hundredth of a millisecond and some ten: with a linear axis, one curve lies on it.
LOWEST = 10.**floor(log10(largest(0.001, smallest(WITHOUT_min, WITH_min))))
FIG_W = 700; FIG_H = 400
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/time"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.85; set bmargin at screen 0.15
    set lmargin at screen 0.11; set rmargin at screen 0.97
    set label 1 "With a cache, the time of a token rises far less with its position" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set xrange [0:last(FILE, 1) + 1]; set logscale y; set yrange [LOWEST:2 * WITHOUT_max]; set format y "%g"
    set xlabel "position of the token in the text" textcolor rgb GREY
    set ylabel "milliseconds of one core" textcolor rgb GREY
    set label 2 "the whole text again (8.11)" at first 0.4 * last(FILE, 1), first 0.28 * WITHOUT_max right offset -1, 0.8 textcolor rgb ORANGE
    set label 3 "with the cache (9.7)" at graph 0.97, first WITH_max right offset 0, 1 textcolor rgb BLUE
    plot FILE skip 1 using 1:2 with linespoints pointtype 5 pointsize 0.6 linewidth 2.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:3 with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb BLUE, \
        for [way = 2:3] FILE skip 1 using 1:(column(way)):(sprintf("position %d\n%.3f ms %s", $1, column(way), way == 2 ? "without" : "with the cache")) with labels @POINT
    unset output
}

# ---- the memory of a cache -------------------------------------------------------------------

FILE = DATA."/memory.tsv"
FIG_W = 760; FIG_H = 420
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/memory"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.85; set bmargin at screen 0.15
    set lmargin at screen 0.11; set rmargin at screen 0.66
    set label 1 "The cache of one sequence, in a model of the size of Llama 3 8B (bfloat16)" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set logscale xy 2
    set xrange [1024:131100]; set yrange [1./128:128] # the last tick would be left out at 131072
    set xtics ("1k" 1024, "2k" 2048, "4k" 4096, "8k" 8192, "16k" 16384, "32k" 32768, "64k" 65536, "128k" 131072)
    set ytics ("1/64" 1./64, "1/8" 1./8, 1, 8, 64)
    set xlabel "tokens" textcolor rgb GREY
    set ylabel "GiB" textcolor rgb GREY
    set arrow 1 from 1024, 13.98 to 131072, 13.98 nohead dashtype (10, 6) linewidth 1.5 linecolor rgb GREY
    set label 2 "the weights that every step reads: 14 GiB" at 1100, 13.98 left offset 0, 0.6 textcolor rgb GREY
    do for [i = 1:4] {
        set label 10 + i NAME[i] at 131072, last(FILE, i + 1) left offset 0.8, 0 textcolor rgb COLOR[i]
    }
    plot for [i = 1:4] FILE skip 1 using 1:(column(i + 1)) with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb COLOR[i], \
        for [i = 1:4] FILE skip 1 using 1:(column(i + 1)):(sprintf("%d tokens, %s\n%.3f GiB", $1, NAME[i], column(i + 1))) with labels @POINT
    unset output
}

# ---- what the memory's speed allows ----------------------------------------------------------

FILE = DATA."/serving.tsv"
FIG_W = 760; FIG_H = 420
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/serving"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.80; set bmargin at screen 0.15
    set lmargin at screen 0.11; set rmargin at screen 0.68
    set label 1 "A batch shares the weights, but every sequence brings its own cache" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 "How fast a model of the size of Llama 3 8B can write at most: 8192 tokens in each cache, a memory that reads 3.35 TB/s" at screen 0.03, 0.87 left font FONT.",11" textcolor rgb GREY
    set logscale xy
    set xrange [1:256]; set yrange [100:30000]
    set logscale x 2
    set xlabel "sequences in the batch" textcolor rgb GREY
    set ylabel "tokens a second, at most" textcolor rgb GREY
    do for [i = 1:3] {
        set label 10 + i NAME[i] at 256, last(FILE, i + 1) left offset 0.8, 0 textcolor rgb COLOR[i]
    }
    plot for [i = 1:3] FILE skip 1 using 1:(column(i + 1)) with linespoints pointtype 7 pointsize 0.6 linewidth 2.5 linecolor rgb COLOR[i], \
        for [i = 1:3] FILE skip 1 using 1:(column(i + 1)):(sprintf("%d sequences, %s\n%.0f tokens a second", $1, NAME[i], column(i + 1))) with labels @POINT
    unset output
}

# ---- int8 ------------------------------------------------------------------------------------

FILE = DATA."/int8.tsv"
FIG_W = 760; FIG_H = 330
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/int8"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set tmargin at screen 0.82; set bmargin at screen 0.19
    set lmargin at screen 0.11; set rmargin at screen 0.97
    set label 1 "A weight in int8 is off by half a step at most, large or small" at screen 0.03, 0.93 left font FONT.",15" textcolor rgb INK
    set yrange [-0.62:0.62]; set ytics (-0.5, 0, 0.5)
    set xlabel "weight (one row of the output matrix of the story model)" textcolor rgb GREY
    set ylabel "error, in steps" textcolor rgb GREY
    plot 0.5 with lines dashtype (10, 6) linecolor rgb GREY, -0.5 with lines dashtype (10, 6) linecolor rgb GREY, \
        FILE skip 1 using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb BLUE, \
        FILE skip 1 using 1:2:(sprintf("weight %.6f\nerror %.3f steps", $1, $2)) with labels @POINT
    unset output
}
