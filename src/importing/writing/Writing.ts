/**
 * Writes an account of a task to the log: each event once, under an id from its key. Serves the tasks of imports and of
 * telemetry, and their additions to a task that another recorder has.
 */

import { Effect } from "effect"
import { type AppendError, type EventLog, Exact, type NewEvent } from "../../events/log/EventLog.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../values/Digest.ts"
import type { RunEvent } from "../runs/RunEvent.ts"

export interface Writing {
  readonly log: EventLog.Service
  readonly source: string
  /** The person whose data the events hold; personal fields are encrypted. */
  readonly subject?: string
  /** Whether to replace personal fields. */
  readonly redact: boolean
  readonly dryRun: boolean
  /** Whether to write nothing to tasks that hooks opened. Default: false, which merges with them. */
  readonly keepsApart?: boolean
}

/** Where events go, and the version of the stream that the writer has read. */
export interface Place {
  readonly stream: string
  readonly taskId: string
  readonly version: number
}

/** Maximum number of events of a transaction. */
export const MAX_EVENTS = 10_000

/** The account's name in the log. */
export const actorOf = ({ source }: Pick<Writing, "source">): string => `import:${source}`

/** Makes the log's event of an account's. */
export const newEvent = (
  { redact }: Pick<Writing, "redact">,
  { at, body }: Pick<RunEvent, "at" | "body">,
  id: string,
  causationId: string | null,
): NewEvent =>
  ({
    id,
    causationId,
    ...(at === null ? {} : { occurredAt: at }),
    type: body.type,
    payload: redact ? redacted(body.type, body.payload) : body.payload,
  }) as NewEvent

/**
 * Appends events that the log lacks, in several transactions if there are many. Fails with `VersionConflict` if somebody
 * else appended to the stream.
 *
 * @param onCommit called with the number of events of each transaction; in a dry run, of each that would have been
 */
export const append = (
  { log, source, subject, dryRun }: Writing,
  { stream, taskId, version }: Place,
  events: ReadonlyArray<NewEvent>,
  onCommit: (events: number) => void = () => {},
): Effect.Effect<void, AppendError> =>
  Effect.gen(function* () {
    for (let from = 0; from < events.length; from += MAX_EVENTS) {
      const written = events.slice(from, from + MAX_EVENTS)
      const request = {
        ...{ stream, taskId, actor: actorOf({ source }), expected: Exact(version + from), events: written },
        // Known events were filtered out, and nobody else makes such ids.
        newIds: true,
        // No one else uses the mapped objects.
        givenAway: true,
      }
      if (!dryRun) yield* log.append(subject === undefined ? request : withSubject(request, subject))
      onCommit(written.length)
    }
  })

/** Runs `write` again while somebody else appends between its reading and its appending. */
export const untilUndisturbed = <A>(
  write: Effect.Effect<A, AppendError>,
  onConflict: () => void = () => {},
): Effect.Effect<A, AppendError> =>
  Effect.retry(
    Effect.tapErrorTag(write, "VersionConflict", () => Effect.sync(onConflict)),
    { while: ({ _tag }) => _tag === "VersionConflict" },
  )

/** Adds the subject if an event has personal fields; the log refuses a subject without them. */
export const withSubject = <Request extends { readonly events: ReadonlyArray<NewEvent> }>(
  request: Request,
  subject: string,
): Request & { readonly subject?: string } =>
  request.events.some(({ type }) => Object.keys(Vocabulary.core.types.get(type)?.personal ?? {}).length > 0)
    ? { ...request, subject }
    : request

/** Replaces personal fields as if their key had been destroyed, and digests computed from them. */
export const redacted = (type: string, payload: object): object => {
  const digests = (DIGESTS.get(type) ?? []).map((name) => [name, digest(null)])
  const personal = { ...Object.fromEntries(digests), ...Vocabulary.core.types.get(type)?.personal }
  const present = Object.entries(personal).filter(([name]) => Object.hasOwn(payload, name))
  return { ...payload, ...Object.fromEntries(present) }
}

/** Digests by which a short text could be guessed. */
const DIGESTS: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["ActuatorCommanded", ["argsDigest"]],
  ["ConfirmationRequested", ["argsDigest"]],
  ["ConfirmationDecided", ["argsDigest", "shownDigest"]],
  ["GuideApplied", ["digest"]],
  ["ModelCalled", ["requestDigest"]],
])
