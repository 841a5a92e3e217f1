/**
 * Columns of numbers as streams of bits, one for each column, which can be read alone. A stream holds the distances of
 * numbers to their predictions, counted in floating-point numbers; or, for a column of a few values, which one comes.
 */

import { BitReader, BitWriter, Contexts } from "./ArithmeticCode.ts"
import { type Columns, neededFor, type Predictor, predictorOf } from "./Predictors.ts"

/** Writes the stream of a column of a few values. `values` are all values in it. */
export const writeValues = (column: Float64Array, values: ReadonlyArray<number>, rows: number): Uint8Array => {
  if (values.length < 2) return EMPTY
  const { depth, history, contexts } = modelOf(values.length)
  const writer = new BitWriter()
  let before = 0
  for (let row = 0; row < rows; row++) {
    const symbol = values.indexOf(column[row] ?? 0)
    let node = 1
    for (let at = depth - 1; at >= 0; at--) {
      const bit = (symbol >>> at) & 1
      writer.bit(contexts, before * LEAVES + node, bit)
      node = 2 * node + bit
    }
    before = (before * values.length + symbol) % history
  }
  return writer.finish()
}

/** Reads the stream of a column of a few values. Throws if it names a value that there is not. */
const readValues = (stream: Uint8Array, values: ReadonlyArray<number>, rows: number): Float64Array => {
  const column = new Float64Array(rows)
  if (values.length < 2) return column.fill(values[0] ?? 0)
  const { depth, history, contexts } = modelOf(values.length)
  const reader = new BitReader(stream)
  let before = 0
  for (let row = 0; row < rows; row++) {
    let node = 1
    for (let at = 0; at < depth; at++) node = 2 * node + reader.bit(contexts, before * LEAVES + node)
    const symbol = node - (1 << depth)
    const found = values[symbol]
    if (found === undefined) throw new Error(`a step names value ${symbol} of ${values.length} of its column`)
    column[row] = found
    before = (before * values.length + symbol) % history
  }
  return column
}

/** Contexts of the values before: as many as leave fewer than `HISTORY` of them. */
const modelOf = (count: number) => {
  let history = 1
  while (history * count <= HISTORY) history *= count
  return { depth: Math.ceil(Math.log2(count)), history, contexts: new Contexts(history * LEAVES) }
}

const HISTORY = 64

/** Maximum number of values of such a column, and of nodes of the tree that finds one. */
export const MAX_VALUES = 16
const LEAVES = 16

const EMPTY = new Uint8Array(0)

/**
 * Writes the stream of a column that its predictions do not fit, and the number of its bits, about. The stream begins
 * with the number of rows before the last number that differs. It is empty if none does.
 */
export const writeDistances = (
  column: Float64Array,
  predict: (row: number) => number,
  rows: number,
): { readonly stream: Uint8Array; readonly bits: number } => {
  const lows = new Int32Array(rows)
  const highs = new Int32Array(rows)
  let [last, bits] = [0, 0]
  for (let row = 0; row < rows; row++) {
    const predicted = finite(predict(row))
    const number = column[row] ?? 0
    if (number === predicted && number !== 0) continue
    distance(number, predicted)
    const low = pair[0] ?? 0
    const high = pair[1] ?? 0
    if (low === 0 && high === 0) continue
    lows[row] = low
    highs[row] = high
    bits += 1 + 2 * (high < 0 ? magnitudeOf(-low | 0, negatedHigh(low, high)) : magnitudeOf(low, high))
    last = row + 1
  }
  if (last === 0) return { stream: EMPTY, bits: 0 }
  const model = new DistanceModel()
  const writer = new BitWriter()
  writer.bits(last, ROW_BITS)
  for (let row = 0; row < last; row++) model.write(writer, lows[row] ?? 0, highs[row] ?? 0)
  return { stream: writer.finish(), bits }
}

const ROW_BITS = 16

/** Writes and reads distances: the length of their magnitude in bits, the sign, and the bits below the first. */
class DistanceModel {
  readonly #contexts = new Contexts(MODEL_SIZE)
  #length = 0
  #negative = 0

