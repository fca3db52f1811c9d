# experiment_maps.gp - draws the attention map of every head while the model learns.
#
#   gnuplot -c labs/06_copy_task/experiment_maps.gp TABLE.tsv OUTDIR
#
# The table is that of make experiment NAME=maps: task step block head query key weight and the
# two tokens. OUTDIR gets maps.png and maps.svg, a strip with the heads side by side and the
# steps below each other, and maps.gif, an animation of all steps in the table.

if (ARGC != 2) { print "usage: gnuplot -c experiment_maps.gp TABLE.tsv OUTDIR"; exit status 2 }
PLOT = system('dirname "'.ARG0.'"')."/../programs/plot"
FILE = ARG1; OUT = ARG2
load PLOT."/style.gp"

TASKS = "copy reverse"
HEADS = 4; T = 8
array SHOWN[4] = [0, 10, 50, 500]
TOKENS = system("awk -F '\\t' 'NR > 1 && !($6 in seen) { seen[$6]; printf \"%s \", $9 }' ".quoted(FILE))
STEPS = system("awk -F '\\t' '$1 == \"copy\" && !($2 in seen) { seen[$2]; printf \"%s \", $2 }' ".quoted(FILE))

CELL = 15.                              # pixels
SIDE = T * CELL
GAP = 14.; LEFT = 92.; TOP = 96.; BETWEEN = 66.
map_of(task, step, head) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $2 == %d && $4 == %d' %s", task, int(step), head, quoted(FILE))
there(value, x) = (value eq "nan" ? NaN : x)

# One map with its left upper corner at pixel X, Y. LABELS: 1 tokens on the left, 2 below.
MAP = 'set lmargin at screen X / FIG_W; set rmargin at screen (X + SIDE) / FIG_W; \
set tmargin at screen 1 - Y / FIG_H; set bmargin at screen 1 - (Y + SIDE) / FIG_H; \
set xtics scale 0 ("" 0); set ytics scale 0 ("" 0); \
if (LABELS % 2 == 1) { do for [i = 1:T] { set ytics add (word(TOKENS, i) i - 1) } }; \
if (LABELS >= 2) { do for [i = 1:T] { set xtics add (word(TOKENS, i) i - 1) } }; \
plot map_of(TASK, STEP, HEAD) using (there(strcol(7), $6)):5:(0.46):(0.46):7 with boxxyerror fillcolor palette'
HOVERED = ', "" using 6:5:(sprintf("head %d, step %d\nquery %d (token %d)\nkey %d (token %d)\n%s", $4, $2, $5, $8, $6, $9, strcol(7) eq "nan" ? "not allowed" : sprintf("weight %.3f", $7))) \
with labels hypertext point pointtype 5 pointsize CELL / 9.75 linecolor rgb "#ff000000"'

FRAME = 'eval VIRIDIS; set cbrange [0:1]; unset key; set border 15 lc rgb "#999999"; \
set style fill solid 1 noborder; set xrange [-0.5:T - 0.5]; set yrange [T - 0.5:-0.5]; \
set tics textcolor rgb GREY offset 0, 0; set xtics offset 0, 0.4; set ytics offset 0.6, 0; \
set object 1 rectangle from graph 0, 0 to graph 1, 1 fillcolor rgb BLANK fillstyle solid noborder behind'
BAR = 'set colorbox user origin (BAR_X / FIG_W), (1 - BAR_Y / FIG_H) size (14 / FIG_W), (SIDE / FIG_H) front noborder; \
set cbtics 0.5 scale 0.4; set cblabel "weight" textcolor rgb GREY'

# ---- the strip: both tasks side by side ----------------------------------------------------

