/**
 * Reads columns of the first encoding: the bits in which numbers differ from their predictions, byte by byte of equal
 * weight. Nothing writes it any more.
 */

import { type Columns, neededFor, type Predictor, predictorOf } from "./Predictors.ts"

/** The encoded columns. */
export interface Encoded {
  readonly predictors: ReadonlyArray<Predictor>
  /** For each column, which of the eight bytes of its differences are not always zero, as bits. */
  readonly masks: ReadonlyArray<number>
  /** One run of bytes for each bit of the masks, as long as the columns. */
  readonly planes: Uint8Array
}

const BYTES = 8

/** The number of bytes that the planes of these masks have. */
export const sizeOf = (masks: ReadonlyArray<number>, rows: number): number =>
  masks.reduce((sum, mask) => sum + bitsIn(mask), 0) * rows

const bitsIn = (mask: number): number => {
  let count = 0
  for (let bits = mask; bits > 0; bits &= bits - 1) count += 1
  return count
}

/**
 * Decodes columns when they are asked for, with those that predict them. Throws then if a number is not finite, which JSON
 * cannot hold. The planes have the size of `sizeOf`.
 */
export const decoder = ({ predictors, masks, planes }: Encoded, rows: number): ((index: number) => Float64Array) => {
  const columns = predictors.map(() => new Float64Array(0))
  const starts: Array<number> = []
  let end = 0
  for (const mask of masks) {
    starts.push(end)
    end += bitsIn(mask) * rows
  }
  const isDecoded = new Uint8Array(predictors.length)
  return (index) => {
    if (isDecoded[index] !== 1) {
      const together = neededFor(predictors, index).filter((needed) => isDecoded[needed] !== 1)
      for (const needed of together) {
        columns[needed] = new Float64Array(rows)
        isDecoded[needed] = 1
      }
      decodeTogether({ predictors, masks, planes }, { rows, starts, columns, together })
    }
    return columns[index] ?? new Float64Array(0)
  }
}

interface Together {
  readonly rows: number
  /** The place of each column's planes. */
  readonly starts: ReadonlyArray<number>
  readonly columns: Columns
  /** The columns to decode, in order: their numbers of one row predict those of the next. */
  readonly together: ReadonlyArray<number>
}

const decodeTogether = (
  { predictors, masks, planes }: Encoded,
  { rows, starts, columns, together }: Together,
): void => {
  const readers = together.map((index) => {
    const mask = masks[index] ?? 0
    const offsets: Array<number> = []
    let at = starts[index] ?? 0
    for (let byte = 0; byte < BYTES; byte++) {
      if ((mask & (1 << byte)) === 0) continue
      offsets.push(byte, at)
      at += rows
    }
    const predict = predictorOf(columns, index, predictors[index] ?? ["p"])
    return { column: columns[index] ?? new Float64Array(0), predict, offsets }
  })
  for (let row = 0; row < rows; row++) {
    for (const { column, predict, offsets } of readers) {
      value[0] = finite(predict(row))
      for (let entry = 0; entry < offsets.length; entry += 2) {
        const byte = offsets[entry] ?? 0
        valueBytes[byte] = (valueBytes[byte] ?? 0) ^ (planes[(offsets[entry + 1] ?? 0) + row] ?? 0)
      }
      const number = value[0] ?? 0
      if (!Number.isFinite(number)) throw new Error(`a number of step ${row} of its columns is ${number}`)
      column[row] = number
    }
  }
}

/** The bits of NaN differ between engines. */
const finite = (predicted: number): number => (Number.isFinite(predicted) ? predicted : 0)

/** Views of one number. Hindcast supports little-endian machines only. */
const value = new Float64Array(1)
const valueBytes = new Uint8Array(value.buffer)
