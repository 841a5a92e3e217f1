/** Finds an agent's reading of a file before a call wrote it, and the changes since. */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Json } from "../../values/Json.ts"
import type { FileVersion } from "./FileVersions.ts"
import { sourceOf } from "./Looks.ts"
import type { Call } from "./Origin.ts"

export interface Reading {
  /** The last successful call before the writing one that named the file. */
  readonly read: { readonly command: Event; readonly outcome: Event } | undefined
  /** Changes of the file between that call's end and the writing call's end that no call of the task made. */
  readonly changedSince: ReadonlyArray<FileVersion>
}

/** The reading before a call that wrote a version of the file, in the call's own task. */
export const before = (
  log: Pick<EventLog.Service, "read">,
  { command }: Call,
  version: FileVersion,
  versions: ReadonlyArray<FileVersion>,
): Effect.Effect<Reading, LogError> =>
  Effect.gen(function* () {
    const names = new Set(versions.flatMap(({ path, look: { root } }) => [path, `./${path}`, `${root}/${path}`]))
    const requested = new Map<unknown, Event>()
    let read: Reading["read"]
    const types = ["ActuatorCommanded", "CommandSucceeded"]
    const query = { taskId: command.taskId, types, until: command.position - 1 }
    yield* Stream.runForEach(log.read(query), (event) =>
      Effect.sync(() => {
        const { commandId, args } = event.payload
        if (event.type === "ActuatorCommanded") {
          if (namesOne(args, names)) requested.set(commandId, event)
          return
        }
        const request = requested.get(commandId)
        if (request !== undefined) read = { command: request, outcome: event }
      }),
    )
    return { read, changedSince: read === undefined ? [] : changedBetween(versions, read.outcome, version.look.event) }
  })

/** The agent knows the changes of its own calls. */
const changedBetween = (
  versions: ReadonlyArray<FileVersion>,
  read: Event,
  written: Event,
): ReadonlyArray<FileVersion> =>
  versions.filter(({ look, kind }, index) => {
    const { position, taskId } = look.event
    if (index === 0 || kind === "mode" || position <= read.position || position >= written.position) return false
    return sourceOf(look).kind !== "call" || taskId !== written.taskId
  })

/** Whether an argument is one of the names, or a command line that contains one as a word. */
const namesOne = (args: Json | undefined, names: ReadonlySet<string>): boolean => {
  if (typeof args === "string") return names.has(args) || args.split(SEPARATORS).some((word) => names.has(word))
  if (typeof args !== "object" || args === null) return false
  return Object.values(args).some((one) => namesOne(one, names))
}

const SEPARATORS = /[\s"'`<>|;&()=]+/
