/**
 * Resolves ids of tasks and confirmations that the user typed in full, or by a unique part: their beginning or end, or
 * the beginning of a client's session in `claude-code-SESSION`. `last` is the task that was opened last.
 */
import { Chunk, Data, Effect, Either, Option, Stream } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import { submissionStream } from "../../projections/queue/Queue.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"

export class AmbiguousId extends Data.TaggedError("AmbiguousId")<{
  readonly kind: string
  readonly text: string
  readonly candidates: ReadonlyArray<string>
}> {
  override get message() {
    const listed = this.candidates.map((candidate) => `\n  ${candidate}`).join("")
    return `"${this.text}" names more than one ${this.kind}; type more of the id, or its end:${listed}`
  }
}

/** Minimum length of an abbreviated id. Shorter ones would often be ambiguous. */
const MIN_LENGTH = 4

/**
 * The id that equals `text`, or the only id that begins or ends with it, or in which it begins after a hyphen.
 * `undefined` if there is none.
 */
export const find = (
  kind: string,
  text: string,
  ids: ReadonlyArray<string>,
): Either.Either<string | undefined, AmbiguousId> => {
  if (ids.includes(text)) return Either.right(text)
  if (text.length < MIN_LENGTH) return Either.right(undefined)
  const outer = ids.filter((id) => id.startsWith(text) || id.endsWith(text))
  const candidates = outer.length > 0 ? outer : ids.filter((id) => id.includes(`-${text}`))
  return candidates.length > 1 ? Either.left(new AmbiguousId({ kind, text, candidates })) : Either.right(candidates[0])
}

/** @param queued tasks that may be meant as well, although none of them needs to have begun */
export const task = (text: string, queued: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    if (queued.includes(text)) return text
    const log = yield* EventLog
    // A full id needs no list of all tasks.
    const [opened] = yield* log.readPage({ timeline: log.timeline, taskId: text, types: ["TaskOpened"] }, 1)
    if (opened !== undefined) return text
    // Nor does it name another task whose id begins with it, if no runner has begun the task yet.
    const [submitted] = yield* log.readPage({ timeline: log.timeline, stream: submissionStream(text) }, 1)
    if (submitted !== undefined) return yield* new TaskNotFound({ taskId: text, near: [] })
    const newest = text === NEWEST ? yield* newestTask(log) : undefined
    const ids = new Set([...(yield* TaskList.ids(log)), ...queued])
    return newest ?? (yield* taskAmong(text, [...ids], log.timeline))
  })

/** The word for the task that was opened last. A task with this id comes first. */
export const NEWEST = "last"

const newestTask = (log: EventLog.Service) =>
  Effect.map(Stream.runLast(log.read({ timeline: log.timeline, types: ["TaskOpened"] })), (found) =>
    Option.isSome(found) ? (found.value.taskId ?? undefined) : undefined,
  )

export const taskAmong = (text: string, ids: ReadonlyArray<string>, timeline = MAIN) =>
  Effect.gen(function* () {
    const id = yield* find("task", text, ids)
    return (
      id ??
      (yield* new TaskNotFound({
        taskId: text,
        near: nearest(text, ids),
        ...(timeline === MAIN ? {} : { timeline }),
      }))
    )
  })

/** Ids that `text` may misspell, in whole or at their end. Beginnings are timestamps, which all look alike. */
const nearest = (text: string, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (text.length < MIN_LENGTH) return []
  const ends = new Map(ids.flatMap((id) => [[id.slice(-text.length), id] as const, [id, id] as const]))
  return [...new Set(DidYouMean.similarNames(text, [...ends.keys()]).flatMap((end) => ends.get(end) ?? []))]
}

/**
 * The id of the confirmation that `text` refers to: a pending one if any matches, else any recorded one, else `text`
 * itself.
 */
export const confirmation = (text: string) =>
  Effect.gen(function* () {
    const waiting = Object.keys(yield* (yield* Confirmations).pending)
    const id = yield* find("confirmation", text, waiting)
    return id ?? (yield* find("confirmation", text, yield* requestedIds)) ?? text
  })

const requestedIds = Effect.gen(function* () {
  const requests = yield* Stream.runCollect((yield* EventLog).read({ types: ["ConfirmationRequested"] }))
  return Chunk.toReadonlyArray(requests).flatMap((event) =>
    is(event, "ConfirmationRequested") ? [event.payload.confirmationId] : [],
  )
})
