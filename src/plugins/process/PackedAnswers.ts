/** Reads the steps of slots that a process sends as rows of numbers, with the checks of any answer. */

import type { Json } from "../../values/Json.ts"
import { type Node, partOf, RowShape, type Text } from "../../values/rows/RowShape.ts"
import { type SlotAnswer, SlotRow, type SlotShape } from "./SlotAnswer.ts"

/** Reads an answer of a process that packs steps. Undefined if it is invalid. */
export type Unpack = (
  value: Json,
  count: number,
  isPlain: (answers: unknown) => answers is ReadonlyArray<SlotAnswer>,
) => ReadonlyArray<SlotAnswer | SlotRow> | undefined

/** Shapes that are remembered. A runner of ours has fewer. */
const MAX_KNOWN = 64

/** Makes the reader of one process's answers. It remembers their shapes. */
export const unpacker = (): Unpack => {
  const known = new Map<string, SlotShape | undefined>()
  const shapeOf = (text: string) => {
    if (!known.has(text)) {
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(text, slotShape(text))
    }
    return known.get(text)
  }
  return (value, count, isPlain) => {
    if (isPlain(value)) return value.length === count ? value : undefined
    if (typeof value !== "object" || value === null || !("rows" in value)) return undefined
    const { shapes, of, texts, rows, plain } = value
    if (!isTexts(shapes) || !isIndexes(of, count) || !areLeaves(texts) || typeof rows !== "string" || !isPlain(plain)) {
      return undefined
    }
    const known = shapes.map(shapeOf)
    let total = 0
    for (const index of of) if (index >= 0) total += known[index]?.row.width ?? 0
    const numbers = new Float64Array(total)
    const written = Buffer.from(numbers.buffer).write(rows, "base64")
    if (written !== total * 8 || Buffer.byteLength(rows, "base64") !== total * 8) return undefined
    for (let index = 0; index < total; index++) if (!Number.isFinite(numbers[index])) return undefined
    const answers: Array<SlotAnswer | SlotRow> = []
    let [at, next] = [0, 0]
    for (const index of of) {
      if (index < 0) {
        const answer = plain[next++]
        if (answer === undefined) return undefined
        answers.push(answer)
        continue
      }
      const shape = known[index]
      if (shape === undefined) return undefined
      for (const place of shape.textPlaces) {
        const text = numbers[at + place] ?? -1
        if (!Number.isInteger(text) || text < 0 || text >= texts.length) return undefined
      }
      answers.push(new SlotRow(shape, numbers, at, texts))
      at += shape.row.width
    }
    return next === plain.length ? answers : undefined
  }
}

const slotShape = (text: string): SlotShape | undefined => {
  const row = RowShape.parse(text)
  if (row?.root.kind !== "object") return undefined
  const [step, readings, state] = ["step", "readings", "state"].map((key) => partOf(row.root, key))
  if (step?.kind !== "object" || readings?.kind !== "object" || state === undefined) return undefined
  if (row.root.keys.length !== 3) return undefined
  const textPlaces: Array<number> = []
  const visit = (node: Node): void => {
    if (node.kind === "text") textPlaces.push(node.at)
    else if (node.kind === "list") node.items.forEach(visit)
    else if (node.kind === "object") node.parts.forEach(visit)
  }
  visit(row.root)
  return { row, step, readings, state, textPlaces }
}

const isTexts = (value: Json | undefined): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((text) => typeof text === "string")

const isIndexes = (value: Json | undefined, count: number): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.length === count && value.every((index) => Number.isInteger(index) && index >= -1)

const areLeaves = (value: Json | undefined): value is ReadonlyArray<Text> =>
  Array.isArray(value) && value.every((text) => typeof text === "string" || typeof text === "boolean" || text === null)
