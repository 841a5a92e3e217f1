/** `metadata.json` of a Minari data set: what it states, and the spaces, which are JSON in text. */

import type { Nested, Space } from "../../plugins/author.ts"
import { flaws, isSpace } from "../../plugins/spaces/Space.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"

/** The formats in which Minari stores episodes. */
export const FORMATS = ["hdf5", "arrow", "parquet"] as const

export type Format = (typeof FORMATS)[number]

/** The version of Minari whose format Hindcast writes. */
export const MINARI_VERSION = "0.5.4"

/** What Hindcast reads of a data set's metadata. */
export interface Metadata {
  readonly id: string
  readonly format: Format
  readonly observation: Space
  readonly action: Space
  /** Episodes and steps as stated; the data may have others. */
  readonly episodes: number
  readonly steps: number
  /** The id of the environment, such as `CartPole-v1`, if it is stated. */
  readonly environment: string | undefined
  /** The name of the algorithm that acted. */
  readonly algorithm: string | undefined
  /** Whether images are stored as JPEG. */
  readonly jpeg: boolean
}

/** The metadata is not what Minari writes, or not what Hindcast reads. */
export class NotMinari extends Error {
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
  }
}

/** Whether a document looks like the metadata of a data set. */
export const looksLikeMetadata = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "minari_version" in value &&
  "data_format" in value &&
  "total_episodes" in value

/** Decodes the metadata. Throws `NotMinari` with what was expected and found. */
export const decode = (document: Json): Metadata => {
  const of = asObject(document)
  const text = (name: string) => (typeof of[name] === "string" ? of[name] : undefined)
  const format = FORMATS.find((one) => one === of.data_format)
  if (format === undefined)
    throw new NotMinari(`data_format ${FORMATS.join(", ")}`, JSON.stringify(of.data_format ?? null))
  const spec = specOf(text("env_spec"))
  return {
    id: text("dataset_id") ?? "",
    format,
    observation: spaceIn(of, "observation_space"),
    action: spaceIn(of, "action_space"),
    episodes: countIn(of, "total_episodes"),
    steps: countIn(of, "total_steps"),
    environment: typeof spec.id === "string" ? spec.id : undefined,
    algorithm: text("algorithm_name"),
    jpeg: of.jpeg_encoding !== false,
  }
}

const countIn = (of: JsonObject, name: string): number => {
  const value = of[name]
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value
  throw new NotMinari(`a count in ${name}`, JSON.stringify(value ?? null))
}

const spaceIn = (of: JsonObject, name: string): Space => {
  const text = of[name]
  if (typeof text !== "string")
    throw new NotMinari(
      `a space in ${name}`,
      "none; Hindcast does not make the environment of env_spec to ask it for its spaces",
    )
  const space = parsed(text)
  if (isSpace(space)) return space
  const [flaw] = flaws(space)
  throw new NotMinari(`a space in ${name}`, `a flaw at ${flaw?.path ?? ""}/: ${flaw?.message ?? "another value"}`)
}

const specOf = (text: string | undefined): JsonObject => {
  if (text === undefined) return {}
  try {
    return asObject(parsed(text))
  } catch {
    return {}
  }
}

/** Minari writes infinities as bare words, which JSON lacks; texts of the document stay as they are. */
const BARE = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text.replace(BARE, (token) => (token.startsWith('"') ? token : `"${token}"`)))
  } catch (cause) {
    throw new NotMinari("a space in JSON", cause instanceof Error ? cause.message : String(cause))
  }
}

/** A space as Minari writes it: JSON in which infinities are bare words. */
export const spaceText = (space: Space): string =>
  JSON.stringify(asMinari(space)).replace(BARE, (token) => (INFINITE.has(token) ? token.slice(1, -1) : token))

const INFINITE: ReadonlySet<string> = new Set(['"Infinity"', '"-Infinity"'])

const asMinari = (space: Space): Json => {
  switch (space.type) {
    case "Box": {
      const { type, dtype, shape, low, high } = space
      return { type, dtype, shape, low: filled(low, shape), high: filled(high, shape) }
    }
    case "Discrete":
      return { type: "Discrete", dtype: "int64", start: space.start ?? 0, n: space.n }
    case "MultiDiscrete": {
      const { nvec, start = zeros(nvec), dtype = "int64" } = space
      return { type: "MultiDiscrete", dtype, nvec, start }
    }
    case "MultiBinary":
      return { type: "MultiBinary", n: space.n }
    case "Text":
      return {
        type: "Text",
        max_length: space.max_length,
        min_length: space.min_length ?? 1,
        charset: space.charset ?? PRINTABLE,
      }
    case "Dict":
      return {
        type: "Dict",
        subspaces: Object.fromEntries(Object.entries(space.subspaces).map(([key, one]) => [key, asMinari(one)])),
      }
    case "Tuple":
      return { type: "Tuple", subspaces: space.subspaces.map(asMinari) }
    default:
      throw new NotMinari("a space that Minari writes", space.type)
  }
}

/** A bound for every entry, where one stands for all. */
const filled = (bound: Nested<number | string | boolean>, [length, ...shape]: ReadonlyArray<number>): Json => {
  if (length === undefined || Array.isArray(bound)) return bound as Json
  return Array.from({ length }, () => filled(bound, shape))
}

const zeros = (nested: Nested): Nested => (Array.isArray(nested) ? nested.map(zeros) : 0)

/** The characters of a text space that allows all: Minari has to name them. */
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)).join("")

/** Ids of data sets: a name of letters, digits, `_` and `-`, with its version, in namespaces of at least two characters. */
export const ID = /^(?:[\w-]{2,}\/)*[A-Za-z0-9_-]+-v\d+$/

/** The contents of a written `metadata.json`. */
export interface Written {
  readonly id: string
  readonly format: Format
  readonly observation: Space
  readonly action: Space
  readonly episodes: number
  readonly steps: number
  readonly bytes: number
  readonly agents: ReadonlyArray<string>
  readonly description: string
}

/** The text of `metadata.json`. */
export const encode = (written: Written): string =>
  `${JSON.stringify({
    total_episodes: written.episodes,
    total_steps: written.steps,
    data_format: written.format,
    jpeg_encoding: false,
    observation_space: spaceText(written.observation),
    action_space: spaceText(written.action),
    dataset_size: Math.round(written.bytes / 100_000) / 10,
    dataset_id: written.id,
    algorithm_name: written.agents.join(", "),
    description: written.description,
    minari_version: MINARI_VERSION,
  })}\n`
