/**
 * A run of steps of one shape, each a row of numbers as a world's process sends it. Its columns are those of the same
 * steps as values, without making the values.
 */

import { type Json, type JsonObject, pointerToken } from "../../values/Json.ts"
import { type Node, type RowShape, read, type Text, write } from "../../values/rows/RowShape.ts"
import { append, type ColumnNode, type FieldNode, finish } from "./ColumnTree.ts"
import { isOrdinaryKey, MAX_ITEMS, MAX_KEYS, type Shape, split } from "./JsonColumns.ts"

/** The shape of a row: the result of a step, the readings and the document after it. */
export interface StepShape {
  readonly row: RowShape
  readonly step: Node
  readonly readings: Node
  readonly state: Node
  /** The places of texts in a row. */
  readonly textPlaces: ReadonlyArray<number>
}

/** A step of a run, as values. */
export interface StepValues {
  readonly action: Json
  readonly result: JsonObject
  readonly state: Json
  readonly readings: JsonObject
}

/** A run of rows. The steps before and after it may have other shapes. */
export class RowRun {
  readonly shape: StepShape
  /** The document before the first step. */
  readonly before: Json
  readonly #actions: Array<Json> = []
  readonly #texts: Array<Text> = []
  readonly #indexes = new Map<Text, number>()
  /** The first row is the document before the first step; the rest of it is undefined. */
  #numbers: Float64Array
  /** The last text at each place, and its index. */
  readonly #last: Array<Text | undefined> = []

  private constructor(before: Json, shape: StepShape) {
    this.before = before
    this.shape = shape
    this.#numbers = new Float64Array(shape.row.width * FIRST_ROWS)
  }

