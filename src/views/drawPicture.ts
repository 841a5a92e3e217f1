/** Resolves the bound numbers, colours, texts and repeated elements of a picture. */
import { type Bindings, MAX_MATCHES } from "./Bindings.ts"
import { isPaint } from "./Colours.ts"
import type { PictureBlock, Shape } from "./Drawing.ts"
import { lookedUp, MISSING } from "./Format.ts"
import type { Element, Length, Paint, Points, Transform } from "./Picture.ts"
import type { Picture } from "./View.ts"

/** Repetitions included. */
const MAX_SHAPES = 5_000

/** Renderers disagree on larger coordinates. */
const MAX_NUMBER = 1e6

export const drawPicture = ({ title, width, height, elements }: Picture, bindings: Bindings): PictureBlock => {
  const room = { shapes: MAX_SHAPES, fontSize: height / 15 }
  const shapes = elements.flatMap((element) => shapesOf(element, bindings, room))
  if (room.shapes <= 0) bindings.note(`only the first ${MAX_SHAPES} shapes are drawn`)
  return { kind: "picture", title, width, height, shapes }
}

/** How many more shapes may be drawn, and the font size of the mark for missing values. */
interface Room {
  shapes: number
  readonly fontSize: number
}

const shapesOf = (element: Element, bindings: Bindings, room: Room): ReadonlyArray<Shape> => {
  if (element.each === undefined) return shapeOf(element, bindings, room)
  return bindings
    .matches(element.each, Math.min(MAX_MATCHES, Math.max(0, room.shapes)))
    .flatMap(({ value }) => shapeOf(element, bindings.within(value), room))
}

const shapeOf = (element: Element, bindings: Bindings, room: Room): ReadonlyArray<Shape> => {
  room.shapes -= 1
  if (room.shapes < 0) return []
  const attributes: Array<readonly [string, string]> = []
  let isWhole = true
  for (const [name, value] of Object.entries(element)) {
    if (NOT_ATTRIBUTES.has(name)) continue
    const text = attributeOf(name, value, bindings)
    if (text === undefined) isWhole = false
    else attributes.push([name, text])
  }
  if (!isWhole) return [markOf(attributes, room)]
  const shape: Shape = { element: element.element, attributes }
  if (element.element === "text") return [{ ...shape, text: bindings.filled(element.text).replaceAll("\n", " ") }]
  if (element.element !== "g") return [shape]
  return [{ ...shape, children: element.children.flatMap((child) => shapesOf(child, bindings, room)) }]
}

const NOT_ATTRIBUTES = new Set(["element", "each", "children", "text"])

type AttributeValue = Length | Paint | Points | ReadonlyArray<Transform>

/** Undefined if a bound value is missing. The view is decoded, so each name implies the type of its value. */
const attributeOf = (name: string, value: AttributeValue, bindings: Bindings): string | undefined => {
  if (name === "transform") return transformOf(value as ReadonlyArray<Transform>, bindings)
  if (name === "points") return pointsOf(value as Points, bindings)
  if (typeof value === "string") return value
  if (typeof value === "object" && "lookup" in value) return paintOf(value, bindings)
  return numberOf(value as Length, bindings)
}

const numberOf = (length: Length, bindings: Bindings): string | undefined => {
  if (typeof length === "number") return written(length)
  const { from, scale = 1, offset = 0 } = length
  const value = bindings.number(from)
  return value === undefined ? undefined : written(value * scale + offset)
}

/** Clamps a number to what every renderer accepts, rounded to a thousandth. */
const written = (number: number): string => {
  const bounded = Math.min(MAX_NUMBER, Math.max(-MAX_NUMBER, Number.isNaN(number) ? 0 : number))
  return String(Math.round(bounded * 1000) / 1000 + 0)
}

const paintOf = ({ from, lookup }: Exclude<Paint, string>, bindings: Bindings): string | undefined => {
  const value = bindings.at(from)
  if (value === undefined) return undefined
  const colour = lookedUp(bindings.lookups[lookup] ?? {}, value)
  return colour !== undefined && isPaint(colour) ? colour : "currentColor"
}

/** Joins numbers with spaces; undefined if one is missing. */
const numbers = (lengths: ReadonlyArray<Length>, bindings: Bindings): string | undefined => {
  const texts = lengths.map((length) => numberOf(length, bindings))
  return texts.includes(undefined) ? undefined : texts.join(" ")
}

const transformOf = (transforms: ReadonlyArray<Transform>, bindings: Bindings): string | undefined => {
  const texts = transforms.map((transform) => {
    const [name, lengths] =
      "translate" in transform
        ? ["translate", transform.translate]
        : "scale" in transform
          ? ["scale", transform.scale]
          : ["rotate", [transform.rotate, ...(transform.about ?? [])]]
    const inside = numbers(lengths, bindings)
    return inside === undefined ? undefined : `${name}(${inside})`
  })
  return texts.includes(undefined) ? undefined : texts.join(" ")
}

const pointsOf = (points: Points, bindings: Bindings): string | undefined => {
  const pairs =
    "each" in points
      ? bindings.matches(points.each).map(({ value }) => numbers([points.x, points.y], bindings.within(value)))
      : points.map((pair) => numbers(pair, bindings))
  return pairs.includes(undefined) ? undefined : pairs.join(" ")
}

/** Marks a shape with a missing value, at the shape's place as far as that is known. */
const markOf = (attributes: Shape["attributes"], room: Room): Shape => {
  const known = new Map(attributes)
  const x = known.get("x") ?? known.get("cx") ?? known.get("x1") ?? "0"
  const y = known.get("y") ?? known.get("cy") ?? known.get("y1") ?? written(room.fontSize)
  return {
    element: "text",
    attributes: [...[["x", x] as const, ["y", y] as const], ["font-size", written(room.fontSize)]],
    text: MISSING,
  }
}