  write(writer: BitWriter, low: number, high: number): void {
    const negative = high >>> 31
    const lower = negative === 1 ? -low | 0 : low
    const upper = negative === 1 ? negatedHigh(low, high) : high
    const length = magnitudeOf(lower, upper)
    const base = this.#base()
    let node = 1
    for (let at = LENGTH_BITS - 1; at >= 0; at--) {
      const bit = (length >>> at) & 1
      writer.bit(this.#contexts, base + node, bit)
      node = 2 * node + bit
    }
    this.#length = length
    if (length === 0) return
    writer.bit(this.#contexts, SIGN + this.#negative, negative)
    this.#negative = negative
    let left = length - 1
    node = 1
    while (left > 0 && node < LEARNED) {
      left -= 1
      const bit = left >= 32 ? (upper >>> (left - 32)) & 1 : (lower >>> left) & 1
      writer.bit(this.#contexts, MANTISSA + length * LEARNED + node, bit)
      node = 2 * node + bit
    }
    if (left > 32) writer.bits(upper, left - 32)
    writer.bits(lower, Math.min(left, 32))
  }

  /** Reads a distance into `pair`. */
  read(reader: BitReader): void {
    const base = this.#base()
    let node = 1
    for (let at = 0; at < LENGTH_BITS; at++) node = 2 * node + reader.bit(this.#contexts, base + node)
    const length = node - (1 << LENGTH_BITS)
    this.#length = length
    pair[0] = 0
    pair[1] = 0
    if (length === 0) return
    if (length > 64) throw new Error(`a step of its columns has a distance of ${length} bits`)
    const negative = reader.bit(this.#contexts, SIGN + this.#negative)
    this.#negative = negative
    let left = length - 1
    setBit(left)
    node = 1
    while (left > 0 && node < LEARNED) {
      left -= 1
      const bit = reader.bit(this.#contexts, MANTISSA + length * LEARNED + node)
      if (bit === 1) setBit(left)
      node = 2 * node + bit
    }
    if (left > 32) pair[1] = (pair[1] ?? 0) | reader.bits(left - 32)
    pair[0] = (pair[0] ?? 0) | reader.bits(Math.min(left, 32))
    if (negative === 1) {
      pair[1] = negatedHigh(pair[0] ?? 0, pair[1] ?? 0)
      pair[0] = -(pair[0] ?? 0)
    }
  }

  /** The contexts of a length depend on the one before. */
  #base(): number {
    const before = this.#length
    return (before === 0 ? 0 : before < 3 ? 1 : before < 9 ? 2 : 3) << LENGTH_BITS
  }
}

const LENGTH_BITS = 7
const SIGN = 4 << LENGTH_BITS
const MANTISSA = SIGN + 2
/** Nodes of the tree of the first bits of a magnitude. */
const LEARNED = 4
const MODEL_SIZE = MANTISSA + LEARNED * (1 << LENGTH_BITS)

const setBit = (at: number): void => {
  const word = at >= 32 ? 1 : 0
  pair[word] = (pair[word] ?? 0) | (1 << (at - 32 * word))
}

/** The higher word of the negative of a whole number; the lower one is the negative of the lower one. */
const negatedHigh = (low: number, high: number): number => (low === 0 ? -high : ~high) | 0

/** The number of bits of a whole number without a sign. */
const magnitudeOf = (low: number, high: number): number => (high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high))

/** Encoded columns. */
export interface Streams {
  readonly predictors: ReadonlyArray<Predictor>
  /** The number of bytes of each column's stream. */
  readonly sizes: ReadonlyArray<number>
  /** All streams, one after another. */
  readonly streams: Uint8Array
}

/**
 * Decodes columns when they are asked for, with those that predict them. Throws then if a number is not finite, which JSON
 * cannot hold, or if no writer writes such a stream.
 */
export const decoder = ({ predictors, sizes, streams }: Streams, rows: number): ((index: number) => Float64Array) => {
  const columns: Array<Float64Array> = predictors.map(() => EMPTY_COLUMN)
  const starts: Array<number> = []
  let end = 0
  for (const size of sizes) {
    starts.push(end)
    end += size
  }
  const streamOf = (index: number) => {
    const start = starts[index] ?? 0
    return streams.subarray(start, start + (sizes[index] ?? 0))
  }
  const isDecoded = new Uint8Array(predictors.length)
  return (index) => {
    if (isDecoded[index] !== 1) {
      const predicted: Array<number> = []
      for (const needed of neededFor(predictors, index)) {
        if (isDecoded[needed] === 1) continue
        isDecoded[needed] = 1
        const predictor = predictors[needed] ?? ["p"]
        if (predictor[0] === "d")
          columns[needed] = readValues(streamOf(needed), predictor.slice(1) as Array<number>, rows)
        else {
          columns[needed] = new Float64Array(rows)
          predicted.push(needed)
        }
      }
      decodeTogether(columns, predictors, predicted, streamOf, rows)
    }
    return columns[index] ?? EMPTY_COLUMN
  }
}

const EMPTY_COLUMN = new Float64Array(0)

/** Numbers of one row predict those of the next. */
const decodeTogether = (
  columns: Columns,
  predictors: ReadonlyArray<Predictor>,
  indexes: ReadonlyArray<number>,
  streamOf: (index: number) => Uint8Array,
  rows: number,
): void => {
  const readers = indexes.map((index) => {
    const stream = streamOf(index)
    const reader = new BitReader(stream)
    const last = stream.length === 0 ? 0 : reader.bits(ROW_BITS)
    const predict = predictorOf(columns, index, predictors[index] ?? ["p"])
    return { column: columns[index] ?? EMPTY_COLUMN, predict, reader, last, model: new DistanceModel() }
  })
  for (let row = 0; row < rows; row++) {
    for (const { column, predict, reader, last, model } of readers) {
      const predicted = finite(predict(row))
      if (row >= last) {
        column[row] = predicted + 0
        continue
      }
      model.read(reader)
      const number = pair[0] === 0 && pair[1] === 0 ? predicted : moved(predicted)
      if (!Number.isFinite(number)) throw new Error(`a number of step ${row} of its columns is ${number}`)
      column[row] = number
    }
  }
}

/** The bits of NaN differ between engines, and JSON has no -0. */
const finite = (predicted: number): number => (Number.isFinite(predicted) ? predicted + 0 : 0)

/** Writes into `pair` how many floating-point numbers lie between a prediction and a number, modulo `2 ** 64`. */
const distance = (number: number, predicted: number): void => {
  order(number)
  const low = pair[0] ?? 0
  const high = pair[1] ?? 0
  order(predicted)
  const fromLow = pair[0] ?? 0
  pair[0] = low - fromLow
  pair[1] = high - (pair[1] ?? 0) - (low >>> 0 < fromLow >>> 0 ? 1 : 0)
}

/** The number at the distance in `pair` from a prediction. */
const moved = (predicted: number): number => {
  const byLow = pair[0] ?? 0
  const byHigh = pair[1] ?? 0
  order(predicted)
  const low = ((pair[0] ?? 0) + byLow) | 0
  const high = ((pair[1] ?? 0) + byHigh + (low >>> 0 < byLow >>> 0 ? 1 : 0)) | 0
  words[0] = high < 0 ? low : ~low
  words[1] = high < 0 ? high ^ SIGN_BIT : ~high
  return value[0] ?? 0
}

/** The place of a number among all numbers, as a whole number of 64 bits in `pair`. */
const order = (number: number): void => {
  value[0] = number
  const high = words[1] ?? 0
  const low = words[0] ?? 0
  pair[0] = high < 0 ? ~low : low
  pair[1] = high < 0 ? ~high : high ^ SIGN_BIT
}

const SIGN_BIT = 0x8000_0000 | 0

/** A whole number of 64 bits: its lower and its higher word. With signs, because larger numbers would be objects. */
const pair = new Int32Array(2)

/** Views of one number. Hindcast supports little-endian machines only. */
const value = new Float64Array(1)
const words = new Int32Array(value.buffer)
