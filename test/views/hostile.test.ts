import { stripVTControlCharacters } from "node:util"
import fc from "fast-check"
import stringWidth from "string-width"
import { describe, expect, it } from "vitest"
import type { Json } from "../../src/values/Json.ts"
import { drawHtml } from "../../src/views/drawHtml.ts"
import { drawSvg } from "../../src/views/drawSvg.ts"
import { drawText } from "../../src/views/drawText.ts"
import { cart, grid, gridState, partOf, viewOf } from "./views.ts"

const VIEWS = [grid, cart].map(viewOf)

/** Characters that steer a terminal, or that are not seen. */
const UNSEEN = /\p{Cc}|\p{Cf}/u

/** A document that has some of what the views point to, with any values in these places. */
const documents = fc
  .record(
    { step: fc.jsonValue(), map: fc.jsonValue(), agents: fc.jsonValue(), x: fc.jsonValue() },
    { requiredKeys: [] },
  )
  .map((some) => ({ ...gridState, ...some }) as Json)

describe("a state document that is not what a view expects", () => {
  it("is drawn whatever it is, within the width, on lines without control characters", () => {
    fc.assert(
      fc.property(fc.oneof(documents, fc.jsonValue() as fc.Arbitrary<Json>), (document) => {
        for (const view of VIEWS) {
          for (const line of drawText(view, document, { columns: 40 })) {
            expect(line).not.toMatch(UNSEEN)
            expect(stringWidth(line)).toBeLessThanOrEqual(40)
          }
          expect(drawHtml(view, document)).toMatch(/^<div class="view">/)
          expect(drawSvg(view, document)).toMatch(/^<svg /)
        }
      }),
      { numRuns: 40 },
    )
  })

  it("has a mark where a binding points nowhere, and a note that names the pointer", () => {
    expect(drawText(viewOf(cart), {})).toEqual(["cart  ∅", "pole  ∅", "", "∅ nothing at /x, /theta"])
    expect(drawSvg(viewOf(cart), { theta: 1 })).toContain(">∅</text>")
    expect(drawText(viewOf(grid), null)).toEqual([
      "Step ∅ of ∅. ∅",
      "{drawn}, ∅",
      "",
      "Map",
      "∅",
      "█ wall  D door",
      "",
      "steps  ∅",
      "",
      "agent  carries  return",
      "∅      ∅        ∅",
      "",
      "∅ nothing at /step, /limit, /over, /share, /map, /doors/* and 2 more",
    ])
  })

  it("steers no terminal and becomes no markup", () => {
    const hostile = '\u001b[2J\u202e<script>alert("1")</script>\n\u0000&'
    const view = viewOf({
      parts: [
        { type: "text", text: "{/name} {/list}" },
        { type: "table", rows: "/list", columns: [{ label: "key", key: true }, { label: "value" }] },
        { type: "grid", rows: "/list" },
        {
          type: "svg",
          title: "t",
          width: 1,
          height: 1,
          alternative: [{ type: "text", text: "" }],
          elements: [{ element: "text", text: "{/name}" }],
        },
      ],
    })
    const document = { name: hostile, list: [hostile, { [hostile]: 1 }] }
    const text = drawText(view, document, { colour: true }).join("\n")
    expect(stripVTControlCharacters(text).replaceAll("\n", "")).not.toMatch(UNSEEN)
    for (const source of [drawHtml(view, document), drawSvg(view, document)]) {
      expect(source).not.toContain("<script")
      expect(source.replaceAll("\n", "")).not.toMatch(UNSEEN)
      expect(source).toContain("&#60;script&#62;")
    }
  })

  it("is cut with a note where it would be more cells, rows or shapes than are drawn", () => {
    const size = partOf({ type: "grid", size: { rows: "/rows", columns: "/columns" } })
    const drawn = drawText(size, { rows: 1e9, columns: 1e9 }, { columns: 100 })
    expect(drawn.length).toBeLessThan(100)
    expect(drawn.at(-1)).toBe("only the first 80 × 500 of 1000000000 × 1000000000 cells are drawn")
    const rows = partOf({ type: "grid", rows: "/rows" })
    const cut = drawText(rows, { rows: Array<string>(3_000).fill("x".repeat(10_000)) })
    expect(cut.at(-1)).toBe("only the first 80 × 500 of 3000 × 10000 cells are drawn")
    const shapes = partOf({
      type: "svg",
      title: "t",
      width: 1,
      height: 1,
      alternative: [{ type: "text", text: "" }],
      elements: [{ element: "g", each: "/all/*", children: [{ element: "circle", each: "/*", r: { from: "" } }] }],
    })
    const image = drawSvg(shapes, { all: Array.from({ length: 1_000 }, () => Array<number>(1_000).fill(1)) })
    expect(image.split("<circle").length).toBeLessThanOrEqual(5_001)
    expect(image).toContain("only the first")
  })

  it("is not read whole: of long texts, lists and nestings a part is shown", () => {
    let deep: Json = "x"
    for (let level = 0; level < 150; level++) deep = { a: deep }
    const view = partOf({ type: "text", text: "{/long}\n{/deep}\n{/list|list}" })
    const lines = drawText(view, { long: "x".repeat(1e6), deep, list: Array<number>(1e5).fill(1) }, { columns: 600 })
    expect(lines.map(({ length }) => length)).toEqual([500, 49, 500])
  })

  it("has members that only look like those of every object", () => {
    const view = partOf({ type: "text", text: "{/constructor} {/__proto__} {/list/length}" })
    expect(drawText(view, { list: [] })[0]).toBe("∅ ∅ ∅")
    expect(drawText(view, JSON.parse('{"__proto__":1,"constructor":2,"list":{"length":3}}'))).toEqual(["2 1 3"])
  })
})
