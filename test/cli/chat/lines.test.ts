import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ChatLine from "../../../src/cli/chat/ChatLine.ts"
import * as StreamedMarkdown from "../../../src/cli/chat/StreamedMarkdown.ts"
import type { Style } from "../../../src/cli/terminal/Style.ts"
import * as Styles from "../../../src/cli/terminal/Style.ts"

describe("a line that is typed", () => {
  it.each([
    ["Hello there", { kind: "say", text: "Hello there", delivery: "queued" }],
    ["  > by threes", { kind: "say", text: "by threes", delivery: "steering" }],
    ["!stop", { kind: "say", text: "stop", delivery: "interrupting" }],
    ["//etc is a path", { kind: "say", text: "/etc is a path", delivery: "queued" }],
    ["", { kind: "nothing" }],
    [" ! ", { kind: "nothing" }],
    ["/undo anyway", { kind: "command", name: "undo", argument: "anyway" }],
    ["/quit", { kind: "command", name: "quit", argument: "" }],
  ])("%j is %j", (line, expected) => {
    expect(ChatLine.parse(line)).toEqual(expected)
  })

  it("that is no command says which there are, and the nearest one", () => {
    expect(ChatLine.parse("/qiut")).toEqual({
      kind: "unknown",
      message: "/qiut: expected one of /why, /state, /cost, /undo, /help, /quit. Did you mean /quit?",
    })
  })
})

/** A style whose marks can be read. */
const marked: Style = {
  ...Styles.plain,
  bold: (text) => `<b>${text}</b>`,
  name: (text) => `<c>${text}</c>`,
  dim: (text) => `<d>${text}</d>`,
}

const shown = (pieces: ReadonlyArray<string>, style = marked) => {
  const markdown = StreamedMarkdown.make(style)
  return pieces.map(markdown.push).join("") + markdown.end()
}

const TEXT = [
  ...["# A *heading*", "", "Some **strong** and `code` and 2*3 words", "- one", "  * two **2**"],
  ...["```ts", "# no heading, no **strong**", "```", "after", "trailing *"],
].join("\n")

describe("Markdown that streams", () => {
  it("shows headings, strong text, code and lists", () => {
    expect(shown([TEXT])).toBe(
      [
        ...["<b>A *heading*</b>", "", "Some <b>strong</b> and <c>code</c> and 2*3 words", "• one", "  • two <b>2</b>"],
        ...["<d>```ts</d>", "<c># no heading, no **strong**</c>", "<d>```</d>", "after", "trailing *"],
      ].join("\n"),
    )
  })

  it("shows the same, whatever the pieces", () => {
    const withoutSeams = (text: string) => text.replaceAll(/<\/(b|c)><\1>/g, "")
    fc.assert(
      fc.property(fc.array(fc.nat(TEXT.length), { maxLength: 30 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), TEXT.length]
        const pieces = at.slice(1).map((end, index) => TEXT.slice(at[index], end))
        expect(withoutSeams(shown(pieces))).toBe(shown([TEXT]))
      }),
    )
  })

  it("lets nothing through that controls a terminal, and keeps characters whole", () => {
    expect(shown(["a\u001b[2J\u0007b\r", "\u202ec ", "\ud83d", "\ude00"])).toBe(
      "a\\u{1b}[2J\\u{7}b\\r\\u{202e}c \ud83d\ude00",
    )
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (pieces) => {
        expect(shown(pieces, Styles.plain)).not.toMatch(/(?!\n)\p{Cc}|\u202e/u)
      }),
    )
  })
})
