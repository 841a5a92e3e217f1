/** Answers the agents' questions: the user at the terminal, or the demo by a command that it shows. */
import { Effect, Stream } from "effect"
import { type Event, EventLog, Vocabulary } from "hindcast"
import type { Shell, Stage } from "../Stage.ts"
import { endOf } from "../Words.ts"
import * as Mending from "./Mending.ts"

export interface Answering {
  readonly filename: string
  /** Ask the user. Otherwise the demo answers. */
  readonly askPerson: boolean
  /** The demo approves nothing that a provider's model requests. */
  readonly isScripted: boolean
  readonly onQuestion?: (question: Event) => Effect.Effect<void, EventLog.LogError, EventLog.EventLog>
}

/** Runs an agent's work and answers each question after a position. Also returns the answers. */
export const during = <A, E, R>(stage: Stage, answering: Answering, after: number, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const answers: Array<Shell> = []
    const { filename, askPerson } = answering
    const answered = askPerson ? stage.user.ask(after, filename) : answerAll(stage, answering, after, answers)
    const result = yield* Effect.raceFirst(work, Effect.zipRight(answered, Effect.never))
    return { result, answers }
  })

const answerAll = (stage: Stage, answering: Answering, after: number, answers: Array<Shell>) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    yield* log.follow({ after, types: ["ConfirmationRequested"] }).pipe(
      Stream.runForEach((item) =>
        item instanceof EventLog.CaughtUp || !Vocabulary.is(item, "ConfirmationRequested")
          ? Effect.void
          : Effect.gen(function* () {
              yield* answering.onQuestion?.(item) ?? Effect.void
              // The work may end before the command that answered has printed what it did.
              yield* Effect.uninterruptible(
                Effect.map(answer(stage, answering, item.payload), (shown) => void answers.push(shown)),
              )
            }),
      ),
    )
  })

/** Answers from another process, as a person at another terminal would. */
const answer = (stage: Stage, answering: Answering, question: Vocabulary.PayloadOf<"ConfirmationRequested">) => {
  const { confirmationId, shown } = question
  const on = ["--log", stage.user.path(answering.filename)]
  // The command prints everything that it approves; the story shows its last line.
  return answering.isScripted && shown.actuator === Mending.WRITE_FILE
    ? stage.shell(["confirm", "approve", endOf(confirmationId), "--yes", "--reason", APPROVED, ...on], END)
    : stage.shell(["confirm", "reject", endOf(confirmationId), "--reason", REJECTED, ...on], END)
}

const END = { most: 1, end: true }

const APPROVED = "demo"

const REJECTED = "the demo approves nothing that a provider's model requests"
