# decode.gp - draws tokens a second beside what reading the memory allows.
#
#   gnuplot -c labs/09_generation/decode.gp TABLE.tsv OUTDIR
#
# build/bench/09_decode writes the table: threads, what, limit, ours, pytorch, in tokens a second (nan:
# not measured). make bench and make figures call this.

if (ARGC != 2) { print "usage: gnuplot -c decode.gp TABLE.tsv OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
FILE = ARG1; OUT = ARG2
load PLOT."/style.gp"

# The four places along x; NaN for a prompt, which is not limited by the memory.
place(threads, what) = (what eq "prompt" ? NaN : 2 * (threads - 1) + (what eq "int8"))
name(threads, what) = sprintf("%s, %d thread%s", what, threads, threads == 1 ? "" : "s")
FIG_W = 760; FIG_H = 420
INVISIBLE = 'hypertext point pointtype 5 pointsize 2 linecolor rgb "#ff000000"'
HOVER = '(sprintf("%s\nlimit %.1f\nthis lab %.1f, %.0f %%\nPyTorch %s", name($1, strcol(2)), $3, $4, 100 * $4 / $3, strcol(5)))'
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/decode"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    set datafile missing "nan"
    stats FILE skip 1 using (strcol(2) eq "prompt" ? NaN : $3) nooutput
    eval CURVES
    set label 1 "Tokens a second, and the limit that reading the weights sets" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 "In white: how much of the limit this lab reaches" at screen 0.03, 0.87 left font FONT.",11" textcolor rgb GREY
    set ylabel "tokens a second" textcolor rgb GREY
    set tmargin at screen 0.80; set bmargin at screen 0.11
    set lmargin at screen 0.11; set rmargin at screen 0.80
    set xrange [-0.6:3.6]; set yrange [0:1.1 * STATS_max]
    set xtics ("float32\n1 thread" 0, "int8\n1 thread" 1, "float32\n2 threads" 2, "int8\n2 threads" 3) scale 0
    set grid noxtics
    set style fill solid 1 noborder
    set boxwidth 0.3
    set key at screen 0.985, 0.78 right top Left reverse samplen 1 spacing 1.35 textcolor rgb INK
    plot FILE skip 1 using (place($1, strcol(2)) - 0.16):4 with boxes linecolor rgb BLUE title "this lab", \
        FILE skip 1 using (place($1, strcol(2)) + 0.16):5 with boxes linecolor rgb "#e69f00" title "PyTorch", \
        FILE skip 1 using (place($1, strcol(2)) - 0.4):3:(0.8):(0) with vectors nohead dashtype (10, 6) linewidth 1.5 linecolor rgb INK title "the limit", \
        FILE skip 1 using (place($1, strcol(2)) - 0.16):4:(sprintf("%.0f %%", 100 * $4 / $3)) with labels offset 0, -0.8 font FONT.",11" textcolor rgb "#ffffff" notitle, \
        FILE skip 1 using (place($1, strcol(2)) - 0.16):4:@HOVER with labels @INVISIBLE notitle
    unset output
}
