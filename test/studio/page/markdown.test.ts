import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lineDiff, withContext } from "../../../src/studio/page/model/conversation/lineDiff.ts"
import { pictureIn } from "../../../src/studio/page/model/conversation/pictures.ts"
import { type Block, blocksOf } from "../../../src/studio/page/model/markdown/Blocks.ts"
import { addressOf, type Inline, inlinesOf, textOf } from "../../../src/studio/page/model/markdown/Inlines.ts"

/** Inlines in a short notation: the form, then what it encloses. */
const short = (inlines: ReadonlyArray<Inline>): string =>
  inlines
    .map((one) => {
      if (one.kind === "text") return one.text
      if (one.kind === "code") return `<code ${one.text}>`
      if (one.kind === "break") return "<br>"
      if (one.kind === "image") return `<image ${one.alt} ${one.src}>`
      return `<${one.kind}${one.kind === "link" ? ` ${one.href}` : ""} ${short(one.inlines)}>`
    })
    .join("")

const inline = (text: string) => short(inlinesOf(text))

const outline = (blocks: ReadonlyArray<Block>): ReadonlyArray<unknown> =>
  blocks.map((block) => {
    if (block.kind === "paragraph") return short(block.inlines)
    if (block.kind === "heading") return `h${block.level} ${short(block.inlines)}`
    if (block.kind === "code") return `code ${block.language}: ${block.text}`
    if (block.kind === "quote") return { quote: outline(block.blocks) }
    if (block.kind === "list") return { list: block.start, items: block.items.map(outline) }
    if (block.kind === "table")
      return { align: block.align, head: block.head.map(short), rows: block.rows.map((row) => row.map(short)) }
    return "rule"
  })

const block = (...lines: ReadonlyArray<string>) => outline(blocksOf(lines.join("\n")))

describe("the text of Markdown", () => {
  it.each([
    ["[**https://good.example**](https://evil.example/)", "<link https://evil.example/ <strong https://good.example>>"],
    ["**a** *b* __c__ _d_ ~~e~~ ***f***", "<strong a> <em b> <strong c> <em d> <strike e> <strong <em f>>"],
    ["a_b_c 2 * 3 * 4 ** x **", "a_b_c 2 * 3 * 4 ** x **"],
    ["**bold *and* more** left *open", "<strong bold <em and> more> left *open"],
    ["`a` ``b ` c`` ` open", "<code a> <code b ` c> ` open"],
    ["\\*no\\* \\a", "*no* \\a"],
    ["one\ntwo  \nthree", "one<br>two<br>three"],
    ["<b>no HTML</b> &amp;", "<b>no HTML</b> &amp;"],
    ['[a *b*](https://x.example/p_(q) "title")', "<link https://x.example/p_(q) a <em b>>"],
    [
      "see https://x.example/a. And <https://y.example>",
      "see <link https://x.example/a https://x.example/a>. And <link https://y.example/ https://y.example>",
    ],
    [
      "![alt](http://x.example/i.png) ![](data:image/png;base64,aaaa)",
      "<image alt http://x.example/i.png> <image  data:image/png;base64,aaaa>",
    ],
    [
      "[x](javascript:alert(1)) [y](data:text/html,z) [z](file:///etc/passwd) [a]",
      "[x](javascript:alert(1)) [y](data:text/html,z) [z](file:///etc/passwd) [a]",
    ],
    [
      "[[in](https://x.example/) out](https://y.example/)",
      "[<link https://x.example/ in> out](<link https://y.example/ https://y.example/>)",
    ],
  ])("%s", (text, expected) => {
    expect(inline(text)).toBe(expected)
  })

  it("leads only to addresses that people may open", () => {
    expect(["https://a.example", "mailto:a@b.example", "http://é.example/"].map(addressOf)).toEqual([
      "https://a.example/",
      "mailto:a@b.example",
      "http://xn--9ca.example/",
    ])
    expect(
      ["javascript:1", " javascript:1", "java\tscript:1", "vbscript:x", "blob:x", "//x", "x", ""].map(addressOf),
    ).toEqual(Array.from({ length: 8 }, () => undefined))
  })
})

