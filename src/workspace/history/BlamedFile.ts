/** A file's lines with the calls that they come from, and the agent's readings before. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Attribution } from "./Blame.ts"
import type { FileBlame } from "./FileBlame.ts"
import type { FileVersion } from "./FileVersions.ts"
import * as Origin from "./Origin.ts"
import * as Readings from "./Readings.ts"

export interface BlamedLine {
  /** From 1 on. */
  readonly line: number
  readonly text: string
  readonly from: Attribution<FileVersion>
}

export interface BlamedFile {
  readonly lines: ReadonlyArray<BlamedLine>
  /** For the versions that the lines name. */
  readonly origins: ReadonlyMap<FileVersion, Origin.Origin>
  /** For versions that one call wrote, if the caller asked for them. */
  readonly readings: ReadonlyMap<FileVersion, Readings.Reading>
  readonly hasDropped: boolean
}

export interface BlameOptions {
  /** The first and the last line. Default: all. */
  readonly first?: number | undefined
  readonly last?: number | undefined
  /** Whether to look for the agent's readings. */
  readonly read: boolean
}

/** Finds the origins of lines. Empty if the range contains no line. */
export const of = (
  log: Pick<EventLog.Service, "find" | "read">,
  versions: ReadonlyArray<FileVersion>,
  { lines: blamed, hasDropped }: FileBlame,
  { first = 1, last = blamed.length, read }: BlameOptions,
): Effect.Effect<BlamedFile, LogError> =>
  Effect.gen(function* () {
    const lines = blamed.map((one, index) => ({ line: index + 1, ...one })).slice(first - 1, last)
    const { originOf } = Origin.finder(log)
    const origins = new Map<FileVersion, Origin.Origin>()
    const readings = new Map<FileVersion, Readings.Reading>()
    for (const { from } of lines) {
      const version = versionOf(from)
      if (version === undefined || origins.has(version)) continue
      const origin = yield* originOf(version.look)
      origins.set(version, origin)
      const [call] = origin.calls
      if (read && call !== undefined && origin.kind === "call")
        readings.set(version, yield* Readings.before(log, call, version, versions))
    }
    return { lines, origins, readings, hasDropped }
  })

/** The version that says most about a line's origin. */
export const versionOf = (from: Attribution<FileVersion>): FileVersion | undefined => {
  switch (from.kind) {
    case "seen":
      return from.origin
    case "unknown":
      return from.since
    case "too-different":
      return from.version
    case "not-seen":
      return undefined
  }
}
