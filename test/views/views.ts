import { Either } from "effect"
import type { Json } from "../../src/values/Json.ts"
import * as View from "../../src/views/View.ts"

/** A view that is as it should be, decoded. */
export const viewOf = (view: Json): View.View => Either.getOrThrow(View.decode(view))

/** A view of one part. */
export const partOf = (part: Json): View.View => viewOf({ parts: [part] })

/** A cart on a rail with a pole on it, as a classic-control world draws itself. */
export const cart = {
  parts: [
    {
      type: "svg",
      title: "Cart and pole",
      width: 600,
      height: 200,
      elements: [
        { element: "line", x1: 0, y1: 150, x2: 600, y2: 150, stroke: "grey" },
        {
          element: "g",
          transform: [{ translate: [{ from: "/x", scale: 100, offset: 300 }, 150] }],
          children: [
            { element: "rect", x: -25, y: -15, width: 50, height: 30, fill: "black" },
            {
              element: "g",
              transform: [{ rotate: { from: "/theta", scale: 57.29577951308232 } }],
              children: [{ element: "line", y2: -100, stroke: "yellow", "stroke-width": 6 }],
            },
          ],
        },
      ],
      alternative: [
        {
          type: "gauges",
          gauges: [
            { label: "cart", from: "/x", min: -2.4, max: 2.4, unit: "m", format: ".2" },
            { label: "pole", from: "/theta", min: -0.21, max: 0.21, unit: "rad", format: ".2" },
          ],
        },
      ],
    },
  ],
}

/** Rooms of glyphs with two agents in them, their returns, and what was said. */
export const grid = {
  lookups: { ends: { true: "It is over.", "*": "" } },
  parts: [
    { type: "text", text: "Step {/step} of {/limit}. {/over|ends}\n{{drawn}}, {/share|.1%}", colour: "cyan" },
    {
      type: "grid",
      title: "Map",
      rows: "/map",
      cells: { "#": { glyph: "█", colour: "grey", label: "wall" }, ".": "·" },
      entities: [
        { each: "/doors/*", at: "/at", by: "/open", glyphs: { true: null, false: { glyph: "D", label: "door" } } },
        { each: "/agents/*", at: "/position", order: "x-y" },
      ],
    },
    { type: "gauges", gauges: [{ label: "steps", from: "/step", max: "/limit" }] },
    {
      type: "table",
      rows: "/agents",
      columns: [
        { label: "agent", key: true },
        { label: "carries", from: "/inventory", format: "list" },
        { label: "return", from: "/return", format: ".2" },
      ],
    },
  ],
}

export const gridState = {
  step: 3,
  limit: 12,
  over: false,
  share: 0.125,
  map: ["#####", "#...#", "#...#", "#####"],
  doors: [
    { at: [0, 2], open: false },
    { at: [3, 2], open: true },
  ],
  agents: {
    alice: { position: [1, 2], inventory: ["key", "lamp"], return: 1.5 },
    bob: { position: { x: 3, y: 1 }, inventory: [], return: -0.25 },
  },
}
