# beside.gp - two pictures with a title each: beside each other, the second scaled to the height of the
# first, or, where that is wider than a screen, above each other, scaled to its width.
#
#     gnuplot -c labs/programs/plot/beside.gp LEFT.png RIGHT.png OUT.png WIDTH HEIGHT RIGHT_WIDTH RIGHT_HEIGHT

TITLE = 60
WIDEST = 2400 # a wider one is shown smaller, and its text cannot be read
width = ARG4 + 0.0
height = ARG5 + 0.0
beside = width + ceil((ARG6 + 0.0) * height / (ARG7 + 0.0)) <= WIDEST
other_width = beside ? ceil((ARG6 + 0.0) * height / (ARG7 + 0.0)) : width
other_height = beside ? height : ceil((ARG7 + 0.0) * width / (ARG6 + 0.0))
all_width = beside ? width + other_width : width
all_height = beside ? height + TITLE : height + other_height + 2 * TITLE
# Of the second picture, from the left and from the bottom; the first begins at the left, above it if below it.
right = beside ? width : 0
above = beside ? 0 : other_height + TITLE

set terminal pngcairo size all_width, all_height font "sans,20"
set output ARG3
set multiplot
unset key; unset border; unset tics; unset colorbox
set margins 0, 0, 0, 0
set label 1 "your code" at screen 0.5 * width / all_width, 1 - 0.5 * TITLE / all_height center front textcolor rgb "#b34700"
set label 2 "the right code" at screen (right + 0.5 * other_width) / all_width, (other_height + 0.5 * TITLE) / all_height center front textcolor rgb "#006d2c"
set label 3 "each picture has its own scale" at screen (beside ? width / all_width : 0.99), (other_height + 0.5 * TITLE) / all_height front font "sans,16" textcolor rgb "#808080"
if (beside) { set label 3 center } else { set label 3 right }
set autoscale fix
set size width / all_width, height / all_height
set origin 0, above / all_height
plot ARG1 binary filetype=png with rgbimage
unset label
set size other_width / all_width, other_height / all_height
set origin right / all_width, 0
plot ARG2 binary filetype=png with rgbimage
unset multiplot
