# plot.gp - draws what explore.c of lab 8 wrote, and how the story model was trained.
#
#   gnuplot -c labs/08_language_model/plot.gp DATADIR OUTDIR
#
# Each picture comes as PNG and as SVG; open the SVG in a browser and point at a cell, a letter
# or a bar to read its value. The loss is that of datasets/story_model.tsv, if it is there.

if (ARGC != 2) { print "usage: gnuplot -c plot.gp DATADIR OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
DATA = ARG1; OUT = ARG2
load PLOT."/style.gp"
INVISIBLE = 'hypertext point pointtype 5 pointsize 1 linecolor rgb "#ff000000"'
# Lines of 71 characters, so that no word of the story is split.
LINE = 71; LETTER = 11.5
column_of(place) = int(place) % LINE
line_of(place) = int(place) / LINE
chosen(i, column) = system(sprintf("sed -n %dp %s | cut -f %d", i + 2, quoted(DATA."/heads.tsv"), column))

# ---- the gate --------------------------------------------------------------------------------

FILE = DATA."/gate.tsv"
FIG_W = 760; FIG_H = 380
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/gate"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set label 1 "SiLU, the gate of SwiGLU, opens smoothly like GELU and dips further below zero" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.80; set bmargin at screen 0.15
    set xlabel "a, the input of the gate" textcolor rgb GREY
    set lmargin at screen 0.07; set rmargin at screen 0.48
    set xrange [-6:4]; set yrange [-0.6:4]
    set label 2 "output for b = 1" at graph 0, 1.06 left textcolor rgb INK
    set label 3 "SiLU: a σ(a)" at -5.6, 2.9 left textcolor rgb BLUE
    set label 4 "GELU" at -5.6, 2.5 left textcolor rgb ORANGE
    set label 5 "ReLU" at -5.6, 2.1 left textcolor rgb GREY
    plot FILE skip 1 using 1:4 with lines linewidth 1.5 linecolor rgb GREY, \
        FILE skip 1 using 1:3 with lines linewidth 1.5 linecolor rgb ORANGE, \
        FILE skip 1 using 1:2 with lines linewidth 2.5 linecolor rgb BLUE, \
        FILE skip 1 using 1:2:(sprintf("a %.2f\nSiLU %.4f\nGELU %.4f", $1, $2, $3)) every 4 with labels @INVISIBLE
    unset label
    set lmargin at screen 0.57; set rmargin at screen 0.97
    set xrange [-6:6]; set yrange [-0.2:1.2]
    set label 2 "slope of SiLU: da for dy = 1 and b = 1" at graph 0, 1.06 left textcolor rgb INK
    plot FILE skip 1 using 1:5 with lines linewidth 2.5 linecolor rgb BLUE, \
        FILE skip 1 using 1:5:(sprintf("a %.2f\nslope %.4f", $1, $5)) every 4 with labels @INVISIBLE
    unset multiplot
    unset output
}

# ---- temperature -----------------------------------------------------------------------------

array FIG_NAME[4] = ["temperature 1", "temperature 0.5: safer", "temperature 2: wilder", "top-p 0.9: no tail"]
array MOST[4]
eval RESET # stats leaves out what is outside the ranges
do for [i = 1:4] {
    stats sprintf("%s/choices%d.tsv", DATA, i - 1) skip 1 using (100 * $3) nooutput name "CHOICE"
    MOST[i] = CHOICE_max
}
TOP = smallest(100, 20 * ceil(largest(largest(MOST[1], MOST[2]), largest(MOST[3], MOST[4])) / 20 + 0.1))
FIG_W = 920; FIG_H = 360
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/temperature"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set multiplot
    set style fill solid 1 noborder
    set boxwidth 0.75
    set xrange [-0.7:11.7]; set yrange [0:TOP]; set xtics scale 0
    set tmargin at screen 0.72; set bmargin at screen 0.18
    do for [i = 0:3] {
        FILE = sprintf("%s/choices%d.tsv", DATA, i)
        set lmargin at screen 0.07 + i * 0.235; set rmargin at screen 0.07 + i * 0.235 + 0.205
        unset label
        if (i == 0) {
            set label 1 "The same answer of the model, and four ways to draw the next character from it" at screen 0.02, 0.94 left font FONT.",15" textcolor rgb INK
            set label 3 "Blue: the probability of each character; gray: at temperature 1" at screen 0.02, 0.865 left font FONT.",11" textcolor rgb GREY
            set ylabel "probability, %" textcolor rgb GREY
        } else {
            unset ylabel
        }
        set xlabel "next character" textcolor rgb GREY
        set label 2 FIG_NAME[i + 1] at graph 0, 1.08 left textcolor rgb INK
        if (i > 0) { set format y "" }
        plot DATA."/choices0.tsv" skip 1 using 1:(100 * $3):xtic(strcol(2)) with boxes linecolor rgb "#d9d9d9", \
            FILE skip 1 using 1:(100 * $3) with boxes linecolor rgb (i == 0 ? GREY : BLUE), \
            FILE skip 1 using 1:(100 * $3):(sprintf("%s: %.2f %%", strcol(2), 100 * $3)) with labels @INVISIBLE
    }
    unset multiplot
    unset output
}

