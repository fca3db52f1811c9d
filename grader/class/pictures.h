// pictures.h - draws a lab's numbers for the class page, with gnuplot.

#ifndef GRADER_PICTURES_H
#define GRADER_PICTURES_H

#include "class/tally.h"

enum picture { PICTURE_EXERCISES, PICTURE_MISTAKES, PICTURE_POINTS, PICTURES };

// SVG for a page; NULL if there is nothing to draw, or if gnuplot could not draw it.
struct pictures {
    char *svg[PICTURES];
    char *problem; // "gnuplot is not installed: ...", or NULL
};

// root: of the workbook, with grader/class/pictures.gp. lab: its number, for names in the page.
// Freed by pictures_free.
struct pictures pictures_draw(const char *root, int lab, const struct tally *tally);
void pictures_free(struct pictures *pictures);

#endif
