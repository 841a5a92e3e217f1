/**
 * The schema of a picture: a tree of SVG elements and attributes from an allow-list. Numbers and colours may be bound
 * to the state document. Nothing in a picture can load, link, animate or run.
 */
import { Schema } from "effect"
import { issueOfCheck } from "../values/OptionIssues.ts"
import { COLOURS, isPaint, PAINT } from "./Colours.ts"
import { Label, optional, Pattern, Pointer, Text } from "./Fields.ts"
import { isLookupName } from "./Format.ts"

const MAX_ELEMENTS = 300
const MAX_DEPTH = 8

/** In units of the picture's coordinates. */
const MAX_SIDE = 10_000

/** Per polyline or polygon. */
const MAX_POINTS = 200

/** In characters. */
const MAX_PATH = 2_000

/** A number of the state: `scale` × the value + `offset`. */
const BoundNumber = Schema.Struct({ from: Pointer, scale: optional(Schema.Finite), offset: optional(Schema.Finite) })

const Length = Schema.Union(Schema.Finite, BoundNumber).annotations({
  identifier: "ViewNumber",
  description: 'a number, or { "from": a JSON Pointer, "scale": a number, "offset": a number }',
})

export type Length = typeof Length.Type

const Paint = Schema.Union(
  Schema.String.pipe(
    Schema.filter(isPaint),
    Schema.annotations({ description: "a colour", jsonSchema: { pattern: PAINT.source } }),
  ),
  Schema.Struct({
    from: Pointer,
    lookup: Schema.String.pipe(
      Schema.filter(isLookupName),
      Schema.annotations({ description: "the name of a lookup", jsonSchema: { minLength: 1 } }),
    ),
  }),
).annotations({
  identifier: "ViewPaint",
  description: `a colour (${COLOURS.join(", ")}, black, none, currentColor, #rgb or #rrggbb), or { "from": a JSON Pointer, "lookup": a name }`,
})

export type Paint = typeof Paint.Type

const Pair = Schema.Tuple(Length, Length).annotations({ description: "a list of two numbers" })

/** Translates, rotates clockwise (degrees, about the origin or a point) or scales; the first one is outermost. */
const Transform = Schema.Union(
  Schema.Struct({ translate: Pair }),
  Schema.Struct({ rotate: Length, about: optional(Pair) }),
  Schema.Struct({ scale: Pair }),
).annotations({
  identifier: "ViewTransform",
  description: '{ "translate": [x, y] }, { "rotate": degrees, "about": [x, y] } or { "scale": [x, y] }',
})

export type Transform = typeof Transform.Type

const word = <const Word extends string>(...words: ReadonlyArray<Word>) =>
  optional(Schema.Literal(...words).annotations({ description: words.map((each) => `"${each}"`).join(", ") }))

/** Attributes of every element. `each` draws it for each match, with pointers relative to the match. */
const common = {
  each: optional(Pattern),
  transform: optional(Schema.Array(Transform).pipe(Schema.maxItems(MAX_DEPTH))),
  fill: optional(Paint),
  stroke: optional(Paint),
  "stroke-width": optional(Length),
  "stroke-linecap": word("butt", "round", "square"),
  "stroke-linejoin": word("miter", "round", "bevel"),
  opacity: optional(Length),
}

const Rect = Schema.Struct({
  element: Schema.Literal("rect"),
  ...common,
  x: optional(Length),
  y: optional(Length),
  width: Length,
  height: Length,
  rx: optional(Length),
})

const Circle = Schema.Struct({
  element: Schema.Literal("circle"),
  ...common,
  cx: optional(Length),
  cy: optional(Length),
  r: Length,
})

const Ellipse = Schema.Struct({
  element: Schema.Literal("ellipse"),
  ...common,
  cx: optional(Length),
  cy: optional(Length),
  rx: Length,
  ry: Length,
})

