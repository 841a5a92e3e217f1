/** Writes trajectories as a Minari data set: a directory that appears once it is complete. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import type { EpisodeWriter } from "../../../datasets/minari/EpisodeWriter.ts"
import { NoHdf5 } from "../../../datasets/minari/Hdf5.ts"
import * as Hdf5Episodes from "../../../datasets/minari/Hdf5Episodes.ts"
import { NotRepresentable } from "../../../datasets/minari/Leaves.ts"
import * as Metadata from "../../../datasets/minari/Metadata.ts"
import * as ParquetEpisodes from "../../../datasets/minari/ParquetEpisodes.ts"
import type { Space } from "../../../plugins/author.ts"
import { isSpace } from "../../../plugins/spaces/Space.ts"
import type { Trajectory } from "../../../projections/exports/trajectories/Trajectory.ts"
import { type Json, valueAt } from "../../../values/Json.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as OpenLog from "../../command/OpenLog.ts"

/** The formats of the data within; the first is the default. */
export const DATA = ["parquet", "hdf5"] as const

/** A data set cannot be written. Nothing is left of it. */
export class NotWritten extends Data.TaggedError("NotWritten")<{
  readonly directory: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.directory}: expected ${this.expected}, found ${this.found}. Nothing was written.`
  }
}

/** What to write. */
export interface DataSet {
  /** The root of data sets, `MINARI_DATASETS_PATH` for Minari. */
  readonly root: string
  /** Default: `hindcast/<world>-v0`. */
  readonly id: string | undefined
  readonly data: (typeof DATA)[number]
  readonly force: boolean
  /** The manifests of worlds by plugin. */
  readonly manifestOf: (world: string) => Json | undefined
}

/** A written data set. */
export interface Written {
  readonly id: string
  readonly directory: string
  readonly episodes: number
  readonly steps: number
  readonly bytes: number
  /** Episodes that have other spaces than the first. */
  readonly otherSpaces: number
}

interface Spaces {
  readonly observation: Space
  readonly action: Space
}

/** Takes trajectories of one world, in order. */
export interface Writer {
  readonly add: (trajectory: Trajectory) => Effect.Effect<void, NotWritten | BadInput>
}

/**
 * Writes a data set. It fails without one episode, if the trajectories are of several worlds, or if the world's spaces
 * have no form in Minari.
 */
export const write = <E, R>(
  set: DataSet,
  body: (writer: Writer) => Effect.Effect<unknown, E, R>,
): Effect.Effect<Written, E | NotWritten | BadInput, R | OpenLog.Shared> => {
  const writing = Effect.acquireUseRelease(
    Effect.sync(() => new Writing(set)),
    (open) =>
      Effect.zipRight(
        body({ add: (trajectory) => open.attempt(() => open.add(trajectory)) }),
        open.attempt(() => open.commit()),
      ),
    // A failure to remove it hides no other: the export failed before.
    (open) => Effect.ignore(Effect.tryPromise(() => open.discard())),
  )
  return Effect.zipRight(OpenLog.Shared, writing)
}

class Writing {
  readonly #set: DataSet
  #world: string | undefined
  #spaces: Spaces | undefined
  #text = ""
  #writer: EpisodeWriter | undefined
  #partial: string | undefined
  /** The outermost directory that was made for it. */
  #made: string | undefined
  #episodes = 0
  #steps = 0
  #otherSpaces = 0
  readonly #agents = new Set<string>()

  constructor(set: DataSet) {
    this.#set = set
  }

  get #id(): string {
    return this.#set.id ?? `hindcast/${this.#world ?? "none"}-v0`
  }

  get #directory(): string {
    return path.join(this.#set.root, ...this.#id.split("/"))
  }

  readonly attempt = <A>(run: () => Promise<A>): Effect.Effect<A, NotWritten | BadInput> =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => {
        if (cause instanceof NotWritten || cause instanceof BadInput) return cause
        const found = cause instanceof Error ? cause.message : String(cause)
        const expected =
          cause instanceof NoHdf5
            ? undefined
            : cause instanceof NotRepresentable
              ? "values that Minari can hold"
              : "a place to write a data set"
        if (expected === undefined)
          return new BadInput({ input: "--data hdf5", expected: found, found: "no such package" })
        return new NotWritten({ directory: this.#directory, expected, found })
      },
    })

  async add(trajectory: Trajectory): Promise<void> {
    const { world, steps, first, agent } = trajectory
    if (this.#world !== undefined && this.#world !== world)
      throw new BadInput({
        input: "--plugin",
        expected: "the world to export, because a data set holds one",
        found: `episodes of ${this.#world} and of ${world}`,
      })
    this.#world = world
    const spaces = this.#spacesOf(trajectory)
    const text = JSON.stringify(spaces)
    if (this.#spaces === undefined) await this.#begin(spaces, text)
    if (text !== this.#text) {
      this.#otherSpaces += 1
      return
    }
    await this.#writer?.write(this.#episodes, {
      seed: trajectory.seed,
      options: trajectory.options,
      observations: [first, ...steps.map(({ observation }) => observation)],
      actions: steps.map(({ action }) => action),
      rewards: steps.map(({ reward }) => reward),
      terminations: steps.map(({ terminated }) => terminated),
      truncations: steps.map(({ truncated }) => truncated),
    })
    this.#episodes += 1
    this.#steps += steps.length
    if (this.#agents.size < MAX_AGENTS) this.#agents.add(agent)
  }

  #spacesOf({ world, spaces, taskId }: Trajectory): Spaces {
    const stated = spaces ?? valueAt(this.#set.manifestOf(world) ?? {}, ["peas", "environment", "spaces"])
    const { observation, action } = (typeof stated === "object" && stated !== null ? stated : {}) as Partial<Spaces>
    if (isSpace(observation) && isSpace(action)) return { observation, action }
    throw new NotWritten({
      directory: this.#set.root,
      expected: `the spaces of ${world}, which Minari requires`,
      found: `none in its manifest or in task ${taskId}`,
    })
  }

  async #begin(spaces: Spaces, text: string): Promise<void> {
    if (!Metadata.ID.test(this.#id))
      throw new BadInput({
        input: `--id ${this.#id}`,
        expected: "a name with a version, such as cartpole/mine-v0",
        found: "another name",
      })
    const found = await fs.lstat(this.#directory).catch(() => undefined)
    if (found !== undefined && !(this.#set.force && found.isDirectory()))
      throw new NotWritten({
        directory: this.#directory,
        expected: "a data set that does not exist yet (--force replaces it)",
        found: "one",
      })
    this.#partial = `${this.#directory}.partial-${process.pid}`
    const data = path.join(this.#partial, "data")
    this.#made = await fs.mkdir(data, { recursive: true })
    this.#spaces = spaces
    this.#text = text
    const { observation, action } = spaces
    this.#writer =
      this.#set.data === "hdf5"
        ? await Hdf5Episodes.open(data, observation, action)
        : ParquetEpisodes.open(data, observation, action)
  }

  async commit(): Promise<Written> {
    const [partial, spaces] = [this.#partial, this.#spaces]
    if (partial === undefined || spaces === undefined)
      throw new NotWritten({
        directory: this.#set.root,
        expected: "an episode of a world that ended",
        found: "none in the log",
      })
    const size = (await this.#writer?.close()) ?? 0
    const [episodes, steps] = [this.#episodes, this.#steps]
    const text = Metadata.encode({
      ...{ id: this.#id, format: this.#set.data, ...spaces, episodes, steps, bytes: size },
      agents: [...this.#agents],
      description: `Episodes of the world ${this.#world ?? ""}, recorded and exported by Hindcast`,
    })
    await fs.writeFile(path.join(partial, "data", "metadata.json"), text)
    if (this.#set.force) await fs.rm(this.#directory, { recursive: true, force: true })
    await fs.rename(partial, this.#directory)
    this.#partial = undefined
    const bytes = size + Buffer.byteLength(text)
    return { id: this.#id, directory: this.#directory, episodes, steps, bytes, otherSpaces: this.#otherSpaces }
  }

  async discard(): Promise<void> {
    if (this.#partial === undefined) return
    await this.#writer?.close()
    await fs.rm(this.#made ?? this.#partial, { recursive: true, force: true })
  }
}

/** Agents that the metadata names. */
const MAX_AGENTS = 16

/** The manifest of a world in a registry. */
export const manifestIn =
  (registry: { readonly [plugin: string]: { readonly manifest: Json } }) =>
  (world: string): Json | undefined =>
    SafeRecord.get(registry, world)?.manifest