  /** Begins a run after a document. Undefined if the document has another shape than the rows. */
  static after(document: Json, shape: StepShape): RowRun | undefined {
    const run = new RowRun(document, shape)
    return write(shape.state, document, run.#numbers, 0, (text) => run.#indexOf(text)) ? run : undefined
  }

  /** The number of steps. */
  get length(): number {
    return this.#actions.length
  }

  /** Adds a step. `numbers` holds its row at `at`, whose texts are indexes into `texts`. */
  push(action: Json, numbers: Float64Array, at: number, texts: ReadonlyArray<Text>): void {
    const { width } = this.shape.row
    const start = (this.length + 1) * width
    if (start + width > this.#numbers.length) {
      const larger = new Float64Array(2 * this.#numbers.length + width)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    const own = this.#numbers
    for (let place = 0; place < width; place++) own[start + place] = numbers[at + place] ?? 0
    const { textPlaces } = this.shape
    for (let index = 0; index < textPlaces.length; index++) {
      const place = textPlaces[index] ?? 0
      const text = texts[numbers[at + place] ?? 0] ?? null
      if (this.length > 0 && text === this.#last[index]) own[start + place] = own[start - width + place] ?? 0
      else {
        own[start + place] = this.#indexOf(text)
        this.#last[index] = text
      }
    }
    this.#actions.push(action)
  }

  /** The steps as values. */
  *values(): Iterable<StepValues> {
    const { step, readings, state } = this.shape
    const { width } = this.shape.row
    for (const [index, action] of this.#actions.entries()) {
      const of = (node: Node) =>
        read(node, this.#numbers, (index + 1) * width, (text) => this.#texts[text] ?? null) as Json
      yield { action, result: of(step) as JsonObject, state: of(state), readings: of(readings) as JsonObject }
    }
  }

  /**
   * The columns of the run and of rows after it, which it adds to `columns`. Undefined if they need columns that only the
   * values as a whole have: then split those.
   */
  columns(rest: ReadonlyArray<JsonObject>, columns: Array<Float64Array>): Shape | undefined {
    const rows = this.length + rest.length
    const { step, readings, state } = this.shape
    if (!isOrdinary(step) || !isOrdinary(readings) || !leavesOf(state)) return undefined
    const actions: Array<Float64Array> = []
    const ofActions = split([...this.#actions, ...rest.map(({ action = null }) => action)], actions)
    const changed = this.#changes(rows)
    if (changed === undefined) return undefined
    const field = (key: string, node: ColumnNode): FieldNode => ({ key, has: undefined, node })
    const tree: ColumnNode = {
      kind: "object",
      fields: [
        field("result", this.#node(step, rows)),
        field("set", { kind: "object", fields: changed }),
        field("readings", this.#node(readings, rows)),
      ],
    }
    for (const [index, { action: _, ...row }] of rest.entries()) {
      if (!append(tree, row, this.length + index, rows)) return undefined
    }
    columns.push(...actions)
    const shape = finish(tree, columns)
    return shape.kind === "object"
      ? { kind: "object", fields: [{ key: "action", shape: ofActions }, ...shape.fields] }
      : undefined
  }

  #indexOf(text: Text): number {
    const found = this.#indexes.get(text)
    if (found !== undefined) return found
    const index = this.#texts.push(text) - 1
    this.#indexes.set(text, index)
    return index
  }

  #node(node: Node, rows: number): ColumnNode {
    switch (node.kind) {
      case "number":
        return { kind: "number", column: this.#column(node.at, rows) }
      case "text":
        return this.#textNode(this.#column(node.at, rows))
      case "list":
        return node.items.length === 0
          ? { kind: "text", column: new Float64Array(rows), texts: ["[]"] }
          : { kind: "list", items: node.items.map((item) => this.#node(item, rows)) }
      case "object":
        return {
          kind: "object",
          fields: node.keys.map((key, index) => ({
            key,
            has: undefined,
            node: this.#node(node.parts[index] as Node, rows),
          })),
        }
    }
  }

  /** A place of all rows, with room for others. */
  #column(place: number, rows: number): Float64Array {
    const column = new Float64Array(rows)
    const { width } = this.shape.row
    const numbers = this.#numbers
    for (let row = 0, at = width + place; row < this.length; row++, at += width) column[row] = numbers[at] ?? 0
    return column
  }

  /** The texts of a column get indexes of their own, in the order in which they first come. */
  #textNode(column: Float64Array): ColumnNode {
    const own = new Map<number, number>()
    const texts: Array<string> = []
    for (let row = 0; row < this.length; row++) {
      const index = column[row] ?? 0
      let found = own.get(index)
      if (found === undefined) {
        found = texts.push(JSON.stringify(this.#texts[index] ?? null)) - 1
        own.set(index, found)
      }
      column[row] = found
    }
    return { kind: "text", column, texts }
  }

  /**
   * The leaves of the document that change, as fields by path. Undefined if there are too many, or they are so long that
   * their patch might replace more than leaves.
   */
  #changes(rows: number): Array<FieldNode> | undefined {
    const fields: Array<FieldNode> = []
    let characters = 0
    const { width } = this.shape.row
    const numbers = this.#numbers
    for (const { path, node } of leavesOf(this.shape.state) ?? []) {
      const has = new Float64Array(rows)
      let changes = 0
      for (let row = 0, at = width + node.at; row < this.length; row++, at += width) {
        if (numbers[at] === numbers[at - width]) continue
        has[row] = 1
        changes += 1
      }
      if (changes === 0) continue
      const column = this.#column(node.at, rows)
      const inside: ColumnNode = node.kind === "text" ? this.#textNode(column) : { kind: "number", column }
      const longest = inside.kind === "text" ? Math.max(...inside.texts.map((text) => text.length)) : LONGEST_NUMBER
      characters += OPERATION_CHARACTERS + path.length + longest
      fields.push({ key: path, has: changes === this.length ? undefined : has, node: inside })
      if (fields.length > MAX_KEYS || characters > MAX_CHARACTERS) return undefined
    }
    return fields
  }
}

const FIRST_ROWS = 64

/** Of `JsonPatch.diff`: a patch that is longer may replace a whole object. */
const MAX_CHARACTERS = 10_000
const OPERATION_CHARACTERS = 32
const LONGEST_NUMBER = 25

interface Leaf {
  /** A JSON Pointer. */
  readonly path: string
  readonly node: Node
}

/** The leaves of a document, in the order in which a patch has them. Undefined if the document is no object. */
const leavesOf = (state: Node): ReadonlyArray<Leaf> | undefined => {
  const known = leaves.get(state)
  if (known !== undefined || state.kind !== "object") return known
  const found: Array<Leaf> = []
  const visit = (node: Node, path: string): void => {
    if (node.kind === "list") for (const [index, item] of node.items.entries()) visit(item, `${path}/${index}`)
    else if (node.kind === "object")
      for (const [index, key] of node.keys.entries()) visit(node.parts[index] as Node, `${path}/${pointerToken(key)}`)
    else found.push({ path, node })
  }
  visit(state, "")
  leaves.set(state, found)
  return found
}

const leaves = new WeakMap<Node, ReadonlyArray<Leaf>>()

/** Whether `JsonColumns.split` has a column for each leaf of such values. */
const isOrdinary = (node: Node): boolean => {
  if (node.kind === "list") return node.items.length <= MAX_ITEMS && node.items.every(isOrdinary)
  return (
    node.kind !== "object" ||
    (node.keys.length <= MAX_KEYS && node.keys.every(isOrdinaryKey) && node.parts.every(isOrdinary))
  )
}