const Line = Schema.Struct({
  element: Schema.Literal("line"),
  ...common,
  x1: optional(Length),
  y1: optional(Length),
  x2: optional(Length),
  y2: optional(Length),
})

/** Points in the view, or one per match. */
const Points = Schema.Union(
  Schema.Array(Pair).pipe(Schema.maxItems(MAX_POINTS)),
  Schema.Struct({ each: Pattern, x: Length, y: Length }),
).annotations({ description: `a list of at most ${MAX_POINTS} points, or { "each": a JSON Pointer, "x", "y" }` })

export type Points = typeof Points.Type

const Polyline = Schema.Struct({ element: Schema.Literal("polyline"), ...common, points: Points })

const Polygon = Schema.Struct({ element: Schema.Literal("polygon"), ...common, points: Points })

const PATH = /^[MmLlHhVvCcSsQqTtAaZz0-9eE ,.+-]*$/

const Path = Schema.Struct({
  element: Schema.Literal("path"),
  ...common,
  d: Schema.String.pipe(
    Schema.filter((text) => text.length <= MAX_PATH && PATH.test(text)),
    Schema.annotations({
      description: `the commands of a path, at most ${MAX_PATH} characters`,
      jsonSchema: { pattern: PATH.source, maxLength: MAX_PATH },
    }),
  ),
})

const Words = Schema.Struct({
  element: Schema.Literal("text"),
  ...common,
  x: optional(Length),
  y: optional(Length),
  text: Text,
  "font-size": optional(Length),
  "font-weight": word("normal", "bold"),
  "text-anchor": word("start", "middle", "end"),
})

/** A group without its children. */
const group = { element: Schema.Literal("g"), ...common }

/** Elements that share transforms and styles. */
const Group: Schema.Schema<Group> = Schema.Struct({
  ...group,
  children: Schema.Array(Schema.suspend((): Schema.Schema<Element> => Element)),
})

interface Group extends Schema.Struct.Type<typeof group> {
  readonly children: ReadonlyArray<Element>
}

const Element: Schema.Schema<Element> = Schema.Union(
  ...[Rect, Circle, Ellipse, Line, Polyline, Polygon, Path, Words, Group],
).annotations({
  identifier: "ViewElement",
  description:
    'an object with the element "g", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path" or "text"',
})

/** A shape or a group. */
export type Element =
  | typeof Rect.Type
  | typeof Circle.Type
  | typeof Ellipse.Type
  | typeof Line.Type
  | typeof Polyline.Type
  | typeof Polygon.Type
  | typeof Path.Type
  | typeof Words.Type
  | Group

const Side = Schema.Finite.pipe(
  Schema.between(1, MAX_SIDE),
  Schema.annotations({ description: `a number from 1 to ${MAX_SIDE}` }),
)

/** A picture, and its alternative for media without pictures, such as a terminal. */
export const pictureOf = <Parts>(alternative: Schema.Schema<Parts>) =>
  Schema.Struct({
    type: Schema.Literal("svg"),
    title: Label,
    width: Side,
    height: Side,
    elements: Schema.Array(Element),
    alternative,
  }).pipe(
    Schema.filter(({ elements }) => {
      const { count, depth } = extentOf(elements)
      if (count <= MAX_ELEMENTS && depth <= MAX_DEPTH) return true
      const expected = `at most ${MAX_ELEMENTS} elements, at most ${MAX_DEPTH} levels deep`
      return issueOfCheck({ keys: ["elements"], expected, found: `${count} elements, ${depth} levels deep` })
    }),
  )

const extentOf = (elements: ReadonlyArray<Element>): { readonly count: number; readonly depth: number } =>
  elements.reduce(
    (sum, element) => {
      const inside = element.element === "g" ? extentOf(element.children) : { count: 0, depth: 0 }
      return { count: sum.count + 1 + inside.count, depth: Math.max(sum.depth, 1 + inside.depth) }
    },
    { count: 0, depth: 0 },
  )
