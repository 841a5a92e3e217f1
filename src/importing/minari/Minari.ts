/**
 * Data sets of Minari, in HDF5, Arrow and Parquet: an episode is a task, and its steps are recorded in compact form, as
 * those of a rollout. The files hold observations, actions, rewards, flags and information, and nothing of the world.
 */

import * as path from "node:path"
import { NotRepresentable } from "../../datasets/minari/Leaves.ts"
import * as Metadata from "../../datasets/minari/Metadata.ts"
import { Damaged } from "../../datasets/minari/reading/Column.ts"
import * as DataSet from "../../datasets/minari/reading/DataSet.ts"
import { type Encoded, encoder, type Step } from "../../events/steps/StepColumns.ts"
import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import type { Space } from "../../plugins/author.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as Sum from "../../values/Sum.ts"
import { APPROVALS, TIMES, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { logJson, nameFrom } from "../runs/Untrusted.ts"
import {
  type DataFiles,
  type FileHead,
  type Mapper,
  type Source,
  type SourceFile,
  type SourceRecord,
  Unmappable,
} from "../Source.ts"

export const minari: Source = {
  name: "minari",
  title: "data set of Minari (its metadata.json)",
  form: "dataset",
  capture: { pairing: null, lacks: [TIMES, APPROVALS, WORLD] },
  companions: ["../../namespace_metadata.json"],
  dataEndings: [".hdf5", ".arrow", ".parquet"],
  recognizes: ({ name, text, lines }: FileHead) =>
    name === "metadata.json" && (Metadata.looksLikeMetadata(lines[0]) || looksIndented(text)),
  dataset: (file, head) => dataFiles(path.dirname(file), head),
  open: (_: SourceFile, runs: MappedRuns): Mapper => {
    const mapping = new Mapping(runs)
    return { record: ({ value }) => mapping.take(value as Part), end: () => {} }
  },
}

const looksIndented = (text: string): boolean =>
  /"minari_version"/.test(text) && /"data_format"/.test(text) && /"total_episodes"/.test(text)

/** Steps of one record, and so of one event. */
const STEPS = 1024

interface Begins {
  readonly kind: "begins"
  readonly metadata: Metadata.Metadata
  readonly episode: DataSet.Episode
}

interface Steps {
  readonly kind: "steps"
  readonly first: number
  readonly steps: ReadonlyArray<DataSet.Step>
}

type Part = Begins | Steps

const dataFiles = (directory: string, head: unknown): DataFiles => {
  const metadata = decoded(head)
  return {
    files: DataSet.files(directory, metadata),
    records: async function* (): AsyncGenerator<SourceRecord> {
      for await (const episode of DataSet.episodes(directory, metadata)) {
        const where = `episode ${episode.index}`
        const begins: Begins = { kind: "begins", metadata, episode }
        yield { value: begins, where }
        // An episode without steps has one part, too, which ends it.
        for (let first = 0; first === 0 || first < episode.steps; first += STEPS) {
          const steps: Steps = { kind: "steps", first, steps: read(episode, first) }
          yield { value: steps, where }
        }
      }
    },
  }
}

const decoded = (head: unknown): Metadata.Metadata => {
  try {
    const metadata = Metadata.decode(logJson(head).json)
    if (!metadata.jpeg || ![metadata.observation, metadata.action].some(hasImages)) return metadata
  } catch (cause) {
    throw cause instanceof Metadata.NotMinari ? new Unmappable(cause.expected, cause.found) : cause
  }
  throw new Unmappable("a data set of numbers", "images as JPEG; write it with jpeg_encoding=False")
}

/** What Minari stores as an image: bytes of one or three channels. */
const hasImages = (space: Space): boolean => {
  if (space.type === "Dict") return Object.values(space.subspaces).some(hasImages)
  if (space.type === "Tuple") return space.subspaces.some(hasImages)
  if (space.type !== "Box" || space.dtype !== "uint8") return false
  const [, , channels] = space.shape
  return space.shape.length === 2 || (space.shape.length === 3 && (channels === 1 || channels === 3))
}

const read = ({ index, steps, read }: DataSet.Episode, first: number): ReadonlyArray<DataSet.Step> => {
  try {
    return read(first, Math.min(steps, first + STEPS))
  } catch (cause) {
    if (cause instanceof Damaged || cause instanceof NotRepresentable)
      throw new Damaged(`episode ${index}: ${cause.message}`)
    throw cause
  }
}

/** The episode being mapped. */
interface Episode {
  readonly run: MappedRun
  readonly plugin: string
  readonly of: DataSet.Episode
  readonly spaces: JsonObject
  earned: number
  lost: number
}

class Mapping {
  readonly #runs: MappedRuns
  readonly #encoder = encoder()
  #episode: Episode | undefined

  constructor(runs: MappedRuns) {
    this.#runs = runs
  }

  take(part: Part): void {
    if (part.kind === "begins") this.#begin(part)
    else this.#steps(part)
  }

  #begin({ metadata, episode }: Begins): void {
    const { id, environment, algorithm, observation, action } = metadata
    const plugin = nameFrom(environment ?? (id === "" ? "minari" : id))
    const run = this.#runs.open({
      id: `${id.replaceAll("/", ".")}@${episode.index}`,
      goal: `Act in ${environment ?? id}`,
      agent: `${nameFrom(algorithm === undefined || algorithm === "" ? "minari" : algorithm)}@unknown`,
      at: null,
      about: { dataset: id, episode: episode.index, ...defined({ environment }) },
    })
    const spaces = { observation, action } as unknown as JsonObject
    this.#episode = { run, plugin, of: episode, spaces, earned: 0, lost: 0 }
  }

  #steps({ first, steps }: Steps): void {
    const episode = this.#episode
    if (episode === undefined) return
    const { run, of } = episode
    const last = steps.at(-1)
    const isLast = first + steps.length >= of.steps
    const before = Sum.round(episode.earned - episode.lost)
    let total = before
    const mapped = steps.map((step, index) => {
      if (step.reward > 0) episode.earned += step.reward
      else episode.lost -= step.reward
      total = Sum.round(episode.earned - episode.lost)
      return stepOf(step, first + index + 1, total)
    })
    for (const [offset, part] of this.#encoded(mapped)) {
      const isEnd = isLast && offset + part.steps === steps.length
      run.stepped(
        {
          ...{ plugin: episode.plugin, first: first + offset, rule: "import", priorities: {} },
          ...part,
          ...(first + offset === 0 ? { begin: beginOf(episode) } : {}),
          ...(isEnd ? { totals: totalsOf(episode) } : {}),
        },
        null,
      )
    }
    if (!isLast) return
    this.#episode = undefined
    if (last === undefined) run.close("end", "abandoned", "the data set has no step of it", null)
    else if (last.terminated)
      run.close("end", "finished", "the episode was terminated; the source has no verdict", null)
    else if (last.truncated) run.close("end", "truncated", "the episode was truncated", null)
    else run.close("end", "abandoned", "the data set ends before the episode does", null)
  }

  /** Steps as columns, in halves until these fit. */
  #encoded(
    steps: ReadonlyArray<Step>,
    offset = 0,
  ): ReadonlyArray<readonly [number, Encoded & { readonly steps: number }]> {
    const encoded = this.#encoder.encode(steps)
    if (encoded !== undefined) return [[offset, { steps: steps.length, ...encoded }]]
    if (steps.length < 2) {
      this.#runs.leaveOut("step", "it is too large for one event")
      return []
    }
    const half = Math.ceil(steps.length / 2)
    return [...this.#encoded(steps.slice(0, half), offset), ...this.#encoded(steps.slice(half), offset + half)]
  }
}

