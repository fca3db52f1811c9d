// html.c - see html.h.

#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

void html_text(FILE *file, const char *text)
{
    char *clean = report_clean(text, strlen(text));
    report_escape(file, clean, false);
    free(clean);
}

// The content policy forbids scripts and external content, in case escaping should ever
// fail.
static const char head[] =
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<style>\n"
    ":root { --ink: #1d2430; --soft: #5b6675; --line: #dfe3e8; --paper: #fff; "
    "--wash: #f5f7f9; --pass: #0072b2; --wrong: #d55e00; --todo: #98a2ae; "
    "--other: #6a3d9a; color-scheme: light; }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 64rem; color: "
    "var(--ink); background: var(--paper); font: 16px/1.5 system-ui, -apple-system, "
    "'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }\n"
    "h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.01em; }\n"
    "h2 { font-size: 1.3rem; margin: 2.75rem 0 .75rem; padding-top: 1.25rem; border-top: "
    "1px solid var(--line); display: flex; gap: 1rem; align-items: baseline; }\n"
    "h2 .points { margin-left: auto; }\n"
    "h3 { font-size: 1rem; margin: 0; display: flex; gap: .6rem; align-items: baseline; }\n"
    "h3 .points { margin-left: auto; }\n"
    ".key + h3 { margin-top: 1.5rem; }\n"
    "p { margin: .5rem 0; max-width: 44rem; }\n"
    "a { color: var(--pass); }\n"
    ".soft { color: var(--soft); }\n"
    ".points { font-variant-numeric: tabular-nums; white-space: nowrap; font-weight: 600; }\n"
    "code, pre { font: 13px/1.45 ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }\n"
    "pre { background: var(--wash); border: 1px solid var(--line); border-radius: 6px; "
    "padding: .75rem .9rem; overflow-x: auto; margin: .75rem 0 0; white-space: pre; }\n"
    ".card { border: 1px solid var(--line); border-left: 4px solid var(--todo); "
    "border-radius: 6px; padding: .8rem 1rem; margin: .75rem 0; break-inside: avoid; }\n"
    ".card.pass { border-left-color: var(--pass); }\n"
    ".card.wrong { border-left-color: var(--wrong); }\n"
    ".card.other { border-left-color: var(--other); }\n"
    ".mark { font-weight: 700; width: 1.2em; display: inline-block; text-align: center; }\n"
    ".pass .mark { color: var(--pass); } .wrong .mark { color: var(--wrong); }\n"
    ".todo .mark { color: var(--soft); } .other .mark { color: var(--other); }\n"
    ".headline { margin: .35rem 0 0; }\n"
    ".note { background: #fff7e6; border: 1px solid #f0d9a8; border-radius: 6px; "
    "padding: .6rem .9rem; margin: .9rem 0; }\n"
    "table { border-collapse: collapse; width: 100%; margin: .75rem 0; "
    "font-variant-numeric: tabular-nums; }\n"
    "th, td { text-align: left; padding: .35rem .75rem .35rem 0; "
    "border-bottom: 1px solid var(--line); vertical-align: middle; }\n"
    "th { font-weight: 600; color: var(--soft); font-size: .85rem; }\n"
    "td.number, th.number { text-align: right; padding-right: 1rem; white-space: nowrap; }\n"
    ".scroll { overflow-x: auto; }\n"
    "figure { margin: 1rem 0 0; } figcaption { color: var(--soft); font-size: .85rem; }\n"
    "svg { display: block; max-width: 100%; height: auto; }\n"
    "svg text { font-family: system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }\n"
    ".bar { display: flex; height: 1.1rem; border-radius: 3px; overflow: hidden; "
    "background: var(--wash); min-width: 10rem; }\n"
    ".bar span { display: block; }\n"
    ".bar .pass, .key .pass { background: #0072b2; }\n"
    ".bar .wrong, .key .wrong { background: repeating-linear-gradient(135deg, "
    "#d55e00 0 5px, #e58a45 5px 8px); }\n"
    ".bar .todo, .key .todo { background: #cfd5dc; }\n"
    ".bar .other, .key .other { background: repeating-linear-gradient(90deg, #6a3d9a 0 "
    "2px, #a98cc6 2px 5px); }\n"
    ".key { display: flex; gap: 1.25rem; font-size: .85rem; color: var(--soft); "
    "flex-wrap: wrap; }\n"
    ".key i { display: inline-block; width: 1.1rem; height: .8rem; border-radius: 2px; "
    "margin-right: .4rem; vertical-align: -1px; }\n"
    ".facts { display: flex; gap: 2.5rem; flex-wrap: wrap; margin: 1.25rem 0 0; }\n"
    ".facts div { line-height: 1.25; } .facts b { display: block; font-size: 1.6rem; }\n"
    "footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); "
    "color: var(--soft); font-size: .85rem; }\n"
    "@media print { body { padding: 0; max-width: none; font-size: 11pt; } "
    "pre { white-space: pre-wrap; } * { -webkit-print-color-adjust: exact; "
    "print-color-adjust: exact; } h2 { break-after: avoid; } }\n"
    "</style>\n";

void html_begin(FILE *file, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>", file);
    html_text(file, title);
    fprintf(file, "</title>\n%s</head>\n<body>\n", head);
}

void html_end(FILE *file)
{
    fputs("</body>\n</html>\n", file);
}
