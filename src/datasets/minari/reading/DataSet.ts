/** Reads a data set of Minari, in each of its formats: its episodes in order, a part of their steps at a time. */

import * as fs from "node:fs"
import * as path from "node:path"
import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"
import { FILE } from "../Hdf5Episodes.ts"
import { NotRepresentable } from "../Leaves.ts"
import type { Metadata } from "../Metadata.ts"
import * as Arrow from "./Arrow.ts"
import { anything, type Column, Damaged, loggable, numbers, ofSpace } from "./Column.ts"
import * as Hdf5File from "./Hdf5File.ts"
import * as Parquet from "./Parquet.ts"

/** Maximum number of steps in an episode. */
export const MAX_STEPS = 10_000_000

/** Maximum size of an episode's file in Arrow or Parquet, in bytes: it is read whole. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

const MAX_METADATA_BYTES = 1024 * 1024

/** A step of an episode. */
export interface Step {
  readonly action: Json
  readonly reward: number
  readonly terminated: boolean
  readonly truncated: boolean
  readonly info: JsonObject
  /** The observation after it. */
  readonly observation: Json
}

/** An episode of a data set. */
export interface Episode {
  readonly index: number
  /** Null if the data set has none, or one beyond exact integers. */
  readonly seed: number | null
  readonly options: JsonObject
  readonly steps: number
  /** The observation and the information after the reset. */
  readonly first: Json
  readonly info: JsonObject
  /** The steps from `from` to below `to`. Throws `Damaged`. */
  readonly read: (from: number, to: number) => ReadonlyArray<Step>
}

/** The files with the data next to `metadata.json`, in order. Links are not among them. */
export const files = (directory: string, { format }: Pick<Metadata, "format">): ReadonlyArray<string> => {
  if (format === "hdf5") return [path.join(directory, FILE)]
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^\d{1,9}$/.test(entry.name))
    .map(({ name }) => Number(name))
    .sort((a, b) => a - b)
    .flatMap((index) => {
      const episode = path.join(directory, String(index))
      return [path.join(episode, `part-0.${format}`), path.join(episode, EPISODE)]
    })
}

const EPISODE = "metadata.json"

/**
 * The episodes of a data set, in order. Rejects with `Damaged` at the first that is not what its metadata promise, and
 * with `NoHdf5` where HDF5 needs a package that is not installed.
 */
export const episodes = (directory: string, metadata: Metadata): AsyncGenerator<Episode> =>
  metadata.format === "hdf5" ? ofHdf5(directory, metadata) : ofFiles(directory, metadata)

async function* ofHdf5(directory: string, metadata: Metadata): AsyncGenerator<Episode> {
  const name = path.join(directory, FILE)
  checkFile(name, Number.POSITIVE_INFINITY)
  const file = await Hdf5File.open(name)
  try {
    const indexes = file.names
      .flatMap((group) => /^episode_(\d{1,9})$/.exec(group)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b)
    for (const index of indexes) {
      const group = `episode_${index}`
      const attributes = file.attributes(group)
      const options = Object.fromEntries(
        [...attributes].flatMap(([key, value]) =>
          key.startsWith("options/") ? [[key.slice("options/".length), attributeOf(value)]] : [],
        ),
      )
      yield naming(`episode ${index}`, () =>
        episodeOf(index, file.episode(group), metadata, { seed: attributeOf(attributes.get("seed")), options }),
      )
    }
  } finally {
    file.close()
  }
}

const attributeOf = (value: unknown): Json => {
  if (typeof value === "bigint") return Number(value)
  return typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : null
}

async function* ofFiles(directory: string, metadata: Metadata): AsyncGenerator<Episode> {
  const all = files(directory, metadata)
  for (let place = 0; place < all.length; place += 2) {
    const [data = "", about = ""] = all.slice(place, place + 2)
    const index = Number(path.basename(path.dirname(data)))
    checkFile(data, MAX_FILE_BYTES)
    const bytes = fs.readFileSync(data)
    const stated = metadataIn(about)
    const columns = await namingAsync(`episode ${index}`, async () =>
      metadata.format === "arrow" ? Arrow.columns(bytes) : Parquet.columns(bytes, MAX_STEPS + 1),
    )
    const { seed = null, options = {} } = stated
    yield naming(`episode ${index}`, () =>
      episodeOf(index, withoutPadding(columns), metadata, { seed, options: asObject(options) }),
    )
  }
}

