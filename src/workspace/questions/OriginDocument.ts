/** The origins of versions as plain data: JSON with stable keys. */
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import type { FileVersion } from "../history/FileVersions.ts"
import type { Look } from "../history/Looks.ts"
import type { Call, Origin } from "../history/Origin.ts"
import type { Reading } from "../history/Readings.ts"
import type { Omission } from "../model/Entry.ts"

/** An event, by its position and its id. */
export interface EventPlace {
  readonly position: number
  readonly id: string
}

/** An event that recorded files, and the cause of their changes. */
export interface ChangeOrigin extends EventPlace {
  readonly timeline: string
  /** In epoch milliseconds. */
  readonly occurredAt: number
  readonly taskId: string
  /**
   * `start`: as a task found it. `call`: one call, `calls`: one or several of them. `no-call`: no recorded call was in
   * progress. `not-watched`: nobody watched, or another recorder had calls in progress. `restored`: Hindcast brought
   * back the files of an earlier moment.
   */
  readonly cause: Origin["kind"]
  /** Empty if the log lacks them. */
  readonly calls: ReadonlyArray<CallOrigin>
}

/** A call with its causes. Those that the log lacks are absent. */
export interface CallOrigin extends EventPlace {
  readonly taskId: string | null
  readonly commandId: Json
  readonly actuator: Json
  readonly args: Json
  readonly decision?: EventPlace & { readonly rule: Json }
  /** A person's answer. */
  readonly approval?: EventPlace & { readonly approved: Json; readonly by: Json; readonly channel: Json }
  /** The last prompt before it. */
  readonly prompt?: EventPlace & { readonly source: Json; readonly content: Json }
  /** Its task's goal, if there was no prompt. */
  readonly goal?: EventPlace & { readonly content: Json }
}

/** A version of a file, with its origin. */
export interface VersionOrigin extends ChangeOrigin {
  /** The file's path at that time. */
  readonly path: string
  /** `start`: as a task found it. `unknown`: at a task's start, whose files the store lacks. */
  readonly kind: FileVersion["kind"]
  /** The earlier path of a renamed file. */
  readonly from?: string
  /** Absent if there was no such file, or if this is unknown. */
  readonly size?: number
  /** Absent if the file was not read. */
  readonly digest?: string
  /** Why the store lacks the content. */
  readonly omitted?: Omission
  /** Absent if the lines were not counted. */
  readonly added?: number
  readonly removed?: number
}

/** An agent's reading of a file before a call wrote it. */
export interface ReadingOrigin {
  /** Null if no earlier call of the task names the file. */
  readonly read: (EventPlace & { readonly outcome: number; readonly actuator: Json; readonly args: Json }) | null
  /** Whether the file changed between the reading and the writing. */
  readonly stale: boolean
  /** The positions of these changes. */
  readonly changedSince: ReadonlyArray<number>
}

export const ofVersion = ({ look, path, kind, from, entry, lines }: FileVersion, origin: Origin): VersionOrigin => ({
  ...placeOf(look),
  path,
  kind,
  ...defined({ from, size: entry?.size, digest: entry?.digest, omitted: entry?.omitted }),
  ...lines,
  ...causeOf(origin),
})

/** A look that found changes, with its origin. */
export const ofLook = (look: Look, origin: Origin): ChangeOrigin => ({ ...placeOf(look), ...causeOf(origin) })

const placeOf = ({ event: { position, id, timeline, occurredAt }, taskId }: Look) => ({
  position,
  id,
  timeline,
  occurredAt,
  taskId,
})

const causeOf = ({ kind, calls }: Origin) => ({ cause: kind, calls: calls.map(ofCall) })

const ofCall = ({ command, decision, approval, prompt, opening }: Call): CallOrigin => ({
  ...at(command),
  taskId: command.taskId,
  commandId: fact(command, "commandId"),
  actuator: fact(command, "actuator"),
  args: fact(command, "args"),
  ...defined({
    decision: decision && { ...at(decision), rule: fact(decision, "rule") },
    approval: approval && {
      ...at(approval),
      approved: fact(approval, "approved"),
      by: fact(approval, "by"),
      channel: fact(approval, "channel"),
    },
    prompt: prompt && { ...at(prompt), source: fact(prompt, "source"), content: fact(prompt, "content") },
    goal: goalOf(opening),
  }),
})

const goalOf = (opening: Event | undefined) => {
  const content = opening === undefined ? "" : fact(opening, "goal")
  return opening === undefined || content === "" || content === null ? undefined : { ...at(opening), content }
}

const at = ({ position, id }: Event): EventPlace => ({ position, id })

const fact = ({ payload }: Event, name: string): Json => payload[name] ?? null

/** The reading of the file before a writing call. */
export const ofReading = ({ read, changedSince }: Reading): ReadingOrigin => ({
  read:
    read === undefined
      ? null
      : {
          ...at(read.command),
          outcome: read.outcome.position,
          actuator: fact(read.command, "actuator"),
          args: fact(read.command, "args"),
        },
  stale: changedSince.length > 0,
  changedSince: changedSince.map(({ look }) => look.event.position),
})
