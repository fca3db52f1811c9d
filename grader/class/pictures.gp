# pictures.gp - the pictures of a lab on the class page; grade report calls it (pictures.c).
#
#   gnuplot -d -c grader/class/pictures.gp FOLDER
#
# The page has the key of the colors.
#
# FOLDER has three tables, separated by tabs, and gets an SVG for each that has a row:
#
#   exercises.tsv   title, percent of hand-ins that pass, are wrong, are not written, do something else,
#                   percent that passed before the newest run or -1
#   mistakes.tsv    exercise and mistake, how many hand-ins
#   points.tsv      range of points, how many students

FOLDER = ARG1
load system('dirname "'.ARG0.'"')."/../../labs/programs/plot/style.gp"
PURPLE = "#6A3D9A"; PALE_ORANGE = "#F4BE97"; PALE_PURPLE = "#CDBBE0"; LIGHT = "#CFD5DC"
WIDTH = 860
ROW = 26 # pixels a row

OPEN = 'set terminal svg size WIDTH, HEIGHT noenhanced name NAME font FONT.",13" background "white"; \
set output FOLDER."/".NAME.".svg"'
rows_of(name) = int(system(sprintf("wc -l < %s", quoted(FOLDER."/".name.".tsv"))))
FRAME = 'set border 2 lc rgb INK; set tics nomirror out textcolor rgb INK scale 0.5; set key noautotitle'
# Room for the longest label of a table, in characters.
longest(name) = int(system(sprintf("cut -f 1 %s | awk '{ if (length($0) > n) n = length($0) } END { print n + 2 }'", \
    quoted(FOLDER."/".name.".tsv"))))

# ---- what became of each exercise ----------------------------------------------------------

NAME = "exercises"; ROWS = rows_of(NAME); FILE = FOLDER."/".NAME.".tsv"
if (ROWS > 0) {
    HEIGHT = ROW * ROWS + 50
    eval RESET
    eval OPEN; eval FRAME
    set lmargin longest(NAME)
    set rmargin 2
    set tmargin at screen 1 - 8. / HEIGHT
    set bmargin at screen 38. / HEIGHT
    set xrange [0:108]; set yrange [ROWS - 0.4:-0.6]
    set xtics 0, 20, 100 format "%g %%"; set grid x lc rgb "#dddddd" lw 1 lt 1
    set ytics scale 0
    low(n) = (n > 2 ? column(2) : 0) + (n > 3 ? column(3) : 0) + (n > 4 ? column(4) : 0)
    MID(n) = low(n) + column(n) / 2
    # Dark, hatched, pale, hatched the other way: they differ without color, too.
    set style fill solid 1 noborder
    plot FILE using (MID(2)):0:(low(2)):(low(2) + $2):($0 - 0.36):($0 + 0.36):yticlabel(1) \
             with boxxyerror fs solid 1 noborder lc rgb BLUE, \
         "" using (MID(3)):0:(low(3)):(low(3) + $3):($0 - 0.36):($0 + 0.36) \
             with boxxyerror fs solid 1 noborder lc rgb PALE_ORANGE, \
         "" using (MID(3)):0:(low(3)):(low(3) + $3):($0 - 0.36):($0 + 0.36) \
             with boxxyerror fs pattern 4 noborder lc rgb ORANGE, \
         "" using (MID(4)):0:(low(4)):(low(4) + $4):($0 - 0.36):($0 + 0.36) \
             with boxxyerror fs solid 1 noborder lc rgb LIGHT, \
         "" using (MID(5)):0:(low(5)):(low(5) + $5):($0 - 0.36):($0 + 0.36) \
             with boxxyerror fs solid 1 noborder lc rgb PALE_PURPLE, \
         "" using (MID(5)):0:(low(5)):(low(5) + $5):($0 - 0.36):($0 + 0.36) \
             with boxxyerror fs pattern 5 noborder lc rgb PURPLE, \
         "" using (101):0:(sprintf("%.0f %%", $2)) with labels left textcolor rgb INK, \
         "" using ($6 >= 0 ? $6 : NaN):0 with points pt 13 ps 1.3 lc rgb "white", \
         "" using ($6 >= 0 ? $6 : NaN):0 with points pt 12 ps 1.3 lw 1.4 lc rgb INK
    unset output
}

# ---- the most common mistakes --------------------------------------------------------------

NAME = "mistakes"; ROWS = rows_of(NAME); FILE = FOLDER."/".NAME.".tsv"
if (ROWS > 0) {
    HEIGHT = ROW * ROWS + 50
    eval RESET
    stats FILE using 2 nooutput name "MANY"
    eval OPEN; eval FRAME
    set lmargin longest(NAME)
    set rmargin 7
    set tmargin at screen 1 - 8. / HEIGHT
    set bmargin at screen 38. / HEIGHT
    set xrange [0:MANY_max]; set yrange [ROWS - 0.4:-0.6]
    set xtics 0, (MANY_max <= 8 ? 1 : ceil(MANY_max / 8.))
    set grid x lc rgb "#dddddd" lw 1 lt 1
    set ytics scale 0
    plot FILE using ($2 / 2):0:(0):2:($0 - 0.36):($0 + 0.36):yticlabel(1) \
             with boxxyerror fs solid 1 noborder lc rgb ORANGE, \
         "" using 2:0:(sprintf(" %d", $2)) with labels left offset 0.5, 0 textcolor rgb INK
    unset output
}

# ---- how many students have how many points ------------------------------------------------

NAME = "points"; ROWS = rows_of(NAME); FILE = FOLDER."/".NAME.".tsv"
if (ROWS > 0) {
    HEIGHT = 200
    eval RESET
    stats FILE using 2 nooutput name "MANY"
    eval OPEN; eval FRAME
    set border 1
    set lmargin 2; set rmargin 2
    set tmargin at screen 1 - 24. / HEIGHT
    set bmargin at screen 30. / HEIGHT
    set yrange [0:largest(MANY_max, 1)]; set xrange [-0.6:ROWS - 0.4]
    unset ytics; set xtics scale 0
    plot FILE using 0:2:(0.86):xticlabel(1) with boxes fs solid 1 noborder lc rgb BLUE, \
         "" using 0:2:($2 > 0 ? sprintf("%d", $2) : "") with labels offset 0, 0.7 textcolor rgb INK
    unset output
}