# ---- four heads and one sentence -------------------------------------------------------------

# Each strip shades the letters by their weight.
ROW = 26.
LINES = line_of(last(DATA."/strips.tsv", 2)) + 1
SHADES = 'set palette defined (0 "#ffffff", 1 "#fee6ce", 4 "#fdae6b", 9 "#f16913")'
array FIG_NAME[4] = ["inside a bracket: where did it open?", "inside a quotation: where did it begin?", "before a name: how did it go on last time?", "before a noun: which one was it?"]
FIG_W = int(40 + LINE * LETTER); FIG_H = int(60 + 4 * (LINES + 2) * ROW)
above(strip, place) = FIG_H - 90 - (int(strip) * (LINES + 2) + line_of(place)) * ROW
FILE = DATA."/strips.tsv"
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/heads"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    unset border; unset tics; unset key; unset colorbox
    set margins 0, 0, 0, 0
    set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
    set xrange [0:FIG_W]; set yrange [0:FIG_H]
    eval SHADES
    set cbrange [0:1]
    set style fill solid 1 noborder
    set label 1 "Four heads of the story model: where each looks from the framed character (orange: the weight)" at 20, FIG_H - 24 left font FONT.",14" textcolor rgb INK
    do for [i = 0:3] {
        set label 2 + i sprintf("%s   (block %s, head %s)", FIG_NAME[i + 1], chosen(i, 1), chosen(i, 2)) at 20, above(i, 0) + 24 left textcolor rgb GREY
        query = int(chosen(i, 4))
        set object 1 + i rectangle from 20 + column_of(query) * LETTER, above(i, query) - ROW / 2 + 2 to 20 + (column_of(query) + 1) * LETTER, above(i, query) + ROW / 2 - 2 front fillstyle empty border linecolor rgb BLUE linewidth 2
    }
    plot FILE skip 1 using (20 + (column_of($2) + 0.5) * LETTER):(above($1, $2)):(LETTER / 2):(ROW / 2 - 2):4 with boxxyerror palette, \
        FILE skip 1 using (20 + (column_of($2) + 0.5) * LETTER):(above($1, $2)):(strcol(3) eq "␣" ? " " : strcol(3)) with labels font "DejaVu Sans Mono,14" textcolor rgb INK, \
        FILE skip 1 using (20 + (column_of($2) + 0.5) * LETTER):(above($1, $2)):(sprintf("%s\nweight %.4f", strcol(3), $4)) with labels @INVISIBLE
    unset output
}

# ---- the map of a head in a bracket ----------------------------------------------------------

array FIG_FILE[1] = [DATA."/bracket.tsv"]
array FIG_NAME[1] = [sprintf("block %s, head %s; earlier characters are not shown", chosen(0, 1), chosen(0, 2))]
FIG_TITLE = "Inside a bracket, many characters look back at the opening ("
FIG_OUT = OUT."/bracket"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 0
load PLOT."/maps.gp"

# ---- the map of a head in a quotation --------------------------------------------------------

array FIG_FILE[1] = [DATA."/quote.tsv"]
array FIG_NAME[1] = [sprintf("block %s, head %s; earlier characters are not shown", chosen(1, 1), chosen(1, 2))]
FIG_TITLE = "Inside a quotation, some characters look back at the opening mark"
FIG_OUT = OUT."/quote"
FIG_KIND = "weights"; FIG_BAR = "weight"; FIG_TERMINAL = 0
load PLOT."/maps.gp"

