# beside.gp - two pictures beside each other; the second is scaled to the height of the first.
#
#     gnuplot -c labs/programs/plot/beside.gp LEFT.png RIGHT.png OUT.png WIDTH HEIGHT RIGHT_WIDTH RIGHT_HEIGHT

TITLE = 60
width = ARG4 + 0
height = ARG5 + 0
other = ceil((ARG6 + 0.0) * height / (ARG7 + 0.0))
set terminal pngcairo size width + other, height + TITLE font "sans,20"
set output ARG3
set multiplot
unset key; unset border; unset tics; unset colorbox
top = height / (height + TITLE + 0.0)
set margins 0, 0, 0, 0
set label 1 "your code" at screen 0.5 * width / (width + other), top + 0.5 * (1 - top) center front textcolor rgb "#b34700"
set label 2 "the right code" at screen (width + 0.5 * other) / (width + other), top + 0.5 * (1 - top) center front textcolor rgb "#006d2c"
set label 3 "each picture has its own scale" at screen width / (width + other + 0.0), top + 0.5 * (1 - top) center front font "sans,16" textcolor rgb "#808080"
set autoscale fix
set size width / (width + other + 0.0), top
set origin 0, 0
plot ARG1 binary filetype=png with rgbimage
unset label
set size other / (width + other + 0.0), top
set origin width / (width + other + 0.0), 0
plot ARG2 binary filetype=png with rgbimage
unset multiplot
