/** Answers `/api/questions` and `/api/answers`. */

import { Data, Effect, Schema } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import { Sha256 } from "../../events/vocabulary/EventType.ts"
import { Confirmations, digestOf } from "../../kernel/gate/Confirmations.ts"
import { streamOf } from "../../projections/state/ConfirmationAnswer.ts"
import type { PendingConfirmation } from "../../projections/state/PendingConfirmations.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { Allowed, NotAllowed } from "../Allowed.ts"
import * as AskingRule from "../course/AskingRule.ts"
import * as Entries from "../course/Entries.ts"
import type { Answer, Question } from "../wire/Asking.ts"

export const QuestionsQuery = Schema.Struct({})

/** Pending questions, oldest first, without those that have expired but are not recorded as expired yet. */
export const questions = (_: typeof QuestionsQuery.Type = {}) =>
  Effect.gen(function* () {
    const pending = Object.entries(yield* (yield* Confirmations).pending)
    const waiting = pending.filter(([, { expiresAt }]) => expiresAt > Date.now())
    return yield* Effect.forEach(waiting, ([id, asked]) => questionOf(id, asked))
  })

const questionOf = (id: string, asked: PendingConfirmation) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [request] = yield* log.readPage({ after: asked.position - 1, until: asked.position }, 1)
    const chain = request === undefined ? [] : yield* (yield* TimeTravel).why(request.id)
    const { shown } = asked
    return {
      id,
      digest: digestOf(id, asked),
      timeline: asked.timeline ?? MAIN,
      task: asked.taskId,
      position: asked.position,
      what: text(shown.actuator) ?? [shown.plugin, shown.request, shown.target].map(text).join(" "),
      args: shown.args ?? null,
      shown,
      rule:
        typeof shown.actuator === "string"
          ? yield* AskingRule.of({
              position: asked.position,
              actuator: shown.actuator,
              risk: shown.risk,
              args: shown.args,
            })
          : text(shown.rule),
      risk: text(shown.risk),
      warning: text(asked.securityWarning),
      requestedAt: asked.requestedAt,
      expiresAt: asked.expiresAt,
      why: chain
        .map(Entries.cause)
        .map(({ kind: _kind, bad: _bad, actor: _actor, occurredAt: _occurredAt, ...cause }) => cause),
    } satisfies Question
  })

const text = (value: Json | undefined): string | null => {
  if (value === undefined || value === null) return null
  return typeof value === "string" ? value : JSON.stringify(value)
}

export const AnswerBody: Schema.Schema<Answer> = Schema.Struct({
  question: Schema.NonEmptyString,
  digest: Sha256,
  approve: Schema.Boolean,
  reason: Schema.optionalWith(Schema.String, { exact: true }),
})

/** The question was already answered, or has expired. */
export class AlreadyAnswered extends Data.TaggedError("AlreadyAnswered")<{ readonly found: string }> {
  override get message() {
    return `Expected a waiting question, found ${this.found}. Nothing was answered.`
  }
}

/** The pending question differs from the one that the person saw. */
export class OtherQuestion extends Data.TaggedError("OtherQuestion")<{ readonly found: string }> {
  override get message() {
    return `This is an answer to another question than the waiting one: ${this.found}. Nothing was answered. Look at the question again.`
  }
}

export class QuestionNotFound extends Data.TaggedError("QuestionNotFound")<{ readonly question: string }> {
  override get message() {
    return `Question ${this.question}: expected one that was asked in this log, found none.`
  }
}

/** Answers a question if it still is the one that the person saw. */
export const answer = ({ question, digest, approve, reason }: Answer) =>
  Effect.gen(function* () {
    const allowed = yield* Allowed
    if (!allowed.answer) return yield* new NotAllowed({ what: "answer questions", option: "answer" })
    const log = yield* EventLog
    const confirmations = yield* Confirmations
    const waiting = SafeRecord.get(yield* confirmations.pending, question)
    const found = waiting === undefined ? undefined : digestOf(question, waiting)
    if (found !== undefined && found !== digest)
      return yield* new OtherQuestion({ found: `that has the digest ${found}` })
    const decided = yield* confirmations
      .decide(question, {
        approved: approve,
        by: allowed.by,
        channel: "studio",
        shownDigest: digest,
        ...defined({ reason }),
      })
      .pipe(
        Effect.catchTags({
          NotAsShown: ({ found: other }) => new OtherQuestion({ found: other }),
          NotPending: (failure) =>
            Effect.gen(function* () {
              const [asked] = yield* log.readPage({ stream: streamOf(question) }, 1)
              if (asked === undefined) return yield* new QuestionNotFound({ question })
              return yield* new AlreadyAnswered({ found: failure.found })
            }),
        }),
      )
    return { position: decided.position }
  })
