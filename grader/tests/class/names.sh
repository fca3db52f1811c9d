# names.sh - a class with a hand-in of every kind, in $c. From the root of the workbook, after
# workspace.sh.
c=$work/names
mkdir "$c"
folder_of "$c/plain"
folder_of "$c/wrong" "$noscale"
folder_of "$c/nested/hand-in/attention-workbook/labs"
mkdir "$c/flat" && cp $solution "$c/flat/"
folder_of "$work/z/labs" "$noscale"
mkdir -p "$work/z/solutions" && cp -R solutions/01_simple_attention "$work/z/solutions/"
(cd "$work/z" && tar -czf "$c/packed.tar.gz" .)
cp $solution "$c/doejane_12345_777_attention-2.c"
cp "$noscale" "$c/roejohn_LATE_12346_778_attention.c"
(cd "$work/z/labs" && tar -cf "$c/poejo_12347_779_lab1.tar" .)
mkdir "$c/Ann Lee_501_assignsubmission_file_" "$c/Ann Lee_502_assignsubmission_file_"
cp $solution "$c/Ann Lee_501_assignsubmission_file_/attention.c"
cp "$work/no-scale/01_simple_attention/attention.c" "$c/Ann Lee_502_assignsubmission_file_/"
mkdir "$c/Bo Chu_503_assignsubmission_onlinetext_"
folder_of "$c/submission_91"
cat >"$c/submission_metadata.yml" <<'END'
---
submission_91:
  :submitters:
  - :name: Cy Dee
    :sid: '17'
    :email: cy@example.org
  :created_at: 2026-10-03 12:00:01.5 Z
END
mkdir -p "$c/empty/nothing"
echo "name,mark" >"$c/marks.csv"
mkfifo "$c/pipe.zip"
mkdir "$c/piped" && mkfifo "$c/piped/attention.c"
folder_of "$c/<script>alert('x')</script>"
# A helper function that nobody else would write, and a copy of it with other names.
sed 1,3d grader/tests/class/strange.c >"$work/helper"
sed 's/strange/odd_one/; s/row/line/g; s/swing/s/g; s/count/n/; s/low/smallest/g; s/$/ \/\/ mine/' "$work/helper" >"$work/helper2"
for i in '' 2; do
    cat $solution "$work/helper$i" >"$work/twin.c"
    folder_of "$c/twin$i" "$work/twin.c"
done
folder_of "$c/$(printf 'odd\376')"
folder_of "$c/$(printf 'odd\377')" "$noscale"
