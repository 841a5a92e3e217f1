/** Encodes columns of numbers as the bits in which they differ from predictions, byte by byte of equal weight. */

import { type Columns, choose, type Predictor, predictorOf } from "./Predictors.ts"

/** The encoded columns. */
export interface Encoded {
  readonly predictors: ReadonlyArray<Predictor>
  /** For each column, which of the eight bytes of its differences are not always zero, as bits. */
  readonly masks: ReadonlyArray<number>
  /** One run of bytes for each bit of the masks, as long as the columns. */
  readonly planes: Uint8Array
}

const BYTES = 8

/** Encodes columns of equal length. `hints`: the predictors of an earlier run with the same columns, which are reused. */
export const encode = (columns: Columns, rows: number, hints: ReadonlyArray<Predictor> = []): Encoded => {
  const predictors: Array<Predictor> = []
  const masks: Array<number> = []
  const planes: Array<Uint8Array> = []
  for (const [index, column] of columns.entries()) {
    const hint = hints.length === columns.length ? hints[index] : undefined
    const predictor = hint ?? choose(columns, index)
    const { mask, found } = differences(column, predictorOf(columns, index, predictor), rows)
    predictors.push(predictor)
    masks.push(mask)
    planes.push(...found)
  }
  const bytes = new Uint8Array(planes.length * rows)
  for (const [index, plane] of planes.entries()) bytes.set(plane, index * rows)
  return { predictors, masks, planes: bytes }
}

const differences = (column: Float64Array, predict: (row: number) => number, rows: number) => {
  const planes = Array.from({ length: BYTES }, () => new Uint8Array(rows))
  let mask = 0
  for (let row = 0; row < rows; row++) {
    value[0] = column[row] ?? 0
    const [low, high] = [words[0] ?? 0, words[1] ?? 0]
    value[0] = finite(predict(row))
    word[0] = low ^ (words[0] ?? 0)
    word[1] = high ^ (words[1] ?? 0)
    if (word[0] === 0 && word[1] === 0) continue
    for (let byte = 0; byte < BYTES; byte++) {
      const difference = wordBytes[byte] ?? 0
      if (difference === 0) continue
      mask |= 1 << byte
      const plane = planes[byte]
      if (plane !== undefined) plane[row] = difference
    }
  }
  return { mask, found: planes.filter((_, byte) => (mask & (1 << byte)) !== 0) }
}

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

/** The columns whose numbers predict those of a column, and itself, in order. */
const neededFor = (predictors: Encoded["predictors"], index: number): ReadonlyArray<number> => {
  const found = new Set([index])
  for (const column of found) {
    const predictor = predictors[column] ?? ["p"]
    if (predictor[0] === "p" || predictor[0] === "l") continue
    found.add(predictor[1])
    if (predictor[0] === "g") found.add(predictor[2])
  }
  return [...found].filter((column) => column < predictors.length).sort((a, b) => a - b)
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

/** Views of one number. All machines that Node runs on are little-endian. */
const value = new Float64Array(1)
const words = new Uint32Array(value.buffer)
const valueBytes = new Uint8Array(value.buffer)
const word = new Uint32Array(2)
const wordBytes = new Uint8Array(word.buffer)
