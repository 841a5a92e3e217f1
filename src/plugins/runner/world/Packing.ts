/**
 * Answers of steps as rows of numbers. The host reads a row in a fraction of the time that an answer in JSON takes, and
 * records it as it is.
 */

import { RowShape, type Text } from "../../../values/rows/RowShape.ts"
import { base64 } from "../Captured.ts"
import type { SlotAnswer } from "./Slots.ts"

/** The answers to a frame's calls. */
export interface Packed {
  /** The shapes of the rows, as `RowShape.spec`. */
  readonly shapes: ReadonlyArray<string>
  /** For each call, the index of its row's shape; -1 for an answer in `plain`. */
  readonly of: ReadonlyArray<number>
  /** The texts that rows name. */
  readonly texts: ReadonlyArray<Text>
  /** The rows, as float64 numbers in base64. */
  readonly rows: string
  /** The other answers, in order. */
  readonly plain: ReadonlyArray<SlotAnswer>
}

/** Shapes of one world. A world whose answers have more shapes gains nothing from rows. */
const MAX_SHAPES = 16

/** Makes the function that packs answers. It remembers the shapes of earlier ones. */
export const packer = (): ((answers: ReadonlyArray<SlotAnswer>) => Packed) => {
  const known: Array<RowShape> = []
  let last = 0
  let rows = new Float64Array(1024)

  return (answers) => {
    const texts: Array<Text> = []
    const indexes = new Map<Text, number>()
    const indexOf = (text: Text): number => {
      const found = indexes.get(text)
      if (found !== undefined) return found
      if (typeof text === "string" && !text.isWellFormed()) return -1
      const index = texts.push(text) - 1
      indexes.set(text, index)
      return index
    }
    const shapes: Array<string> = []
    const places = new Map<number, number>()
    const of: Array<number> = []
    const plain: Array<SlotAnswer> = []
    let at = 0

    /** Writes the answer as a row, and returns the index of its shape; -1 if it fits none. */
    const written = (answer: SlotAnswer): number => {
      if (answer.step === undefined) return -1
      const fits = (index: number) => {
        const shape = known[index]
        if (shape === undefined) return false
        if (at + shape.width > rows.length) {
          const larger = new Float64Array(2 * (at + shape.width))
          larger.set(rows)
          rows = larger
        }
        return shape.write(answer, rows, at, indexOf)
      }
      if (fits(last)) return last
      for (let index = 0; index < known.length; index++) if (index !== last && fits(index)) return index
      const shape = known.length < MAX_SHAPES ? RowShape.of(answer) : undefined
      if (shape === undefined) return -1
      const index = known.push(shape) - 1
      return fits(index) ? index : -1
    }

    for (const answer of answers) {
      const index = written(answer)
      if (index < 0) {
        of.push(-1)
        plain.push(answer)
        continue
      }
      last = index
      at += known[index]?.width ?? 0
      let place = places.get(index)
      if (place === undefined) {
        place = shapes.push(known[index]?.spec ?? "") - 1
        places.set(index, place)
      }
      of.push(place)
    }
    return { shapes, of, texts, rows: base64(new Uint8Array(rows.buffer, 0, at * 8)), plain }
  }
}
