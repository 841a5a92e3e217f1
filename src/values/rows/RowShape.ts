/**
 * Values of one shape as rows of numbers, which cost a fraction of JSON. A shape has a place in the row for each number
 * of the value, and for each text, flag or null, which stands there as an index into a list.
 *
 * This module has no imports: it runs in Node and in the processes of plugins.
 */

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A leaf that is no number. */
export type Text = string | boolean | null

/** A shape as JSON: 0 for a number, 1 for a text, and lists and objects of shapes. */
export type Spec = 0 | 1 | ReadonlyArray<Spec> | { readonly [key: string]: Spec }

/** A part of a shape. `at` is its first place in the row; it takes `width` places. */
export type Node =
  | { readonly kind: "number" | "text"; readonly at: number; readonly width: 1 }
  | { readonly kind: "list"; readonly at: number; readonly width: number; readonly items: ReadonlyArray<Node> }
  | {
      readonly kind: "object"
      readonly at: number
      readonly width: number
      readonly keys: ReadonlyArray<string>
      readonly parts: ReadonlyArray<Node>
    }

/** Maximum number of places. Larger values are not worth a shape. */
export const MAX_WIDTH = 512

const MAX_DEPTH = 32

/** A shape, and how to read and write its rows. */
export class RowShape {
  readonly root: Node
  /** The number of places. */
  readonly width: number
  /** `Spec` as JSON text. Equal shapes have equal texts. */
  readonly spec: string

  constructor(spec: Spec, text = JSON.stringify(spec)) {
    this.root = nodeOf(spec, 0)
    this.width = this.root.width
    this.spec = text
  }

  /** The shape of a value; undefined if the value is too large or no plain JSON. */
  static of(value: unknown): RowShape | undefined {
    const spec = specOf(value, 0)
    if (spec === undefined) return undefined
    const shape = new RowShape(spec)
    return shape.width <= MAX_WIDTH ? shape : undefined
  }

  /** Reads a shape from its text. Undefined for any other text. */
  static parse(text: string): RowShape | undefined {
    let spec: unknown
    try {
      spec = JSON.parse(text)
    } catch {
      return undefined
    }
    if (!isSpec(spec, 0)) return undefined
    const shape = new RowShape(spec, text)
    return shape.width <= MAX_WIDTH ? shape : undefined
  }

  /**
   * Writes a value into `row`, from `start` on. Returns false if the value does not have this shape, or is no JSON; the
   * row is then undefined.
   *
   * @param indexOf the index that stands for a text; negative to refuse it
   */
  readonly write = (value: unknown, row: Float64Array, start: number, indexOf: (text: Text) => number): boolean =>
    write(this.root, value, row, start, indexOf)

  /** The value in `row`, which begins at `start`. */
  readonly read = (row: Float64Array, start: number, textOf: (index: number) => Text): Json =>
    read(this.root, row, start, textOf)
}

/** The part of an object's shape; undefined for other shapes and keys. */
export const partOf = (node: Node, key: string): Node | undefined =>
  node.kind === "object" ? node.parts[node.keys.indexOf(key)] : undefined

/** The value of a part of a shape. */
export const read = (node: Node, row: Float64Array, start: number, textOf: (index: number) => Text): Json => {
  switch (node.kind) {
    case "number":
      return row[start + node.at] ?? 0
    case "text":
      return textOf(row[start + node.at] ?? 0)
    case "list":
      return node.items.map((item) => read(item, row, start, textOf))
    case "object": {
      const { keys, parts } = node
      const object: { [key: string]: Json } = {}
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index] ?? ""
        const value = read(parts[index] as Node, row, start, textOf)
        if (key === "__proto__") define(object, key, value)
        else object[key] = value
      }
      return object
    }
  }
}

/** Assigning this key would set the object's prototype. */
const define = (object: object, key: string, value: Json) =>
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })

/** Writes the value of a part of a shape, as `RowShape.write`. */
export const write = (
  node: Node,
  value: unknown,
  row: Float64Array,
  start: number,
  indexOf: (text: Text) => number,
): boolean => {
  switch (node.kind) {
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return false
      // -0 is 0 in JSON.
      row[start + node.at] = value + 0
      return true
    case "text": {
      if (!isText(value)) return false
      const index = indexOf(value)
      row[start + node.at] = index
      return index >= 0
    }
    case "list": {
      const { items } = node
      if (!Array.isArray(value) || value.length !== items.length) return false
      for (let index = 0; index < items.length; index++) {
        if (!write(items[index] as Node, value[index], row, start, indexOf)) return false
      }
      return true
    }
    case "object": {
      if (!isPlain(value)) return false
      const { keys, parts } = node
      let at = 0
      for (const key in value) {
        if (key !== keys[at] || !write(parts[at] as Node, value[key], row, start, indexOf)) return false
        at += 1
      }
      return at === keys.length
    }
  }
}

const isText = (value: unknown): value is Text =>
  typeof value === "string" || typeof value === "boolean" || value === null

/** An object as JSON has them: of no class. */
const isPlain = (value: unknown): value is { readonly [key: string]: unknown } => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const specOf = (value: unknown, depth: number): Spec | undefined => {
  if (typeof value === "number") return 0
  if (isText(value)) return 1
  if (depth === MAX_DEPTH) return undefined
  if (Array.isArray(value)) {
    if (value.length > MAX_WIDTH) return undefined
    const items: Array<Spec> = []
    for (const item of value) {
      const spec = specOf(item, depth + 1)
      if (spec === undefined) return undefined
      items.push(spec)
    }
    return items
  }
  if (!isPlain(value)) return undefined
  const entries: Array<[string, Spec]> = []
  for (const key of Object.keys(value)) {
    const spec = entries.length === MAX_WIDTH ? undefined : specOf(value[key], depth + 1)
    if (spec === undefined) return undefined
    entries.push([key, spec])
  }
  return Object.fromEntries(entries)
}

const isSpec = (value: unknown, depth: number): value is Spec => {
  if (value === 0 || value === 1) return true
  if (depth === MAX_DEPTH || typeof value !== "object" || value === null) return false
  return Object.values(value).every((part) => isSpec(part, depth + 1))
}

const nodeOf = (spec: Spec, at: number): Node => {
  if (spec === 0) return { kind: "number", at, width: 1 }
  if (spec === 1) return { kind: "text", at, width: 1 }
  let next = at
  const place = (part: Spec): Node => {
    const node = nodeOf(part, next)
    next += node.width
    return node
  }
  if (Array.isArray(spec)) {
    const items = (spec as ReadonlyArray<Spec>).map(place)
    return { kind: "list", at, width: next - at, items }
  }
  const keys = Object.keys(spec)
  const parts = keys.map((key) => place((spec as { readonly [key: string]: Spec })[key] as Spec))
  return { kind: "object", at, width: next - at, keys, parts }
}