# ---- what is surprising ----------------------------------------------------------------------

FILE = DATA."/surprise.tsv"
LINES = line_of(last(FILE, 1)) + 1
BARS = 72.
FIG_W = int(40 + LINE * LETTER); FIG_H = int(64 + LINES * (BARS + 30))
floor_of(place) = FIG_H - 56 - BARS - line_of(place) * (BARS + 30)
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/surprise"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    unset border; unset tics; unset key
    set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
    set xrange [0:FIG_W]; set yrange [0:FIG_H]
    set style fill solid 1 noborder
    set label 1 "What each character of the story costs the model, in bits" at 20, FIG_H - 24 left font FONT.",14" textcolor rgb INK
    plot FILE skip 1 using (20 + (column_of($1) + 0.5) * LETTER):(floor_of($1)):(20 + column_of($1) * LETTER + 2):(20 + (column_of($1) + 1) * LETTER - 2):(floor_of($1)):(floor_of($1) + smallest($3, 8) * BARS / 8) with boxxyerror linecolor rgb ORANGE, \
        FILE skip 1 using (20 + (column_of($1) + 0.5) * LETTER):(floor_of($1) - 12):(strcol(2) eq "␣" ? " " : strcol(2)) with labels font "DejaVu Sans Mono,14" textcolor rgb INK, \
        FILE skip 1 using ($3 >= 0.95 ? 20 + (column_of($1) + 0.5) * LETTER : NaN):(floor_of($1) + smallest($3, 8) * BARS / 8 + 9):(sprintf("%.1f", $3)) with labels font FONT.",10" textcolor rgb GREY, \
        FILE skip 1 using (20 + (column_of($1) + 0.5) * LETTER):(floor_of($1) + 6):(sprintf("%s: %.3f bits", strcol(2), $3)) with labels @INVISIBLE
    unset output
}

# ---- the training curve ----------------------------------------------------------------------

# step, loss on the batch, and, at some steps, on held-out stories. No model can go below the
# entropy of the grammar: build/stories --entropy.
FILE = PLOT."/../../../datasets/story_model.tsv"
ENTROPY = 0.100824
FORMATS = (system("test -r ".quoted(FILE)." && echo yes") eq "yes" ? "png svg" : "")
MEASURED = "< awk '$3 != \"nan\"' ".quoted(FILE)
FIG_W = 860; FIG_H = 420
do for [FIG_FORMAT in FORMATS] {
    FIG_OUT = OUT."/loss"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval CURVES
    set label 1 "The loss of the story model falls from guessing towards the entropy of the stories" at screen 0.03, 0.94 left font FONT.",15" textcolor rgb INK
    set tmargin at screen 0.86; set bmargin at screen 0.14
    set lmargin at screen 0.09; set rmargin at screen 0.97
    set logscale y
    set xrange [0:*]; set yrange [0.07:6]
    set xlabel "step" textcolor rgb GREY
    set ylabel "nats per character" textcolor rgb GREY
    set ytics (0.1, 0.2, 0.5, 1, 2, 4)
    set arrow 1 from graph 0, first ENTROPY to graph 1, first ENTROPY nohead dashtype (10, 6) linewidth 1.5 linecolor rgb GREEN
    set label 2 sprintf("entropy of the stories: %.4f", ENTROPY) at graph 0.98, first ENTROPY right offset 0, -0.8 textcolor rgb GREEN
    set label 3 "guessing: log 64 = 4.1589" at graph 0.04, first 4.1589 left offset 0, 0.5 textcolor rgb GREY
    set label 4 "batch" at graph 0.5, 0.62 left textcolor rgb "#5a9cc9"
    set label 5 "held-out stories" at graph 0.5, 0.55 left textcolor rgb ORANGE
    plot FILE skip 2 using 1:2 with lines linewidth 1 linecolor rgb "#9cc4e0", \
        MEASURED skip 1 using 1:3 with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb ORANGE, \
        MEASURED skip 1 using 1:3:(sprintf("step %d\nheld out %.4f", $1, $3)) with labels @INVISIBLE
    unset output
}
