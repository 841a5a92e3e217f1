/**
 * The record of who looked at what and who acted: a line of JSON for each request, appended before the request is
 * answered. Nobody rotates or shortens the file. It names accounts and addresses, and holds nothing from a log but the
 * names of timelines and tasks, positions, and ids of questions.
 */

import * as fs from "node:fs"
import { Data, Effect, type Scope } from "effect"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { isVisible } from "../../values/PlainText.ts"

export interface Access {
  /** Null for somebody who is not signed in. */
  readonly account: string | null
  readonly address: string
  /** The path of the API below the log, such as `answers`; or `sign-in`, `sign-out`. */
  readonly action: string
  readonly log?: string
  readonly about?: About
  /** Why Studio refused it; absent if it did not. */
  readonly refused?: string
}

/** The subject of a request. */
export interface About {
  readonly timeline?: string
  readonly task?: string
  readonly position?: number
  readonly question?: string
}

/** The record could not be written, so the request is refused. */
export class AccessNotRecorded extends Data.TaggedError("AccessNotRecorded")<{ readonly reason: string }> {
  override get message() {
    return `Studio could not record this request (${this.reason}), and so refuses it. Tell whoever runs Studio.`
  }
}

/** The file cannot be opened for appending. */
export class AccessRecordUnavailable extends Data.TaggedError("AccessRecordUnavailable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file}: expected a file to append the access record to, found ${this.reason}.`
  }
}

export interface AccessRecord {
  readonly add: (access: Access) => Effect.Effect<void, AccessNotRecorded>
}

/** Opens the file for appending until the scope closes. Creates it for its owner only. */
export const open = (file: string): Effect.Effect<AccessRecord, AccessRecordUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
    const handle = yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          const opened = fs.openSync(file, "a", OwnerOnly.FILE_MODE)
          if (fs.fstatSync(opened).isFile()) return opened
          fs.closeSync(opened)
          throw new Error("something that is no regular file")
        },
        catch: (cause) => new AccessRecordUnavailable({ file, reason: reasonOf(cause) }),
      }),
      (opened) => Effect.sync(() => fs.closeSync(opened)),
    )
    let isCut = false
    return {
      // Synchronous, so that lines keep their order and no two mix; a line is short.
      add: (access) =>
        Effect.try({
          try: () => {
            if (fs.fstatSync(handle).nlink === 0) throw new Error("its file was removed: start Studio again")
            const line = Buffer.from(
              `${isCut ? "\n" : ""}${JSON.stringify({ time: new Date().toISOString(), ...access })}\n`,
            )
            isCut = fs.writeSync(handle, line) < line.length
            if (isCut) throw new Error("the disk took only a part of the line")
          },
          catch: (cause) => new AccessNotRecorded({ reason: reasonOf(cause) }),
        }),
    }
  })

/** The subject in the fields of a request or of an order. They come from outside, so others than short plain ones are left out. */
export const aboutOf = (fields: unknown): About => {
  if (typeof fields !== "object" || fields === null) return {}
  const field = (name: string): unknown => (Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined)
  const text = (name: string) => {
    const value = field(name)
    return typeof value === "string" && value !== "" && value.length <= LONGEST && isVisible(value)
      ? { [name]: value }
      : {}
  }
  const place = [field("position"), field("at"), field("after")].map(Number).find((number) => number > 0)
  return {
    ...text("timeline"),
    ...text("task"),
    ...text("question"),
    ...(place !== undefined && Number.isSafeInteger(place) ? { position: place } : {}),
  }
}

const LONGEST = 200
