/** Failures as answers: a status, a name for programs, and what was expected, what was found and what to do. */

import type { ServerResponse } from "node:http"
import { Effect, Option } from "effect"
import type { Refusal } from "../../agents/channel/HttpAccess.ts"
import { answer } from "../../agents/channel/HttpMessages.ts"
import { ManifestUnreadable } from "../../kernel/registry/ComponentLookup.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { Problem } from "../wire/Log.ts"

/** A failure of an answer. */
export type Failure = Refusal | { readonly _tag: string; readonly message: string }

/** Statuses other than 400: that the caller has to correct the request. */
const STATUS: { readonly [tag: string]: number } = {
  NotAllowed: 403,
  NoAgentsHere: 403,
  ChunkNotFound: 404,
  EventNotFound: 404,
  PathNeverExisted: 404,
  PredicatePathNeverExisted: 404,
  PositionElsewhere: 404,
  PositionOutOfRange: 404,
  QuestionNotFound: 404,
  TaskNotFound: 404,
  TimelineNotFound: 404,
  AgentNotFound: 404,
  ScoreSetNotFound: 404,
  FileNotFound: 404,
  FileChanged: 409,
  FileNotWritten: 500,
  AlreadyAnswered: 409,
  OtherQuestion: 409,
  LeaseHeld: 409,
  TaskClosed: 409,
  LeaseLost: 409,
  LogUnavailable: 500,
  LogCorrupt: 500,
  SegmentUnavailable: 503,
  LogBusy: 503,
  DiskFull: 507,
}

/** Whatever fails is answered; a defect, without details, which are written where the program's own log goes. */
export const answered = <E extends Failure, R>(
  response: ServerResponse,
  handled: Effect.Effect<void, E, R>,
): Effect.Effect<void, never, R> =>
  handled.pipe(
    Effect.catchAll((failure) =>
      "status" in failure
        ? send(response, failure.status, {
            error: failure.error,
            message: `Expected ${failure.expected}, found ${failure.found}.`,
          })
        : send(response, STATUS[failure._tag] ?? 400, { error: failure._tag, message: failure.message }),
    ),
    // A defect that says what to do: the log is damaged, which is no mistake of this program.
    Effect.catchSomeDefect((cause) =>
      cause instanceof ManifestUnreadable
        ? Option.some(send(response, 500, { error: cause._tag, message: cause.message }))
        : Option.none(),
    ),
    Effect.catchAllDefect((cause) =>
      Effect.zipRight(
        ProgramLog.error("a request to Studio died", cause),
        send(response, 500, {
          error: "Defect",
          message: "The request could not be served: this is a bug in Hindcast.",
        }),
      ),
    ),
  )

const send = (response: ServerResponse, status: number, problem: Problem) => answer(response, status, problem)
