/** Declares which parts of a run a format contains. Every task of the format records it. */

import type { PairingRule } from "../../events/vocabulary/Inference.ts"
import type { Lack, Unseen } from "../../events/vocabulary/Notes.ts"

export interface FormatCapture {
  /** How its results are paired with calls; null if one record has both. */
  readonly pairing: PairingRule | null
  /** What no file of the format has. */
  readonly lacks: ReadonlyArray<Lack>
}

/** In every declaration: no format sees the world. */
export const WORLD: Lack = {
  what: "what tools changed",
  why: "the source has their results; of changes it has the reads and edits of files at most",
}

export const INSTRUCTIONS: Lack = { what: "the agent's instructions", why: "the source has no system prompt" }

export const DEFINITIONS: Lack = {
  what: "definitions of tools",
  why: "the source does not have what the model was told of its tools",
}

export const SETTINGS: Lack = {
  what: "settings of requests",
  why: "the source has no temperature, limits and the like",
}

export const REQUESTS: Lack = {
  what: "requests as they were sent",
  why: "the source has the conversation: a request holds what was said since the one before",
}

export const APPROVALS: Lack = {
  what: "who allowed a call",
  why: "the source names no rule or person that let a call pass",
}

export const TOOL_TIMES: Lack = {
  what: "how long a tool worked",
  why: "a call takes from its record to that of its result",
}

export const TIMES: Lack = { what: "times", why: "the source has none: the events have the time of their import" }

export const TOKENS: Lack = { what: "tokens", why: "the source does not count them" }

/** For sources that have only a command's output. */
export const FAILURES: Lack = {
  what: "whether a command failed",
  why: "the source has what a command printed, and not how it ended: each one counts as done",
}

export const UNTRACED: Lack = {
  what: "what was not traced",
  why: "the source has the spans that its program exported: whether there were others, nothing says",
}

/** For records that come over a network. */
export const SENDER: Lack = {
  what: "who sent the telemetry",
  why: "any program that reaches the receiver can send records of any session: its approvals are claims",
}

export const MODELS: Lack = { what: "requests to models", why: "the source has actions, and nothing of a model" }

export const UNMAPPED: Lack = {
  what: "what the mapping does not name",
  why: "nobody but the mapping knows what its source has",
}

/** What mapping lost, counted. */
export interface MappingCounts {
  /** Omitted records by kind and reason. */
  readonly leftOut: ReadonlyMap<string, number>
  readonly remarks: ReadonlyMap<string, number>
  /** Values shortened or replaced. */
  readonly cut: number
}

/** The counts in the form that a task records. */
export const unseenOf = ({ leftOut, remarks, cut }: MappingCounts): ReadonlyArray<Unseen> => [
  ...[...leftOut].map(([reason, count]) => ({ what: LEFT_OUT, target: reason, count })),
  ...[...remarks].map(([remark, count]) => ({ what: REMARK, target: remark, count })),
  ...(cut === 0 ? [] : [{ what: "a value cut", target: "it is too long, too deep or damaged", count: cut }]),
]

const LEFT_OUT = "a record left out"
const REMARK = "a remark of the import"