/** An episode's file must be a file of this directory: no link, pipe or device, and not too large to read. */
const checkFile = (file: string, maxBytes: number): void => {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  const name = path.join(path.basename(path.dirname(file)), path.basename(file))
  if (stat === undefined) throw new Damaged(`no file ${name}`)
  if (!stat.isFile()) throw new Damaged(`${name}, which is a link or no file`)
  if (stat.size > maxBytes) throw new Damaged(`${name} of ${stat.size} bytes, where ${maxBytes} are the most`)
}

const metadataIn = (file: string): JsonObject => {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return {}
  if (!stat.isFile() || stat.size > MAX_METADATA_BYTES)
    throw new Damaged(`${path.basename(file)} that is no small file`)
  try {
    return asObject(loggable(JSON.parse(fs.readFileSync(file, "utf8"))))
  } catch {
    throw new Damaged(`${path.basename(path.dirname(file))}/${EPISODE} that is no JSON`)
  }
}

/** The last row of actions, rewards and flags stands next to the last observation, and means nothing. */
const withoutPadding = (columns: ReadonlyMap<string, Column>): ReadonlyMap<string, Column> =>
  new Map(
    [...columns].map(([name, column]) =>
      PADDED.has(name) ? [name, { ...column, rows: Math.max(0, column.rows - 1) }] : [name, column],
    ),
  )

const PADDED: ReadonlySet<string> = new Set(["actions", "rewards", "terminations", "truncations"])

interface Stated {
  readonly seed: Json
  readonly options: JsonObject
}

const episodeOf = (
  index: number,
  columns: ReadonlyMap<string, Column>,
  { observation, action }: Metadata,
  { seed, options }: Stated,
): Episode => {
  const column = (name: string): Column => {
    const found = columns.get(name)
    if (found === undefined) throw new Damaged(`no column ${name}`)
    return found
  }
  const rewards = column("rewards")
  const steps = rewards.rows
  if (steps > MAX_STEPS) throw new Damaged(`${steps} steps, where ${MAX_STEPS} are the most`)
  const flags = [column("terminations"), column("truncations")] as const
  for (const [name, { rows }] of [
    ["terminations", flags[0]],
    ["truncations", flags[1]],
  ] as const)
    if (rows !== steps) throw new Damaged(`${rows} rows of ${name} for ${steps} rewards`)
  const observed = ofSpace(observation, column("observations"), "observations")
  const acted = ofSpace(action, column("actions"), "actions")
  const infos = columns.get("infos")
  const infosOf = (from: number, to: number): ReadonlyArray<Json> =>
    infos === undefined || infos.rows < to ? [] : anything(infos, from, to)
  return {
    index,
    seed: typeof seed === "number" && Number.isSafeInteger(seed) ? seed : null,
    options,
    steps,
    first: observed(0, 1)[0] ?? null,
    info: asObject(infosOf(0, 1)[0]),
    read: (from, to) => {
      const [after, actions, notes] = [observed(from + 1, to + 1), acted(from, to), infosOf(from + 1, to + 1)]
      const given = numbers(rewards, "rewards", from, to)
      const [ended, cut] = [numbers(flags[0], "terminations", from, to), numbers(flags[1], "truncations", from, to)]
      return given.map((reward, row) => {
        if (!Number.isFinite(reward)) throw new Damaged(`a reward that is ${reward}, at step ${from + row}`)
        return {
          ...{ action: actions[row] ?? null, reward, info: asObject(notes[row]), observation: after[row] ?? null },
          terminated: ended[row] !== 0,
          truncated: cut[row] !== 0,
        }
      })
    },
  }
}

const naming = <A>(what: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw named(what, cause)
  }
}

const namingAsync = async <A>(what: string, run: () => Promise<A>): Promise<A> => {
  try {
    return await run()
  } catch (cause) {
    throw named(what, cause)
  }
}

const named = (what: string, cause: unknown): unknown =>
  cause instanceof Damaged || cause instanceof NotRepresentable ? new Damaged(`${what}: ${cause.message}`) : cause
