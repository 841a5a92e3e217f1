/** Attempts of a replayed program to reach the network. */

import * as fs from "node:fs"
import { Data, Schema } from "effect"

export const NetworkAttempt = Schema.Struct({
  means: Schema.Literal("connection", "datagram", "name lookup"),
  /** `api.example.com:443`, or the name looked up. */
  target: Schema.String,
  /**
   * The first stack frame in the program's own code, such as `load (/home/ann/agent.mjs:3:5)`; null if there is none.
   */
  at: Schema.NullOr(Schema.String),
  /** Empty if the program's language does not report it. */
  stack: Schema.String,
})

export type NetworkAttempt = typeof NetworkAttempt.Type

/** Reads a file with one attempt a line; none if there is no such file. */
export const read = (file: string): ReadonlyArray<NetworkAttempt> => {
  if (!fs.existsSync(file)) return []
  const lines = fs.readFileSync(file, "utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => asAttempt(line))
}

// This version wrote it.
const asAttempt = Schema.decodeUnknownSync(Schema.parseJson(NetworkAttempt))

const MEANS = {
  connection: "a connection to",
  datagram: "a datagram to",
  "name lookup": "a lookup of the name",
} as const

export const described = ({ means, target }: Pick<NetworkAttempt, "means" | "target">): string =>
  `${MEANS[means]} ${target}`

/** The program tried to reach the network during a replay. Nothing was sent. */
export class NetworkClosed extends Data.TaggedError("NetworkClosed")<{
  readonly means: NetworkAttempt["means"]
  readonly target: string
  /** How to allow it, in one sentence. */
  readonly advice: string
}> {
  /** For programs that compare Node's error codes. */
  readonly code = "ERR_NETWORK_CLOSED"

  override get message() {
    return `A replay has no network access: expected only requests that the recording answers, found ${described(this)}. ${this.advice}`
  }
}

/** The first stack frame outside Node and, if possible, outside packages. */
export const ownStackFrame = (stack: string): string | null => {
  const frames = stack
    .split("\n")
    .map((line) => /^\s+at (?:async )?(.+)$/.exec(line)?.[1] ?? "")
    .filter((frame) => frame !== "" && !/(^|\()(node:|<anonymous>)/.test(frame))
  const own = frames.find((frame) => !/[\\/]node_modules[\\/]/.test(frame)) ?? frames[0]
  return own === undefined ? null : own.replace("file://", "")
}

export interface Tried extends Pick<NetworkAttempt, "means" | "target" | "at"> {
  readonly what: string
}

export const distinct = (attempts: ReadonlyArray<NetworkAttempt>): ReadonlyArray<Tried> => {
  const found = new Map<string, Tried>()
  for (const { means, target, at } of attempts) {
    const what = described({ means, target })
    if (!found.has(what)) found.set(what, { what, means, target, at })
  }
  return [...found.values()]
}

/** Lines for people: each target once, with its count and first place. */
export const summary = (attempts: ReadonlyArray<NetworkAttempt>): ReadonlyArray<string> => {
  const groups = new Map<string, Array<NetworkAttempt>>()
  for (const attempt of attempts) {
    const key = described(attempt)
    groups.set(key, [...(groups.get(key) ?? []), attempt])
  }
  return [...groups].map(([what, group]) => {
    const times = group.length === 1 ? "" : `, ${group.length} times`
    const { at = null, stack = "" } = group[0] ?? {}
    if (stack === "") return `${what}${times}`
    return `${what}${times}, ${at === null ? "from outside the program's code" : `at ${at}`}`
  })
}
