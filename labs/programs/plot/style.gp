# style.gp - fonts, colors and small functions that every picture of the workbook shares.
# Loaded first by every plot script; it draws nothing.

set encoding utf8
# "eval RESET" clears every label, range and margin, but keeps the settings for reading files.
RESET = 'reset; set datafile separator tab; set datafile commentschars ""'
eval RESET

# Colors that color-blind people can distinguish, also in print (Okabe and Ito, 2008).
BLUE = "#0072B2"; ORANGE = "#D55E00"; GREEN = "#009E73"; GREY = "#8a8a8a"; INK = "#222222"
BLANK = "#e3e3e3"               # a forbidden cell: paper color, not a small number

# viridis (matplotlib, CC0): dark = small, bright = large, even steps in lightness.
# gnuplot 5.4 does not know it by name.
VIRIDIS = 'set palette defined (0 "#440154", 1 "#482878", 2 "#3e4989", 3 "#31688e", \
4 "#26828e", 5 "#1f9e89", 6 "#35b779", 7 "#6ece58", 8 "#b5de2b", 9 "#fde725")'
# The same colors spread by the square root, which shows differences among small weights.
VIRIDIS_ROOT = 'set palette defined (0 "#440154", 1 "#482878", 4 "#3e4989", 9 "#31688e", \
16 "#26828e", 25 "#1f9e89", 36 "#35b779", 49 "#6ece58", 64 "#b5de2b", 81 "#fde725")'
# Signed numbers: blue below zero, white at zero, orange above.
SIGNED = 'set palette defined (-3 "#1f4e79", -2 "#4a86b8", -1 "#a9cbe2", 0 "#f7f7f7", \
1 "#f5c08f", 2 "#dd7f35", 3 "#9c4a10")'
# On a terminal the background is unknown, so use middle tones, which are readable on black and
# on white.
TERMINAL = 'set palette defined (0 "#5f87d7", 1 "#00afaf", 2 "#5faf5f", 3 "#d78700")'
TERMINAL_ROOT = 'set palette defined (0 "#5f87d7", 1 "#00afaf", 4 "#5faf5f", 9 "#d78700")'

FONT = "DejaVu Sans"
# Escapes an apostrophe in a file name, which would end the shell's quotes.
quoted(s) = "'".escaped(s)."'"
escaped(s) = (strstrt(s, "'") == 0 ? s : s[1:strstrt(s, "'") - 1]."'\\''".escaped(s[strstrt(s, "'") + 1:*]))
largest(a, b) = (a > b ? a : b)
smallest(a, b) = (a < b ? a : b)

# Where to write a curve's name: at its last value in a column, kept within low and high. A
# second name at least gap away: apart(a, b, gap) is how far to move a from b.
last(file, column) = real(system(sprintf("tail -n 1 %s | cut -f %d", quoted(file), column)))
within(v, low, high) = (v >= low && v <= high ? v : v > high ? high : low)
last_within(file, column, low, high) = within(last(file, column), low, high)
apart(a, b, gap) = (abs(a - b) >= gap ? 0 : (a >= b ? 1 : -1) * (gap - abs(a - b)) / 2.)

# Opens a PNG or an SVG of FIG_W x FIG_H pixels. The PNG has twice as many, for sharp print;
# the SVG shows values under the pointer. gnuplot frames an SVG in black and adds a button
# for the grid: sed takes both away, and keeps browsers from blurring large maps.
OPEN_PNG = 'set terminal pngcairo size 2 * FIG_W, 2 * FIG_H noenhanced font FONT.",13" \
fontscale 1.5 linewidth 2 pointscale 2; set output FIG_OUT.".png"'
OPEN_SVG = 'set terminal svg size FIG_W, FIG_H noenhanced mouse standalone font FONT.",13" \
background "white"; set output "| sed ''/<rect x=\"0\" y=\"0\"/s/stroke=\"[^\"]*\"//; /<image x=.10. y=.[0-9]*. width=.16. height=.16./,/toggleGrid/d; \
s/<image x=/<image style=\"image-rendering:pixelated\" x=/'' > ".quoted(FIG_OUT.".svg")'
OPEN_PDF = 'set terminal pdfcairo size FIG_W / 96., FIG_H / 96. noenhanced font FONT.",10"; \
set output FIG_OUT.".pdf"'
# A GIF shows each page for 0.6 seconds, over and over.
OPEN_GIF = 'set terminal gif animate delay 60 loop 0 size FIG_W, FIG_H noenhanced font FONT.",10" \
background rgb "white"; set output FIG_OUT.".gif"'

# The frame of a curve: two axes, a faint grid behind the lines.
CURVES = 'set border 3 lc rgb INK; set tics nomirror out textcolor rgb INK; \
set grid lc rgb "#dddddd" lw 1 lt 1; set key noautotitle; set format "%g"'
