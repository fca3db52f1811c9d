# experiment.gp - draws how the story model learns with RoPE and without.
#
#   gnuplot -c labs/08_language_model/experiment.gp NAME TABLE.tsv OUTDIR
#
# The table has the columns variant, step, held_out; make experiment NAME=rope writes it and calls this.

if (ARGC != 3) { print "usage: gnuplot -c experiment.gp NAME TABLE.tsv OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
NAME = ARG1; FILE = ARG2; OUT = ARG3
load PLOT."/style.gp"

ENTROPY = 0.100824              # build/stories --entropy
array VARIANT[2] = ["without", "with"]
array COLOR[2] = [ORANGE, BLUE]
last_of(variant) = real(system(sprintf("awk -F '\\t' '$1 == \"%s\" { v = $3 } END { print v }' %s", variant, quoted(FILE))))
FIG_W = 860; FIG_H = 400
INVISIBLE = 'hypertext point pointtype 7 pointsize 1 linecolor rgb "#ff000000"'

do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/".NAME
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    stats FILE skip 1 using 2 nooutput
    set label 1 "The story model, with RoPE and without" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.86; set bmargin at screen 0.15
    set lmargin at screen 0.09; set rmargin at screen 0.80
    set logscale y
    set xrange [0:STATS_max]; set yrange [0.08:6]
    set xlabel "step" textcolor rgb GREY
    set ylabel "held-out loss, nats per character" textcolor rgb GREY
    set ytics (0.1, 0.2, 0.5, 1, 2, 4)
    set arrow 1 from graph 0, first ENTROPY to graph 1, first ENTROPY nohead dashtype (10, 6) linewidth 1.5 linecolor rgb GREEN
    set label 2 sprintf("entropy of the stories: %.4f", ENTROPY) at graph 0.98, first ENTROPY right offset 0, 0.7 textcolor rgb GREEN
    do for [n = 1:2] {
        set label 2 + n sprintf("%s RoPE: %.3f", VARIANT[n], last_of(VARIANT[n])) at STATS_max, last_of(VARIANT[n]) left offset 0.8, 0 textcolor rgb COLOR[n]
    }
    plot for [n = 1:2] FILE skip 1 using (strcol(1) eq VARIANT[n] ? $2 : NaN):3 with linespoints pointtype 7 pointsize 0.5 linewidth 2.5 linecolor rgb COLOR[n], \
        FILE skip 1 using 2:3:(sprintf("%s RoPE\nstep %d\nheld out %.4f", strcol(1), $2, $3)) with labels @INVISIBLE
    unset output
}