const AGENT = "/episode/agents/agent"

/** A step with the changes of its document, which has what rules ask for: steps, status and return. */
const stepOf = (step: DataSet.Step, number: number, total: number): Step => {
  const { action, reward, terminated, truncated, info, observation } = step
  const status = terminated ? "terminated" : truncated ? "truncated" : "active"
  const patch: Array<PatchOperation> = [
    { op: "replace", path: "/episode/step", value: number },
    { op: "replace", path: `${AGENT}/return`, value: total },
    { op: "replace", path: `${AGENT}/status`, value: status },
  ]
  const result: JsonObject = { reward, rewards: { reward }, terminated, truncated, info }
  return { action, result, patch, readings: { observation } }
}

const beginOf = ({ of, spaces }: Episode) => {
  const { seed, options, first, info } = of
  const agents: Json = { agent: { status: "active", return: 0, spaces } }
  return {
    seed: seed ?? 0,
    options,
    state: { episode: { step: 0, info, agents } },
    readings: { observation: first },
    // Without a seed, nothing repeats the reset.
    ...(seed === null ? { continued: true as const } : {}),
  }
}

const totalsOf = ({ run, earned, lost }: Episode): JsonObject => {
  const [gained, gone] = [Sum.round(earned), Sum.round(lost)]
  return { [run.taskId]: { earned: gained, lost: gone, net: Sum.round(gained - gone), unscored: 0 } }
}
