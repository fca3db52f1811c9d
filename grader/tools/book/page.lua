-- page.lua - makes a page of the book from one Markdown file (pandoc's Lua filter, for book.sh).
--
-- It reads these from the environment:
--
--   BOOK_SOURCE  the file, from the top of the workbook: labs/03_causal_mask/README.md
--   BOOK_WORK    a folder with two lists, separated by tabs: pages has SOURCE, PAGE, TITLE of each
--                page of the book in their order, places has SOURCE, PLACE of other files
--   BOOK_PRINT   1: a part of the page to print, where all links lead to the page itself
--
-- It also writes BOOK_WORK/parts/PAGE.sections, the sections for the search, and PAGE.headings.
--
-- What it changes: links and pictures lead to the book's files; a link to a file outside the book
-- becomes its text. A ```math block becomes a formula. Code gets its language, tables a frame that
-- scrolls, and pictures a caption. The template gets the contents and the neighbors of the page.
-- Only what pandoc's own Lua has is used, as of version 2.17. Start reading at the bottom.

local source = os.getenv("BOOK_SOURCE")
local work = os.getenv("BOOK_WORK")
local printed = os.getenv("BOOK_PRINT") == "1"

local pages = {}   -- in their order: {source, page, title}
local place_of = {} -- by source
local here          -- the number of this page
for line in io.lines(work .. "/pages") do
    local file, page, title = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)")
    table.insert(pages, {source = file, page = page, title = title, inner = file:match("^labs/") and not file:match("README.md$")})
    place_of[file] = page
    here = file == source and #pages or here
end
for line in io.lines(work .. "/places") do
    local file, place = line:match("^([^\t]*)\t([^\t]*)")
    place_of[file] = place
end
local page = pages[here].page
local prefix = printed and page:gsub("%.html$", "") .. "--" or ""

-- "labs/01_x/../common" -> "labs/common"
local function normal(path)
    local parts = {}
    for part in path:gmatch("[^/]+") do
        if part == ".." then
            table.remove(parts)
        elseif part ~= "." then
            table.insert(parts, part)
        end
    end
    return table.concat(parts, "/")
end

local function from_page(path)
    return normal((source:match("^(.*)/") or "") .. "/" .. path)
end

local function escaped(text)
    return (text:gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;"):gsub('"', "&quot;"))
end

-- Where a page or a place on a page is in the book, or in the page to print.
local function place(target, anchor)
    local name, inner = target:match("^([^#]*)#?(.*)$")
    anchor = anchor ~= "" and anchor or inner
    if printed and name:match("^lab%-") then
        return "#" .. name:gsub("%.html$", "") .. "--" .. anchor
    end
    return name .. (anchor ~= "" and "#" .. anchor or "")
end

local function link(element)
    local target = element.target
    if target:match("^%a+:") then
        return element
    end
    local path, anchor = target:match("^([^#]*)#?(.*)$")
    local found = path == "" and page or target:match("^lab%-[%w-]*%.html") or place_of[from_page(path)]
    if not found then
        return element.content
    end
    element.target = place(found, anchor)
    return element
end

-- `attention.h` in a handout of lab 1 leads to that header.
local function code(element)
    local found = element.text:match("%.h$") and
        (place_of[from_page(element.text)] or place_of[element.text])
    if found and found:sub(1, #page) ~= page then
        return pandoc.Link({element}, place(found, ""))
    end
end

local function image(element)
    element.src = from_page(element.src):gsub("^docs/", "")
    return element
end

-- A picture alone in a paragraph: with its description below, and as a link to the picture itself.
local function paragraph(element)
    local picture = element.content[1]
    if #element.content ~= 1 or picture.t ~= "Image" then
        return nil
    end
    local file = escaped(picture.src)
    local text = escaped(pandoc.utils.stringify(picture.caption))
    return pandoc.RawBlock("html", string.format(
        '<figure><a href="%s"><img src="%s" alt="%s" loading="%s"></a>' ..
        '<figcaption aria-hidden="true">%s</figcaption></figure>',
        file, file, text, printed and "eager" or "lazy", text))
end

-- The language of a block that does not say it: commands, C, or none (drawings, numbers).
local function language(text)
    if text:match("^%$? ?make ") or text:match("^%$? ?build/%S+ ") or text:match("^git ") or
        text:match("^grader/%S+%.sh ") or text:match("^sudo ") then
        return "bash"
    end
    local lines, like_c = 0, 0
    for line in text:gmatch("[^\n]+") do
        lines = lines + 1
        if line:match("^%s*//") or line:match("[;{}]%s*$") or line:match("[;{}]%s*//") or
            line:match("^%s*#include ") then
            like_c = like_c + 1
        end
    end
    return 2 * like_c > lines and "cpp" or nil
end

local blocks = 0
local function code_block(element)
    if element.classes[1] == "math" then
        return pandoc.Para({pandoc.Math("DisplayMath", element.text)})
    end
    blocks = blocks + 1
    element.identifier = prefix .. "code-" .. blocks
    if #element.classes == 0 then
        element.classes = {language(element.text)}
    elseif element.classes[1] == "c" or element.classes[1] == "cuda" then
        element.classes = {"cpp"}
    end
    return element
end

local function framed_table(element)
    return pandoc.Div({element}, pandoc.Attr("", {"table"}))
end

local function header(element)
    element.identifier = prefix .. (element.level == 1 and printed and "" or element.identifier)
    return element
end

local function json(text)
    return '"' .. text:gsub("%s+", " "):gsub('[\\"]', "\\%0"):gsub("</", "<\\/")
        :gsub("%c", " ") .. '"'
end

-- Writes [page#place, page's title, heading, text] for each section, and
-- "LEVEL<tab>page#place<tab>heading" for each heading.
local function write_index(document)
    local out = assert(io.open(work .. "/parts/" .. page .. ".sections", "w"))
    local headings = assert(io.open(work .. "/parts/" .. page .. ".headings", "w"))
    local title, heading, target, words = "", "", page, {}
    local function flush()
        if heading ~= "" then
            out:write("[", json(target), ",", json(title), ",", json(heading), ",",
                json(table.concat(words, " ")), "],\n")
        end
        words = {}
    end
    local with_spaces = {
        Cell = nil,
        LineBreak = function() return pandoc.Space() end,
        SoftBreak = function() return pandoc.Space() end,
    }
    for _, block in ipairs(document.blocks) do
        if block.t == "Header" then
            flush()
            heading = pandoc.utils.stringify(block)
            title = block.level == 1 and heading or title
            target = page .. (block.level == 1 and "" or "#" .. block.identifier)
            headings:write(block.level, "\t", target, "\t", escaped(heading), "\n")
        elseif block.t == "CodeBlock" then
            table.insert(words, block.text)
        elseif block.t ~= "RawBlock" then
            -- One string for each leaf, so that words of neighboring cells stay apart.
            pandoc.walk_block(pandoc.Div({block}), {
                Plain = function(e) table.insert(words, pandoc.utils.stringify(pandoc.walk_block(e, with_spaces))) end,
                Para = function(e) table.insert(words, pandoc.utils.stringify(pandoc.walk_block(e, with_spaces))) end,
                CodeBlock = function(e) table.insert(words, e.text) end,
            })
        end
    end
    flush()
    out:close()
    headings:close()
end

local function anchor_to(entry, text)
    return string.format('<a href="%s"%s>%s</a>', entry.page,
        entry.page == page and ' aria-current="page"' or "", escaped(text))
end

-- The list of all pages, for the margin. A lab's other pages are shown only beside that lab.
local function contents()
    local out, lab = {}, nil
    local mine = source:match("^labs/[^/]*/")
    for _, entry in ipairs(pages) do
        local inner = entry.inner
        if entry.source == "README.md" then
            table.insert(out, "</ul><h2>The workbook</h2><ul>")
        end
        if not inner then
            table.insert(out, "<li>" .. anchor_to(entry, entry.title) .. "</li>")
        elseif entry.source:match("^labs/[^/]*/") == mine then
            table.insert(out, '<li class="inner">' .. anchor_to(entry, entry.title) .. "</li>")
        end
    end
    return "<ul>" .. table.concat(out, "\n") ..
        '<li><a href="print.html">All labs on one page, to print</a></li></ul>'
end

-- "Lab 3: questions" for a page that is only "Questions" in the list.
local function full_title(entry)
    local number = entry.inner and entry.page:match("^lab%-0*(%d+)")
    return number and "Lab " .. number .. ": " .. entry.title:gsub("^Q", "q"):gsub("^H", "h"):gsub("^O", "o")
        or entry.title
end

local function set_template(document)
    local meta = document.meta
    meta.pagetitle = full_title(pages[here])
    meta.nav = pandoc.MetaBlocks({pandoc.RawBlock("html", contents())})
    for name, entry in pairs({previous = pages[here - 1], following = pages[here + 1]}) do
        meta[name] = pandoc.MetaInlines({pandoc.RawInline("html", string.format(
            '<a rel="%s" href="%s">%s</a>', name == "previous" and "prev" or "next", entry.page,
            escaped(full_title(entry))))})
    end
    meta.sections = here > 1
end

return {
    {Pandoc = function(document)
        if not printed then
            write_index(document)
            set_template(document)
        end
        return document
    end},
    {Image = image, Link = link, Code = code},
    {Para = paragraph},
    {CodeBlock = code_block, Table = framed_table, Header = header},
}
