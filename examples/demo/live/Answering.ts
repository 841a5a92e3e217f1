/** Answers the questions of the demo's agents: the user at the terminal, or the demo itself, which says so. */
import { Effect, Stream } from "effect"
import { Confirmations, EventLog, Vocabulary } from "hindcast"
import type { Stage } from "../Stage.ts"

/** Who answers, and on which log. */
export interface Answering {
  readonly filename: string
  /** Whether the user is asked. Otherwise the demo answers. */
  readonly askPerson: boolean
  /** Whether the agents follow a script. The demo approves nothing that a provider's model asks for. */
  readonly isScripted: boolean
}

type Question = Vocabulary.PayloadOf<"ConfirmationRequested">

const WITHOUT_PERSON = "nobody is here to be asked, and the demo approves what its scripts write alone"

/** The only actuator that the demo approves: a model may ask for others, which could do anything. */
const APPROVED = "workspace/write_file"

/** Lets an agent work, and has each question answered that is asked after a position. */
export const during = <A, E, R>(
  stage: Stage,
  { filename, askPerson, isScripted }: Answering,
  after: number,
  work: Effect.Effect<A, E, R>,
) =>
  Effect.raceFirst(
    work,
    Effect.gen(function* () {
      if (askPerson) yield* stage.user.ask(after, filename)
      else yield* answerAll(stage, isScripted, after)
      return yield* Effect.never
    }),
  )

const answerAll = (stage: Stage, isScripted: boolean, after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    yield* log
      .follow({ after, types: ["ConfirmationRequested"] })
      .pipe(
        Stream.runForEach((item) =>
          item instanceof EventLog.CaughtUp || !Vocabulary.is(item, "ConfirmationRequested")
            ? Effect.void
            : answer(stage, isScripted, item.payload),
        ),
      )
  })

/** Answers one question, where nobody is there to be asked, and says so. */
export const answer = ({ style, say, pages }: Stage, isScripted: boolean, question: Question) =>
  Effect.gen(function* () {
    const { confirmationId, shown } = question
    const approved = isScripted && shown.actuator === APPROVED
    // Everything is shown: a person cannot decide about what is hidden.
    yield* say("The gate asks:", ...pages.question(shown))
    yield* (yield* Confirmations.Confirmations).decide(confirmationId, {
      approved,
      by: "demo",
      channel: "demo",
      reason: approved ? "answered by the demo" : WITHOUT_PERSON,
      shownDigest: Confirmations.digestOf(confirmationId, question),
    })
    yield* say(
      `Nobody is asked here: the demo answers by itself. ${approved ? style.good("Approved") : style.bad("Rejected")}.`,
    )
  })
