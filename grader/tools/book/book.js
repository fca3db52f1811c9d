// book.js - the book's search, and light or dark (make book). Without it the pages still read well.
"use strict";

// ---- light or dark: as the system says, or as chosen here ------------------------------------

const root = document.documentElement;

function stored(value) { // reads the choice, or with a value stores it
    try {
        if (value) { localStorage.setItem("theme", value); }
        return localStorage.getItem("theme");
    } catch (error) { // a browser that keeps nothing
        return value || null;
    }
}

if (stored()) { root.dataset.theme = stored(); } // before anything is drawn

function switchTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark"
                                    : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    stored(root.dataset.theme);
}

// ---- the search ------------------------------------------------------------------------------

// sections.js, loaded at the first search, defines bookSections: [link, page, heading, text] each.
// A script, because a page opened from a file may not fetch anything else.
let loading = null;
function loadSections() {
    loading = loading || new Promise(done => {
        const script = document.createElement("script");
        script.src = "sections.js";
        script.onload = done;
        document.head.append(script);
    });
    return loading;
}

// The sections that contain every word: a word in the heading counts more than many in the text.
function matches(words) {
    const found = [];
    for (const section of bookSections) {
        const heading = (section[1] + " " + section[2]).toLowerCase();
        const text = section[3].toLowerCase();
        let score = 0;
        for (const word of words) {
            const times = text.split(word).length - 1;
            const inHeading = heading.includes(word);
            if (times === 0 && !inHeading) { score = 0; break; }
            score += Math.min(times, 5) + (inHeading ? 20 : 0) +
                     (section[2].toLowerCase().includes(word) ? 20 : 0);
        }
        if (score > 0) { found.push({section, score}); }
    }
    return found.sort((a, b) => b.score - a.score).slice(0, 30).map(match => match.section);
}

// Appends text to an element, with the words marked.
function appendMarked(element, text, words) {
    const pattern = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
    text.split(new RegExp("(" + pattern + ")", "gi")).forEach((part, n) => {
        const node = n % 2 ? document.createElement("mark") : document.createTextNode(part);
        if (n % 2) { node.textContent = part; }
        element.append(node);
    });
}

function excerpt(text, words) {
    const first = Math.min(...words.map(word => {
        const at = text.toLowerCase().indexOf(word);
        return at < 0 ? Infinity : at;
    }));
    const from = first === Infinity ? 0 : Math.max(0, first - 60);
    return (from > 0 ? "… " : "") + text.slice(from, from + 180);
}

async function search(input, list) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.hidden = words.length === 0;
    if (list.hidden) { return; }
    await loadSections();
    if (words.join(" ") !== input.value.toLowerCase().split(/\s+/).filter(Boolean).join(" ")) {
        return; // the next key came first
    }
    const found = matches(words);
    list.replaceChildren();
    for (const [target, page, heading, text] of found) {
        const link = document.createElement("a");
        const where = document.createElement("small");
        const lines = document.createElement("p");
        link.href = target;
        appendMarked(link, heading, words);
        where.textContent = page === heading ? "" : page;
        appendMarked(lines, excerpt(text, words), words);
        link.append(where, lines);
        const item = document.createElement("li");
        item.append(link);
        list.append(item);
    }
    if (found.length === 0) {
        const item = document.createElement("li");
        item.textContent = "Nothing found.";
        list.append(item);
    }
}

// Arrows move through the results, Escape leaves them, / goes to the search.
function onKey(event, input, list) {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const inSearch = document.activeElement === input || at >= 0;
    if (event.key === "/" && !inSearch) {
        input.focus();
    } else if (event.key === "Escape" && inSearch) {
        list.hidden = true;
        input.blur();
    } else if (event.key === "ArrowDown" && inSearch && at + 1 < links.length) {
        links[at + 1].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
        (links[at - 1] || input).focus();
    } else if (event.key === "Enter" && document.activeElement === input && links[0]) {
        links[0].click();
    } else {
        return;
    }
    event.preventDefault();
}

document.addEventListener("DOMContentLoaded", () => {
    const input = document.getElementById("search");
    if (!input) { return; } // the page to print has no bar
    const list = document.getElementById("found");
    document.getElementById("theme").addEventListener("click", switchTheme);
    input.addEventListener("focus", loadSections);
    input.addEventListener("input", () => search(input, list));
    document.addEventListener("keydown", event => onKey(event, input, list));
    document.addEventListener("click", event => {
        if (event.target !== input || event.target.closest("#found a")) { list.hidden = true; }
    });
    const current = document.querySelector("nav [aria-current]");
    if (current) { current.scrollIntoView({block: "nearest"}); }
});
