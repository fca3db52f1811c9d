#!/bin/sh
# gallery.sh - writes index.html, a page with all pictures of the labs, and prints how many it shows.
#
#   grader/tools/gallery.sh build/plots/solutions
#
# The folder has a folder NN for each lab, as make plot fills it. The titles are those of the handouts.
set -eu
cd "$(dirname "$0")/../.."
out=$1
# Characters that mean something in HTML.
plain() {
    sed 's/&/\&amp;/g; s/</\&lt;/g'
}
{
    cat <<'END'
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The pictures of the labs</title>
<style>
    body { font: 1rem/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
    nav a { margin-right: 1rem; white-space: nowrap }
    h2 { margin-top: 3rem; border-bottom: 1px solid #ddd }
    img { max-width: 100%; display: block; margin: 1.5rem 0 }
</style>
<h1>The pictures of the labs</h1>
<p>The solutions computed the numbers. Click a picture, then point at a cell or a curve to read its value.
<code>make plot LAB=3</code> draws lab 3 with your code.</p>
<nav>
END
    for folder in labs/[0-9]*/; do
        lab=$(basename "$folder")
        lab=${lab%%_*}
        [ ! -d "$out/$lab" ] || echo "<a href=\"#lab$lab\">Lab ${lab#0}</a>"
    done
    echo '</nav>'
    for folder in labs/[0-9]*/; do
        lab=$(basename "$folder")
        lab=${lab%%_*}
        [ -d "$out/$lab" ] || continue
        printf '<h2 id="lab%s">%s</h2>\n' "$lab" "$(sed -n 's/^# //p; 1q' "$folder/README.md" | plain)"
        for picture in "$out/$lab"/*.svg; do
            [ -e "$picture" ] || continue
            name=$lab/${picture##*/}
            echo "<a href=\"$name\"><img src=\"$name\" alt=\"$(basename "$name" .svg | tr _ ' ')\"></a>"
        done
    done
    echo '</html>'
} >"$out/index.html.new"
mv "$out/index.html.new" "$out/index.html"
grep -c '<img' "$out/index.html"
