# experiment.gp - draws how lab 6's model learns with five positional encodings.
#
#   gnuplot -c labs/07_positional_encoding/experiment.gp NAME TABLE.tsv OUTDIR
#
# The table is that of labs/programs/variants/encodings.c; make experiment NAME=encodings calls this.
# A dot is one seed, a line goes through the means.

if (ARGC != 3) { print "usage: gnuplot -c experiment.gp NAME TABLE.tsv OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
NAME = ARG1; FILE = ARG2; OUT = ARG3
load PLOT."/style.gp"

array ENCODING[5] = ["none", "learned", "sinusoidal", "RoPE", "ALiBi"]
array COLOR[5] = [GREY, ORANGE, "#E69F00", BLUE, GREEN]
array MARK[5] = [8, 5, 11, 7, 13]
array TASK[3] = ["reverse", "sort", "add"]
array LENGTH[5] = [8, 12, 16, 24, 32]
BEST_REVERSE = 0.55             # 4 of 8 tokens have been read, the others are guessed

# mean(TASK, ENCODING, LENGTH, COLUMN) over the seeds
mean(task, encoding, length, n) = real(system(sprintf("awk -F '\\t' '$1 == \"%s\" && $2 == \"%s\" && $4 == %d { s += $%d; c++ } END { print c ? s / c : \"nan\" }' %s", encoding, task, length, n, quoted(FILE))))

FIG_W = 960; FIG_H = 430
INVISIBLE = 'hypertext point pointtype 7 pointsize 1 linecolor rgb "#ff000000"'
HOVER = '(sprintf("%s, %s, seed %s\n%d tokens\nloss %.4f\nright %.1f %%", strcol(1), strcol(2), strcol(3), $4, $5, 100 * $6))'
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/".NAME
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    set multiplot
    eval CURVES
    set label 1 "Trained on 8 tokens: tables are best at 8, RoPE works on longer sequences too" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set label 2 "one block, 4 heads, 1500 steps; a dot is one of 3 seeds, a line or bar their mean; 512 unseen sequences" at screen 0.03, 0.875 left font FONT.",11" textcolor rgb GREY
    set tmargin at screen 0.75; set bmargin at screen 0.17
    set yrange [0:104]; set ytics 0, 20, 100

    set lmargin at screen 0.06; set rmargin at screen 0.40
    set label 3 "right at 8 tokens, %" at graph 0, 1.06 left textcolor rgb INK
    set xrange [0.4:3.6]; set xtics ("reverse" 1, "sort" 2, "add" 3) scale 0
    set grid noxtics
    set boxwidth 0.13; set style fill solid 0.85 noborder
    set arrow 1 from 0.6, 100 * BEST_REVERSE to 1.4, 100 * BEST_REVERSE nohead dashtype (6, 4) linewidth 1.5 linecolor rgb "#555555" front
    set label 4 "best possible" at 1, 100 * BEST_REVERSE center offset 0, 0.7 font FONT.",11" textcolor rgb "#555555"
    place(task, n) = task + 0.16 * (n - 3)
    PART = ""
    do for [n = 1:5] {
        PART = PART.sprintf('%sTASK using ($1 + 0.16 * (%d - 3)):(100 * mean(TASK[$1], ENCODING[%d], 8, 6)) with boxes linecolor rgb COLOR[%d]', strlen(PART) ? ", " : "", n, n, n)
    }
    do for [n = 1:5] {
        do for [task = 1:3] {
            PART = PART.sprintf(', FILE skip 1 using (strcol(1) eq ENCODING[%d] && strcol(2) eq TASK[%d] && $4 == 8 ? place(%d, %d) : NaN):(100 * $6) with points pointtype 7 pointsize 0.35 linecolor rgb INK', n, task, task, n)
            PART = PART.sprintf(', FILE skip 1 using (strcol(1) eq ENCODING[%d] && strcol(2) eq TASK[%d] && $4 == 8 ? place(%d, %d) : NaN):(100 * $6):%s with labels %s', n, task, task, n, HOVER, INVISIBLE)
        }
    }
    eval "plot ".PART

    unset label; unset arrow
    set grid xtics
    set lmargin at screen 0.50; set rmargin at screen 0.83
    set label 3 "add, right on longer sequences, %" at graph 0, 1.06 left textcolor rgb INK
    set xrange [7:33]; set xtics (8, 12, 16, 24, 32) scale 1
    set xlabel "tokens in a sequence" textcolor rgb GREY
    set key at screen 0.985, 0.72 right top Left reverse samplen 2 spacing 1.35 textcolor rgb INK

    PART = ""
    do for [n = 1:5] {
        PART = PART.sprintf('%sLENGTH using (LENGTH[$1]):(100 * mean("add", ENCODING[%d], LENGTH[$1], 6)) with lines linewidth 2.5 linecolor rgb COLOR[%d] notitle', strlen(PART) ? ", " : "", n, n)
        PART = PART.sprintf(', FILE skip 1 using (strcol(1) eq ENCODING[%d] && strcol(2) eq "add" ? $4 : NaN):(100 * $6) with points pointtype MARK[%d] pointsize 0.7 linecolor rgb COLOR[%d] notitle', n, n, n)
        PART = PART.sprintf(', NaN with linespoints pointtype MARK[%d] linewidth 2.5 linecolor rgb COLOR[%d] title ENCODING[%d]', n, n, n)
    }
    PART = PART.', FILE skip 1 using (strcol(2) eq "add" ? $4 : NaN):(100 * $6):'.HOVER.' with labels '.INVISIBLE.' notitle'
    eval "plot ".PART
    unset multiplot
    unset output
}
