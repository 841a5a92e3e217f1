/**
 * A run of steps as the columns of a `StepsRecorded`: actions, results, changes of the world's document and readings.
 *
 * The columns are a JSON header, a line feed and the streams of `ColumnStreams`. A digest covers these bytes. The header
 * is compressed (`ColumnBytes`). Decoding checks every size before it allocates memory, because a log may come from a
 * stranger.
 */

import * as crypto from "node:crypto"
import { Schema } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"
import { MAX_STEPS } from "../../values/StepAddress.ts"
import { PatchOperation } from "../vocabulary/Sensing.ts"
import { MAX_COLUMN_BYTES } from "../vocabulary/Worlds.ts"
import * as ColumnBytes from "./ColumnBytes.ts"
import * as ColumnHeader from "./ColumnHeader.ts"
import { inOrder, Part } from "./ColumnPart.ts"
import * as ColumnStreams from "./ColumnStreams.ts"
import { ColumnWriter } from "./ColumnWriter.ts"
import { type FieldReader, isOrdinaryKey, join, objectOf, type Reader, type Shape, split } from "./JsonColumns.ts"
import * as NumberColumns from "./NumberColumns.ts"
import type { RowRun } from "./RowRun.ts"

/** One step. */
export interface Step {
  readonly action: Json
  /** The result of the command: rewards, flags, info. Empty if the world refused it. */
  readonly result: JsonObject
  /** Why the world refused the command: a code and a message. Absent if it was carried out. */
  readonly error?: JsonObject | undefined
  /** How the step changed the world's document. */
  readonly patch: ReadonlyArray<PatchOperation>
  /** The readings after it, by the sensor's own name. */
  readonly readings: JsonObject
}

/** The encoded columns, as the payload holds them. */
export interface Encoded {
  /** How they are encoded: 2, or 1 in logs of earlier versions. */
  readonly encoding: 1 | 2
  readonly bytes: number
  readonly digest: string
  readonly columns: string
}

/** Encodes runs of steps of one world. It remembers which predictions fitted, so a later run of the same shape is faster. */
export interface Encoder {
  /** At most `MAX_STEPS` steps. Returns undefined if they are too large for one event. */
  readonly encode: (steps: ReadonlyArray<Step>) => Encoded | undefined
  /** The same for a run of rows and the steps after it. Also returns undefined if only `encode` can hold them. */
  readonly encodeRun: (run: RowRun, rest: ReadonlyArray<Step>) => Encoded | undefined
}

/** Makes an encoder. */
export const encoder = (): Encoder => {
  const writer = new ColumnWriter()
  const encoded = (shape: Shape, columns: ReadonlyArray<Float64Array>, steps: number): Encoded | undefined => {
    if (ColumnHeader.isTooWide(shape, steps)) return undefined
    const terms = ColumnHeader.termsLeft(shape, steps)
    const { predictors, sizes, streams } = writer.write(ColumnHeader.namesOf(shape), columns, steps, terms)
    const header = Buffer.from(`${JSON.stringify({ rows: steps, shape, predictors, sizes })}\n`, "utf8")
    const bytes = header.length + streams.length
    if (bytes > MAX_COLUMN_BYTES) return undefined
    return {
      encoding: 2,
      bytes,
      digest: crypto.createHash("sha256").update(header).update(streams).digest("hex"),
      columns: ColumnBytes.pack(header, streams),
    }
  }
  return {
    encode: (steps) => {
      const columns: Array<Float64Array> = []
      const shape = split(steps.map(rowOf), columns)
      return encoded(shape, columns, steps.length)
    },
    encodeRun: (run, rest) => {
      const columns: Array<Float64Array> = []
      const shape = run.columns(rest.map(rowOf), columns)
      return shape === undefined ? undefined : encoded(shape, columns, run.length + rest.length)
    },
  }
}

/** A patch of replacements becomes an object by path, so that each path has a column. Other paths would change their order in it. */
const rowOf = ({ action, result, error, patch, readings }: Step): JsonObject => ({
  action,
  result,
  ...(error === undefined ? {} : { error }),
  ...(patch.every(({ op, path }) => op === "replace" && isOrdinaryKey(path)) &&
  new Set(patch.map(({ path }) => path)).size === patch.length
    ? {
        set: Object.fromEntries(
          patch.map((operation) => [operation.path, "value" in operation ? operation.value : null]),
        ),
      }
    : { patch: patch as unknown as Json }),
  readings,
})

const stepOf = (row: Json): Step => {
  const fields = isFields(row) ? row : {}
  const { action, result, error, patch, readings } = new RowStep((key) =>
    Object.hasOwn(fields, key) ? fields[key] : undefined,
  )
  return { action, result, readings, ...(error === undefined ? {} : { error }), patch }
}

/** A step in a row, of which each part is made when someone asks for it. */
class RowStep implements Step {
  readonly #part: (key: string) => Json | undefined

  constructor(part: (key: string) => Json | undefined) {
    this.#part = part
  }

  get action(): Json {
    return this.#part("action") ?? null
  }

