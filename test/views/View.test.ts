import { readFileSync } from "node:fs"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import type { Json } from "../../src/values/Json.ts"
import * as View from "../../src/views/View.ts"
import { inRepository } from "../repository.ts"

const mistakes = (view: Json) =>
  Either.match(View.decode(view), {
    onLeft: ({ problems }) => problems.map(({ path, expected, found }) => `${path}: ${expected}; ${found}`),
    onRight: () => [],
  })

const svg = (more: { readonly [key: string]: Json }) => ({
  parts: [
    { type: "svg", title: "t", width: 1, height: 1, elements: [], alternative: [{ type: "text", text: "" }], ...more },
  ],
})

describe("the views in docs/guides/draw-a-world.md", () => {
  it("are views, and parts of views", () => {
    const page = readFileSync(inRepository("docs", "guides", "draw-a-world.md"), "utf8")
    const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, source = ""]) => JSON.parse(source))
    expect(examples.map((example) => mistakes("parts" in example ? example : { parts: [example] }))).toEqual([[], []])
  })
})

describe("a view with mistakes", () => {
  it("is refused with all of them, each at its place", () => {
    const found = mistakes({
      part: 1,
      lookups: { json: {}, ok: { a: "\u202e" } },
      parts: [
        { type: "gird" },
        { type: "grid", rows: "map", cells: { a: "two" }, sapced: true },
        { type: "gauges", gauges: [] },
        { type: "table", rows: "/a", columns: [{ label: "", from: "/~2" }], limit: 1_000 },
        { type: "text", text: "a {b} c" },
      ],
    })
    expect(found.map((line) => line.split(":")[0])).toEqual([
      "part",
      "lookups.ok.a",
      "parts[0].type",
      "parts[1].sapced",
      "parts[1].rows",
      "parts[1].cells.a",
      "parts[2].gauges",
      "parts[3].columns[0].label",
      "parts[3].columns[0].from",
      "parts[3].limit",
      "parts[4].text",
    ])
  })

  it("may not draw more cells, elements or levels than there is room for", () => {
    expect(mistakes({ parts: [{ type: "grid", size: { rows: 1e9, columns: 1 } }] })).toEqual([
      "parts[0].size.rows: a whole number from 1 to 500, or a JSON Pointer to one; 1000000000",
    ])
    expect(mistakes({ parts: [{ type: "grid", size: { rows: 500, columns: 500 } }] })).toEqual([
      "parts[0].size: at most 40000 cells; 250000 cells",
    ])
    const rect = { element: "rect", width: 1, height: 1 }
    expect(mistakes(svg({ elements: Array<Json>(301).fill(rect) }))).toEqual([
      "parts[0].elements: at most 300 elements, at most 8 levels deep; 301 elements, 1 levels deep",
    ])
    let deep: Json = rect
    for (let level = 0; level < 8; level++) deep = { element: "g", children: [deep] }
    expect(mistakes(svg({ elements: [deep] }))).toEqual([
      "parts[0].elements: at most 300 elements, at most 8 levels deep; 9 elements, 9 levels deep",
    ])
    expect(mistakes({ parts: Array<Json>(17).fill({ type: "text", text: "" }) })).toHaveLength(1)
  })

  it("has no scripts, links, styles or colours that load something", () => {
    const found = mistakes(
      svg({
        elements: [
          { element: "script", text: "alert(1)" },
          { element: "rect", width: 1, height: 1, onclick: "x", style: "x" },
          { element: "circle", r: 1, fill: "url(https://example.org)" },
          { element: "path", d: 'M0 0" onload="x' },
        ],
      }),
    )
    expect(found.map((line) => line.split(":")[0])).toEqual([
      "parts[0].elements[0].element",
      "parts[0].elements[1].onclick",
      "parts[0].elements[1].style",
      "parts[0].elements[2].fill",
      "parts[0].elements[3].d",
    ])
  })

  it("names only lookups that it has", () => {
    const parts = [
      { type: "text", text: "{/a|here} {/a|there} {/a|.2}" },
      { type: "gauges", gauges: [{ label: "a", from: "/a", max: 1, format: "nowhere" }] },
    ]
    expect(mistakes({ lookups: { here: { "*": "x" } }, parts })).toEqual([
      'parts[0].text: a format, or one of here; "there"',
      'parts[1].gauges[0].format: a format, or one of here; "nowhere"',
    ])
  })

  it("is no view at all", () => {
    expect(mistakes({ parts: [] })).toEqual(["parts: a list of 1 to 16 parts; an empty list"])
    for (const nothing of [null, [], "view", 3]) expect(mistakes(nothing)).toHaveLength(1)
  })
})