BLOCK = HEADS * (SIDE + GAP)
FIG_W = LEFT + 2 * BLOCK + 46 + 84; FIG_H = TOP + 4 * (SIDE + GAP) + 56
do for [FIG_FORMAT in "png svg"] {
    FIG_OUT = OUT."/maps"
    eval RESET
    eval (FIG_FORMAT eq "png" ? OPEN_PNG : OPEN_SVG)
    eval FRAME
    set multiplot
    set label 1 "Which token attends to which: four heads while the model learns (rows: query, columns: key)" at screen 14. / FIG_W, 1 - 26. / FIG_H left font FONT.",15" textcolor rgb INK
    do for [task = 1:2] {
        TASK = word(TASKS, task)
        set label 2 TASK at screen (LEFT + (task - 1) * (BLOCK + 46) + BLOCK / 2) / FIG_W, 1 - 56. / FIG_H center font FONT.",14" textcolor rgb INK
        do for [r = 1:4] {
            do for [h = 1:HEADS] {
                STEP = SHOWN[r]; HEAD = h - 1
                X = LEFT + (task - 1) * (BLOCK + 46) + (h - 1) * (SIDE + GAP)
                Y = TOP + (r - 1) * (SIDE + GAP)
                LABELS = (h == 1) + 2 * (r == 4)
                unset label 3; unset label 4
                if (task == 1 && h == 1) { set label 3 sprintf("step %d", STEP) at screen 14. / FIG_W, 1 - (Y + SIDE / 2) / FIG_H left textcolor rgb INK }
                if (r == 1) { set label 4 sprintf("head %d", HEAD) at screen (X + SIDE / 2) / FIG_W, 1 - (TOP - 14) / FIG_H center textcolor rgb GREY }
                unset colorbox
                if (task == 2 && r == 1 && h == HEADS) { BAR_X = X + SIDE + 16; BAR_Y = Y + SIDE; eval BAR }
                eval MAP.(FIG_FORMAT eq "svg" ? HOVERED : "")
                unset label 1; unset label 2            # drawn once, not with every map
            }
        }
    }
    unset multiplot
    unset output
}

# ---- the animation -------------------------------------------------------------------------

# One plot for each picture, in pixels: a GIF has 256 colors for all of them, and every plot with
# a palette takes its own.
CELL = 11.; SIDE = T * CELL; GAP = 14.; LEFT = 34.; TOP = 84.
BLOCK = HEADS * (SIDE + GAP)
FIG_W = LEFT + BLOCK + 66; FIG_H = TOP + 2 * (SIDE + BETWEEN) - 28
left(h) = LEFT + h * (SIDE + GAP)
upper(task) = TOP + (task eq "copy" ? 0 : SIDE + BETWEEN)
step_of(step) = sprintf("< awk -F '\\t' '$2 == %d' %s", int(step), quoted(FILE))

eval RESET
set terminal gif animate delay 8 loop 0 optimize size FIG_W, FIG_H noenhanced font FONT.",10" background rgb "white"
set output OUT."/maps.gif"
eval VIRIDIS
set palette maxcolors 32
set cbrange [0:1]; unset key; unset border; unset tics
set style fill solid 1 noborder
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
set xrange [0:FIG_W]; set yrange [FIG_H:0]
set colorbox user origin (1 - 54. / FIG_W), (1 - (TOP + SIDE) / FIG_H) size (12. / FIG_W), (SIDE / FIG_H) front noborder
set cbtics 0.5 scale 0.3 textcolor rgb GREY
do for [task in TASKS] {
    set label task at LEFT, upper(task) - 30 left textcolor rgb INK
    do for [h = 0:HEADS - 1] {
        set object rectangle from left(h) - 1, upper(task) - 1 to left(h) + SIDE + 1, upper(task) + SIDE + 1 fillcolor rgb BLANK fillstyle solid border rgb "#999999" behind
        set label sprintf("head %d", h) at left(h) + SIDE / 2, upper(task) - 12 center textcolor rgb GREY
        do for [i = 1:T] { set label word(TOKENS, i) at left(h) + (i - 0.5) * CELL, upper(task) + SIDE + 10 center textcolor rgb GREY font FONT.",8" }
    }
    do for [i = 1:T] { set label word(TOKENS, i) at LEFT - 6, upper(task) + (i - 0.5) * CELL right textcolor rgb GREY font FONT.",8" }
}
# A line at the bottom shows the time; the last picture stays for a moment.
FRAMES = words(STEPS) + 12
do for [n = 1:FRAMES] {
    set label 1000 "step ".word(STEPS, n < words(STEPS) ? n : words(STEPS)) at 14, 22 left font FONT.",13" textcolor rgb INK
    set arrow 1000 from 0, FIG_H - 1 to FIG_W * n / FRAMES, FIG_H - 1 nohead linewidth 3 linecolor rgb BLUE
    plot step_of(word(STEPS, n < words(STEPS) ? n : words(STEPS))) using (there(strcol(7), left($4) + ($6 + 0.5) * CELL)):(upper(strcol(1)) + ($5 + 0.5) * CELL):(CELL / 2 - 0.5):(CELL / 2 - 0.5):7 with boxxyerror fillcolor palette
}
unset output
