/**
 * Which lines of a file somebody wrote, as another program states it. The document of such a record is partial: it has
 * line numbers of one revision, without contents, and nothing checks them.
 */

import type { Lack } from "../../events/vocabulary/Notes.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { APPROVALS, MODELS } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import type { LineRange } from "./LineRanges.ts"

export const KINDS = ["ai", "human", "mixed", "unknown"] as const

export interface Attribution {
  readonly path: string
  readonly ranges: ReadonlyArray<LineRange>
  readonly by: (typeof KINDS)[number]
  readonly agent?: string | undefined
  /** Absent if unknown. */
  readonly model?: string | undefined
  /** The source's name of the conversation or session. */
  readonly conversation?: string | undefined
  /** The source's id of the single edit. */
  readonly trace?: string | undefined
}

export interface AttributedRevision {
  /** The source's id of the record. */
  readonly id: string
  readonly at: number | null
  /** The kind of version control and the revision whose lines are counted, such as `git` and a commit. */
  readonly revision?: { readonly type: string; readonly revision: string } | undefined
  readonly attributions: ReadonlyArray<Attribution>
  /** Distinguishes this content of the record from a later one. */
  readonly digest: string
}

/** The gaps of every record of attributions. */
export const LACKS: ReadonlyArray<Lack> = [
  MODELS,
  APPROVALS,
  { what: "calls and prompts", why: "the source has which lines somebody wrote, and not how" },
  { what: "contents", why: "the source has line numbers of a revision, and no text" },
]

/** Adds a task whose document holds the attributions. */
export const map = (runs: MappedRuns, { id, at, revision, attributions, digest }: AttributedRevision): void => {
  const of = revision === undefined ? "an unknown revision" : `${revision.type} ${revision.revision}`
  const agents = [...new Set(attributions.flatMap(({ agent }) => agent ?? []))]
  const [only = "unknown"] = agents
  const run = runs.open({
    id,
    goal: `Lines of ${of}`,
    agent: agents.length > 1 ? "several agents" : only,
    at,
    about: { ...(revision === undefined ? {} : { vcs: { ...revision } }) },
  })
  run.environment.stateSet(`attributions:${digest}`, documentOf(revision, attributions), at)
  run.close(`end:${digest}`, "abandoned", "a record of attributions: how its sessions ended is not in it", at)
}

const documentOf = (revision: AttributedRevision["revision"], attributions: ReadonlyArray<Attribution>): JsonObject => {
  const files = new Map<string, Array<Json>>()
  for (const { path, ranges, ...who } of attributions) {
    const entries = files.get(path) ?? []
    entries.push({ ...defined(who), by: who.by, ranges: ranges.map((range) => [...range]) })
    files.set(path, entries)
  }
  return {
    partial: true,
    ...(revision === undefined ? {} : { vcs: { ...revision } }),
    // Safe for a path `__proto__`.
    files: Object.fromEntries(files),
  }
}