describe("the blocks of Markdown", () => {
  it("are headings, paragraphs, code, quotes, lists, tables and rules", () => {
    expect(
      block(
        "# Title #",
        "text",
        "more",
        "",
        "```js",
        "a < b",
        "  # no heading",
        "```",
        "---",
        "> quoted",
        "continued",
        "> > deep",
        "end",
      ),
    ).toEqual([
      "h1 Title",
      "text<br>more",
      "code js: a < b\n  # no heading",
      "rule",
      { quote: ["quoted<br>continued", { quote: ["deep<br>end"] }] },
    ])
    expect(block("- a", "- b", "  continued", "", "  para", "  1. x", "  2. y", "- c", "", "after")).toEqual([
      { list: null, items: [["a"], ["b<br>continued", "para", { list: 1, items: [["x"], ["y"]] }], ["c"]] },
      "after",
    ])
    expect(block("3. a", "4. b", "- c")).toEqual([
      { list: 3, items: [["a"], ["b"]] },
      { list: null, items: [["c"]] },
    ])
    expect(block("| a | b |", "|:--|--:|", "| 1 | x\\|y |", "| 2 |", "", "no | table")).toEqual([
      {
        align: ["left", "right"],
        head: ["a", "b"],
        rows: [
          ["1", "x|y"],
          ["2", ""],
        ],
      },
      "no | table",
    ])
    expect(block("```", "open", "~~~")).toEqual(["code : open\n~~~"])
  })

  it("lose no word, whatever the text is", () => {
    const pieces = fc.constantFrom(
      ..."*_~`[]()!<>#-+|:\\ \n\t.12ab".split(""),
      "](",
      "https://x.example/",
      "```",
      "> ",
      "- ",
      "1. ",
    )
    const wordsOf = (text: string) => text.match(/[ab]+/g)?.join("") ?? ""
    const allOf = (blocks: ReadonlyArray<Block>): string =>
      blocks
        .map((one) => {
          if (one.kind === "paragraph" || one.kind === "heading") return all(one.inlines)
          if (one.kind === "code") return `${one.language} ${one.text}`
          if (one.kind === "quote") return allOf(one.blocks)
          if (one.kind === "list") return one.items.map(allOf).join(" ")
          return one.kind === "table" ? [one.head, ...one.rows].map((row) => row.map(all).join(" ")).join(" ") : ""
        })
        .join(" ")
    const all = (inlines: ReadonlyArray<Inline>): string =>
      inlines
        .map((one) => {
          if (one.kind === "image") return `${one.alt} ${one.src}`
          if (one.kind === "link") return all(one.inlines)
          return one.kind === "text" || one.kind === "code" ? one.text : one.kind === "break" ? " " : all(one.inlines)
        })
        .join("")
    const letters = (text: string) => wordsOf(text.replaceAll(/https:\/\/x\.example\/?/g, " "))
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (some) => {
        const text = some.join("")
        // A table drops cells beyond its columns, and the title of a link is left out.
        if (text.includes("|") || /[("']/.test(text)) return
        expect(letters(allOf(blocksOf(text)))).toBe(letters(text))
      }),
      { numRuns: 2_000 },
    )
  })

  // A quadratic parser takes minutes for these, and the test runner ends it.
  it.each([
    ["asterisks", "*".repeat(300_000)],
    ["asterisks apart", "* ".repeat(150_000)],
    ["emphasis that opens", "**a ".repeat(100_000)],
    ["emphasis of two kinds", "*a _b ".repeat(60_000)],
    ["quotes in quotes", ">".repeat(300_000)],
    ["quotes in quotes with spaces", "> ".repeat(150_000)],
    ["brackets", "[".repeat(300_000)],
    ["brackets that close", `${"[".repeat(100_000)}${"](x".repeat(60_000)}`],
    ["images in images", `${"![a".repeat(60_000)}${"](x)".repeat(60_000)}`],
    ["links to nowhere", `${"[".repeat(60_000)}${"](javascript:x)".repeat(60_000)}`],
    ["addresses that are none", "http://[".repeat(60_000)],
    ["backticks of each length", Array.from({ length: 700 }, (_, length) => "`".repeat(length)).join(" ")],
    ["backticks", "` `` ".repeat(60_000)],
    ["escapes", "\\".repeat(300_000)],
    ["lists in lists", Array.from({ length: 1_500 }, (_, level) => `${" ".repeat(level)}- a`).join("\n")],
    ["items with blank lines", "- a\n\n\n".repeat(40_000)],
    ["table cells", `${"|".repeat(100_000)}\n${"|-".repeat(1_000)}\n${"|".repeat(100_000)}`],
    ["a line of dashes", `${"- ".repeat(150_000)}x`],
    ["spaces", `${" ".repeat(300_000)}x`],
    ["breaks", "  \n".repeat(100_000)],
    ["fences", "```\n".repeat(100_001)],
    ["hashes", "#".repeat(300_000)],
  ])("take time in proportion to the text: %s", (_, text) => {
    expect(blocksOf(text).length).toBeGreaterThanOrEqual(text.trim() === "" ? 0 : 1)
  })
})

describe("the lines of an edit", () => {
  it("are those that it removes and adds, with three of context", () => {
    const before = Array.from({ length: 20 }, (_, line) => `line ${line}`)
    const after = before.with(9, "new").toSpliced(12, 1)
    const lines = lineDiff(before.join("\n"), after.join("\n"))
    const shown = withContext(lines).map((line) => (line === null ? "⋯" : `${line.kind[0]} ${line.text}`))
    expect(shown).toEqual([
      ...["⋯", "s line 6", "s line 7", "s line 8", "r line 9", "a new"],
      ...["s line 10", "s line 11", "r line 12", "s line 13", "s line 14", "s line 15", "⋯"],
    ])
  })

  it("make both texts again, also where they are too long to align", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((lines) => lines.join("\n"))
    const of = (lines: ReturnType<typeof lineDiff>, kinds: string) =>
      lines.flatMap((line) => (kinds.includes(line.kind) ? [line.text] : [])).join("\n")
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after)
        expect([of(lines, "same removed"), of(lines, "same added")]).toEqual([before, after])
      }),
    )
    const many = (word: string) => Array.from({ length: 5_000 }, (_, line) => `${word}${line}`).join("\n")
    expect(lineDiff(many("a"), many("b"))).toHaveLength(10_000)
  })
})