  get result(): JsonObject {
    return fieldsIn(this.#part("result"))
  }

  get error(): JsonObject | undefined {
    const error = this.#part("error")
    return error === undefined ? undefined : fieldsIn(error)
  }

  get patch(): Step["patch"] {
    const patch = this.#part("patch")
    if (patch !== undefined) return decodePatch(patch)
    const set = fieldsIn(this.#part("set") ?? {})
    return Object.entries(set).map(([path, value]) => ({ op: "replace", path, value }))
  }

  get readings(): JsonObject {
    return fieldsIn(this.#part("readings"))
  }
}

const fieldsIn = (value: Json | undefined): JsonObject => {
  if (isFields(value)) return value
  throw new Error("expected steps with a result, changes and readings in its columns")
}

const isFields = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const decodePatch = Schema.decodeUnknownSync(Schema.Array(PatchOperation))

/** The content of a payload that decoding reads. */
export interface Content extends Encoded {
  readonly steps: number
}

/**
 * Decodes a run of steps. Takes memory in proportion to `MAX_COLUMN_BYTES`, for any content. Throws an error with the
 * reason if `encoder` does not write such content.
 */
export const decode = (content: Content): ReadonlyArray<Step> => {
  const { stepAt } = readerOf(content)
  return Array.from({ length: content.steps }, (_, row) => stepAt(row))
}

/** Reads single steps of a run. */
export interface StepReader {
  readonly stepAt: (row: number) => Step
  /** The same, and each part of the step is made when someone asks for it. */
  readonly partsAt: (row: number) => Step
  /**
   * The changes of the document by path, for steps that only replace parts of it: each has a column of the steps that
   * make it. Undefined if a step does something else.
   */
  readonly changes: () => ReadonlyArray<FieldReader> | undefined
  /** Whether each step has the same sensors. */
  readonly sameReadings: boolean
}

/** Decodes the columns of a run, and makes steps only when they are asked for. Throws as `decode`. */
export const readerOf = (content: Content): StepReader => {
  const { steps } = content
  if (!Number.isInteger(steps) || steps < 0 || steps > MAX_STEPS) {
    throw new Error(`it says that it holds ${steps} steps, and no event holds more than ${MAX_STEPS}`)
  }
  const { shape, column } = columnsOf(content)
  if (shape.kind !== "object") {
    const read: Reader = join(shape, inOrder(column, 0))
    const stepAt = (row: number) => stepOf(read(row))
    return { stepAt, partsAt: stepAt, changes: () => undefined, sameReadings: false }
  }
  let at = 0
  const parts = new Map<string, Part>()
  for (const field of shape.fields) {
    parts.set(field.key, new Part(field, column, at))
    at += (field.has === true ? 1 : 0) + ColumnHeader.sizeOf(field.shape).columns
  }
  const fields = [...parts.values()]
  const set = parts.get("set")
  const readings = parts.get("readings")?.field
  return {
    stepAt: (row) => stepOf(objectOf(fields, row)),
    partsAt: (row) =>
      new RowStep((key) => {
        const part = parts.get(key)
        return part === undefined || (part.has !== undefined && part.has[row] !== 1) ? undefined : part.read(row)
      }),
    changes: () => (set === undefined || set.field.has === true || parts.has("patch") ? undefined : set.fields()),
    sameReadings:
      readings?.has !== true &&
      readings?.shape.kind === "object" &&
      readings.shape.fields.every(({ has }) => has !== true),
  }
}

/** The shape of the steps, and a reader of columns. */
const columnsOf = ({ encoding, steps, bytes, digest, columns }: Content) => {
  if (!Number.isInteger(bytes) || bytes < 0 || bytes > MAX_COLUMN_BYTES) {
    throw new Error(`its columns have ${bytes} bytes, and no event has more than ${MAX_COLUMN_BYTES}`)
  }
  const { header, rest } = encoding === 2 ? ColumnBytes.unpack(columns, bytes) : ColumnBytes.inflate(columns, bytes)
  const hash = crypto.createHash("sha256").update(header).update(rest)
  if (hash.digest("hex") !== digest) throw new Error("its columns do not have their digest")
  const text = header.toString("utf8", 0, header.length - 1)
  if (encoding === 2) {
    const { rows, shape, predictors, sizes } = ColumnHeader.read(text, steps)
    if (rows !== steps) throw new Error(`it has columns of ${rows} steps, expected ${steps}`)
    const size = sizes.reduce((sum, length) => sum + length, 0)
    if (rest.length !== size) throw new Error(`its columns have ${rest.length} bytes, expected ${size}`)
    return { shape, column: ColumnStreams.decoder({ predictors, sizes, streams: rest }, steps) }
  }
  const { shape, predictors, masks } = ColumnHeader.readFirst(text, steps)
  const size = NumberColumns.sizeOf(masks, steps)
  if (rest.length !== size)
    throw new Error(`its columns have ${rest.length} bytes, expected ${size} for ${steps} steps`)
  return { shape, column: NumberColumns.decoder({ predictors, masks, planes: rest }, steps) }
}
