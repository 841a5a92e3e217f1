/**
 * A run of steps as the columns of a `StepsRecorded`: actions, results, changes of the world's document and readings.
 *
 * The columns are a JSON header, a line feed and the bytes of `NumberColumns`, compressed with raw DEFLATE. A digest
 * covers them before compression. Decoding checks every size before it allocates memory, because a log may come from a
 * stranger.
 */

import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import { Schema } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"
import { MAX_STEPS } from "../../values/StepAddress.ts"
import { PatchOperation } from "../vocabulary/Sensing.ts"
import { MAX_COLUMN_BYTES } from "../vocabulary/Worlds.ts"
import * as ColumnHeader from "./ColumnHeader.ts"
import {
  type Field,
  type FieldReader,
  join,
  joinFields,
  objectOf,
  type Reader,
  type Shape,
  split,
} from "./JsonColumns.ts"
import * as NumberColumns from "./NumberColumns.ts"
import type { Predictor } from "./Predictors.ts"
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
  let known: { readonly shape: string; readonly hints: ReadonlyArray<Predictor> } | undefined
  const encoded = (shape: Shape, columns: ReadonlyArray<Float64Array>, steps: number): Encoded | undefined => {
    if (ColumnHeader.isTooWide(shape, steps)) return undefined
    const key = JSON.stringify(shape, (name, value) => (name === "texts" ? undefined : value))
    const found = NumberColumns.encode(columns, steps, known?.shape === key ? known.hints : [])
    // A short run says little about which predictions fit.
    if (steps >= FEW_STEPS) known = { shape: key, hints: found.predictors }
    const header = Buffer.from(
      `${JSON.stringify({ shape, predictors: found.predictors, masks: found.masks })}\n`,
      "utf8",
    )
    const content = Buffer.concat([header, found.planes])
    if (content.length > MAX_COLUMN_BYTES) return undefined
    return {
      bytes: content.length,
      digest: crypto.hash("sha256", content, "hex"),
      columns: zlib.deflateRawSync(content, { level: 6 }).toString("base64"),
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

const FEW_STEPS = 16

/** A patch of replacements becomes an object by path, so that each path has a column. */
const rowOf = ({ action, result, error, patch, readings }: Step): JsonObject => ({
  action,
  result,
  ...(error === undefined ? {} : { error }),
  ...(patch.every(({ op }) => op === "replace") && new Set(patch.map(({ path }) => path)).size === patch.length
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
export const readerOf = ({ steps, bytes, digest, columns }: Content): StepReader => {
  if (!Number.isInteger(steps) || steps < 0 || steps > MAX_STEPS) {
    throw new Error(`it says that it holds ${steps} steps, and no event holds more than ${MAX_STEPS}`)
  }
  const content = inflated(columns, bytes)
  if (crypto.hash("sha256", content, "hex") !== digest) throw new Error("its columns do not have their digest")
  const end = content.indexOf(LINE_FEED)
  if (end < 0) throw new Error("its columns have no header")
  const { shape, predictors, masks } = ColumnHeader.read(content.subarray(0, end).toString("utf8"), steps)
  const planes = content.subarray(end + 1)
  const size = NumberColumns.sizeOf(masks, steps)
  if (planes.length !== size)
    throw new Error(`its columns have ${planes.length} bytes, expected ${size} for ${steps} steps`)
  const column = NumberColumns.decoder({ predictors, masks, planes }, steps)
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

const inOrder = (column: (index: number) => Float64Array, from: number): (() => Float64Array) => {
  let at = from
  return () => column(at++)
}

/** A part of all steps. Its columns are decoded when someone reads it. */
class Part implements FieldReader {
  readonly field: Field
  readonly #column: (index: number) => Float64Array
  /** The index of its first column. */
  readonly #at: number
  #read: Reader | undefined
  #fields: ReadonlyArray<FieldReader> | undefined

  constructor(field: Field, column: (index: number) => Float64Array, at: number) {
    this.field = field
    this.#column = column
    this.#at = at
  }

  get key(): string {
    return this.field.key
  }

  get has(): Float64Array | undefined {
    return this.field.has === true ? this.#column(this.#at) : undefined
  }

  /** Its own parts; undefined if it is no object. */
  fields(): ReadonlyArray<FieldReader> | undefined {
    const { shape, has } = this.field
    if (shape.kind !== "object") return undefined
    this.#fields ??= joinFields(shape.fields, inOrder(this.#column, this.#at + (has === true ? 1 : 0)))
    return this.#fields
  }

  readonly read: Reader = (row) => {
    const fields = this.fields()
    if (fields !== undefined) return objectOf(fields, row)
    this.#read ??= join(this.field.shape, inOrder(this.#column, this.#at + (this.field.has === true ? 1 : 0)))
    return this.#read(row)
  }
}

const LINE_FEED = 10

const inflated = (columns: string, bytes: number): Buffer => {
  if (!Number.isInteger(bytes) || bytes < 0 || bytes > MAX_COLUMN_BYTES) {
    throw new Error(`its columns have ${bytes} bytes, and no event has more than ${MAX_COLUMN_BYTES}`)
  }
  const compressed = Buffer.from(columns, "base64")
  let content: Buffer
  try {
    content = zlib.inflateRawSync(compressed, { maxOutputLength: Math.max(1, bytes) })
  } catch (cause) {
    throw new Error(
      `its columns cannot be decompressed to ${bytes} bytes (${cause instanceof Error ? cause.message : cause})`,
    )
  }
  if (content.length !== bytes) throw new Error(`its columns have ${content.length} bytes, expected ${bytes}`)
  return content
}
