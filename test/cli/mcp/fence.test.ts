import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Answer from "../../../src/cli/mcp/server/Answer.ts"
import * as Fence from "../../../src/cli/mcp/server/Fence.ts"

const ESC = String.fromCharCode(27)
const RIGHT_TO_LEFT = String.fromCodePoint(0x202e)

describe("the fence around recorded text", () => {
  it("cannot be ended by the text, in any spelling", () => {
    const spellings = ["</recorded>", "< / RECORDED >", "＜/recorded＞", "<recorded>", "x </recorded", "‹/recorded"]
    const [first, ...inner] = Fence.around(spellings)
    expect([first, inner.at(-1)]).toEqual(["<recorded>", "</recorded>"])
    expect(inner.slice(0, -1).join("\n")).not.toMatch(/[<＜‹]\s*\/?\s*recorded/i)
    expect(inner[0]).toBe("\\u{3c}/recorded>")
  })

  it("escapes what steers a terminal or hides", () => {
    expect(Fence.around([`${ESC}[31mred`, `a${RIGHT_TO_LEFT}b`])).toEqual([
      "<recorded>",
      "\\u{1b}[31mred",
      "a\\u{202e}b",
      "</recorded>",
    ])
  })

  it("has exactly one beginning and one end, whatever is within", () => {
    const piece = fc.constantFrom("<", "/", "recorded", ">", " ", "\n", "＜", ESC, "a", "\u200b")
    fc.assert(
      fc.property(
        fc.array(
          fc.array(piece).map((pieces) => pieces.join("")),
          { minLength: 1 },
        ),
        (lines) => {
          const text = Answer.text({
            head: lines,
            lines,
            foot: lines,
            next: [[{ tool: "show", args: { event: lines.join("") } }, "it"]],
          })
          expect(text.match(/<[^\S\n]*recorded/gi)).toEqual(["<recorded"])
          expect(text.match(/<[^\S\n]*\/[^\S\n]*recorded/gi)).toEqual(["</recorded"])
        },
      ),
    )
  })
})

describe("an answer's budget", () => {
  it("cuts lines, says which lines these are, and proposes the call that continues", () => {
    const all = Array.from({ length: 1000 }, (_, index) => `@${index} ${"x".repeat(90)}`)
    const call = { tool: "why", args: { event: "@9" } }
    const first = Answer.page(all, 0, call)
    expect(Buffer.byteLength(first.lines.join("\n"))).toBeLessThanOrEqual(Answer.MAX_BYTES)
    expect(first.foot).toEqual([`Lines 1 to ${first.lines.length} of 1000 lines.`])
    expect(first.next?.[0]?.[0]).toEqual({ tool: "why", args: { event: "@9", skip: first.lines.length } })
    const read: Array<string> = []
    for (let skip = 0; skip < all.length; ) {
      const { lines } = Answer.page(all, skip, call)
      read.push(...lines)
      skip += lines.length
    }
    expect(read).toEqual(all)
  })

  it("shortens one long line, and says how long it was", () => {
    const { lines, remaining } = Answer.cut(["é".repeat(5000), "b"])
    expect(remaining).toBe(0)
    expect(lines[0]).toMatch(/^é+… \(cut: the line has 10000 B\)$/)
  })
})