describe("an image in a message", () => {
  const base64 = (bytes: string) => Buffer.from(bytes.padEnd(64, "\0"), "latin1").toString("base64")
  const png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10"

  it("is drawn by its first bytes, whatever type it claims, and SVG, HTML and other text is not", () => {
    const drawn = (bytes: string, mediaType = "image/svg+xml") => pictureIn({ mediaType, data: base64(bytes) })
    expect(drawn(png)).toMatch(/^data:image\/png;base64,iVBOR/)
    expect(drawn("\xff\xd8\xff\xe0")).toMatch(/^data:image\/jpeg/)
    expect(drawn("GIF89a")).toMatch(/^data:image\/gif/)
    expect(drawn("RIFF\0\0\0\0WEBPVP8 ")).toMatch(/^data:image\/webp/)
    for (const bytes of ["<svg onload=alert(1)>", "<html>", "GIF88a", "%PDF-1.7", " \x89PNG\r\n\x1a\n"])
      expect(drawn(bytes, "image/png")).toBeUndefined()
  })

  it("is not drawn where it is no base64, too large, or too wide", () => {
    expect(pictureIn({ mediaType: "image/png", data: `${base64(png)}"onload="` })).toBeUndefined()
    expect(pictureIn({ mediaType: "image/png", data: base64(png) + "A".repeat(8_000_000) })).toBeUndefined()
    expect(
      pictureIn({ mediaType: "image/png", data: base64(png.replace("\0\0\0\x10", "\x7f\0\0\x10")) }),
    ).toBeUndefined()
    expect(pictureIn({ mediaType: "image/png", data: "" })).toBeUndefined()
  })
})

describe("the text of inlines", () => {
  it("is what they say without their forms", () => {
    expect(textOf(inlinesOf("**a** `b` [c](https://x.example/) ![d](e)\nf"))).toBe("a b c d\nf")
  })
})
