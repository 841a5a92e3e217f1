import { describe, expect, it } from "vitest"
import { drawHtml } from "../../src/views/drawHtml.ts"
import { drawSvg } from "../../src/views/drawSvg.ts"
import { drawText } from "../../src/views/drawText.ts"
import { cart, grid, gridState, partOf, viewOf } from "./views.ts"

const pole = { x: 0.5, theta: -0.1 }

describe("a state document drawn by a view", () => {
  it("is text, with its parts one below the other", () => {
    expect(drawText(viewOf(grid), gridState, { columns: 60 })).toEqual([
      "Step 3 of 12.",
      "{drawn}, 12.5 %",
      "",
      "Map",
      "██D██",
      "█··b█",
      "█a··█",
      "█████",
      "█ wall  D door",
      "",
      "steps  ████████░░░░░░░░░░░░░░░░░░░░░░  3",
      "",
      "agent  carries    return",
      "alice  key, lamp    1.50",
      "bob    –           -0.25",
    ])
  })

  it("is coloured where that is asked for", () => {
    const [step, , , title, first] = drawText(viewOf(grid), gridState, { colour: true })
    expect(step).toBe("\u001b[36mStep 3 of 12. \u001b[39m")
    expect(title).toBe("\u001b[1mMap\u001b[22m")
    expect(first).toBe("\u001b[2m██\u001b[22mD\u001b[2m██\u001b[22m")
  })

  it("is HTML and an image", async () => {
    await expect(`${drawHtml(viewOf(grid), gridState)}\n`).toMatchFileSnapshot("golden/grid.html.txt")
    await expect(`${drawSvg(viewOf(grid), gridState, { columns: 40 })}\n`).toMatchFileSnapshot("golden/grid.svg.txt")
  })

  it("shows a cart and its pole as a picture, and as gauges in a terminal", async () => {
    expect(drawText(viewOf(cart), pole, { columns: 50 })).toEqual([
      "cart  ──────────────────●───────────     0.50 m",
      "pole  ────────●─────────────────────  -0.10 rad",
    ])
    expect(drawHtml(viewOf(cart), pole)).toContain(
      '<g transform="translate(350 150)"><rect fill="black" x="-25" y="-15" width="50" height="30"></rect><g transform="rotate(-5.73)">',
    )
    await expect(`${drawSvg(viewOf(cart), pole)}\n`).toMatchFileSnapshot("golden/cart.svg.txt")
  })

  it("repeats a shape for each match, and draws a line through points of the state", () => {
    const view = partOf({
      type: "svg",
      title: "Bodies",
      width: 10,
      height: 10,
      elements: [
        { element: "circle", each: "/bodies/*", cx: { from: "/x" }, cy: { from: "/y" }, r: 1, fill: "#123" },
        { element: "polyline", points: { each: "/bodies/*", x: { from: "/x", scale: 2 }, y: { from: "/y" } } },
        { element: "text", x: 1, text: "{/bodies|length} < 3" },
      ],
      alternative: [{ type: "text", text: "{/bodies|length} bodies" }],
    })
    const state = {
      bodies: [
        { x: 1, y: 2 },
        { x: 3.00049, y: 4 },
      ],
    }
    expect(drawHtml(view, state)).toContain(
      '<circle fill="#123" cx="1" cy="2" r="1"></circle><circle fill="#123" cx="3" cy="4" r="1"></circle><polyline points="2 2 6.001 4"></polyline><text x="1" fill="currentColor">2 &#60; 3</text>',
    )
    expect(drawText(view, state)).toEqual(["2 bodies"])
  })

  it("takes a flat list as rows, an empty field of a size in the state, and positions that count the cells", () => {
    const flat = partOf({ type: "grid", rows: "/board", columns: 3, cells: { 0: " ", 1: "X", 2: "O" }, spaced: true })
    expect(drawText(flat, { board: [1, 0, 2, 0, 1, 0, 2, 2] })).toEqual(["X   O", "  X", "O O"])
    const taxi = partOf({
      type: "grid",
      size: { rows: 2, columns: "/width" },
      cells: { "": "." },
      entities: [{ each: "/taxi", order: "index", glyph: { glyph: "T", colour: "yellow" } }],
    })
    expect(drawText(taxi, { taxi: 4, width: 3 })).toEqual(["...", ".T."])
  })

  it("shows the last rows of a long list, and says that there are more", () => {
    const chat = partOf({ type: "table", rows: "/said", columns: [{ label: "said" }], limit: 2, last: true })
    expect(drawText(chat, { said: ["a", "b", "c"] })).toEqual(["said", "b", "c", "", "the last 2 of 3 at /said"])
  })

  it("keeps to the width: a grid and a table are cut, a text is wrapped", () => {
    const lines = drawText(viewOf(grid), { ...gridState, map: ["#".repeat(40)] }, { columns: 12 })
    expect(lines).toContain("██D████████…")
    expect(lines.slice(0, 2)).toEqual(["Step 3 of", "12."])
  })

  it("gives each glyph two columns where one of them is wide", () => {
    const view = partOf({ type: "grid", rows: "/rows", cells: { a: "🚕" } })
    expect(drawText(view, { rows: ["ab", "ba"] })).toEqual(["🚕b", "b 🚕"])
  })
})
