# map.gp - draws any map file (see map.awk) as a picture, also one with your own numbers.
#
#   gnuplot -c labs/programs/plot/map.gp weights.tsv weights.png "Layer 3, head 5"
#   gnuplot -c labs/programs/plot/map.gp weights.tsv              on the terminal only
#
# The second argument names the picture; next to NAME.png appears NAME.svg, which shows the
# value under the pointer. Weights between 0 and 1 get the scale 0 to 1, other numbers the scale
# of their range. A fourth argument changes this: "signed" makes zero white, "mask" paints 1
# blue. Exit status: 0 drawn, 1 the file is missing or not a map, 2 wrong arguments.

FIG_KIND = (ARGC >= 4 ? ARG4 : "weights")
if (ARGC < 1 || ARGC > 4 || strstrt(" weights values signed mask ", " ".FIG_KIND." ") == 0) {
    print 'usage: gnuplot -c map.gp map.tsv [picture.png ["title" [weights|values|signed|mask]]]'
    exit status 2
}
PLOT = system('dirname "'.ARG0.'"')
load PLOT."/style.gp"

array FIG_FILE[1] = [ARG1]
array FIG_NAME[1] = [""]
FIG_TITLE = (ARGC >= 3 ? ARG3 : ARG1)
FIG_BAR = (FIG_KIND eq "weights" ? "weight" : "value")
FIG_TERMINAL = 1
FIG_OUT = (ARGC >= 2 ? ARG2 : "")
if (strlen(FIG_OUT) > 4 && (FIG_OUT[strlen(FIG_OUT) - 3:*] eq ".png" || FIG_OUT[strlen(FIG_OUT) - 3:*] eq ".svg")) {
    FIG_OUT = FIG_OUT[1:strlen(FIG_OUT) - 4]
}
load PLOT."/maps.gp"
