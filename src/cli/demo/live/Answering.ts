/** Answers the questions of the demo's agents: the user at the terminal, or the demo itself, which says so. */
import { Effect, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../events/log/EventLog.ts"
import { confirmationDigest } from "../../../events/vocabulary/ConfirmationDigest.ts"
import { is, type PayloadOf } from "../../../events/vocabulary/Vocabulary.ts"
import { Confirmations } from "../../../kernel/gate/Confirmations.ts"
import * as ConfirmationPage from "../../pages/events/ConfirmationPage.ts"
import * as Prompter from "../../task/Prompter.ts"
import type { Narrator } from "../Narrator.ts"

/** Who answers, and on which log. */
export interface Answering {
  readonly filename: string
  /** Whether the user is asked. Otherwise the demo answers. */
  readonly askPerson: boolean
  /** Whether the agents follow a script. The demo approves nothing that a provider's model asks for. */
  readonly isScripted: boolean
}

type Question = PayloadOf<"ConfirmationRequested">

const WITHOUT_PERSON = "nobody is here to be asked, and the demo approves what its scripts write alone"

/** The only actuator that the demo approves: a model may ask for others, which could do anything. */
const APPROVED = "workspace/write_file"

/** Lets an agent work, and has each question answered that is asked after a position. */
export const during = <A, E, R>(
  narrator: Narrator,
  { filename, askPerson, isScripted }: Answering,
  after: number,
  work: Effect.Effect<A, E, R>,
) =>
  Effect.raceFirst(
    work,
    Effect.gen(function* () {
      if (askPerson) yield* Prompter.ask(after, filename)
      else yield* answerAll(narrator, isScripted, after)
      return yield* Effect.never
    }),
  )

const answerAll = (narrator: Narrator, isScripted: boolean, after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log
      .follow({ after, types: ["ConfirmationRequested"] })
      .pipe(
        Stream.runForEach((item) =>
          item instanceof CaughtUp || !is(item, "ConfirmationRequested")
            ? Effect.void
            : answer(narrator, isScripted, item.payload),
        ),
      )
  })

/** Answers one question, where nobody is there to be asked, and says so. */
export const answer = ({ style, say }: Narrator, isScripted: boolean, question: Question) =>
  Effect.gen(function* () {
    const { confirmationId, shown } = question
    const approved = isScripted && shown.actuator === APPROVED
    // Everything is shown: a person cannot decide about what is hidden.
    yield* say("The gate asks:", ...ConfirmationPage.page(style, shown, { width: Number.POSITIVE_INFINITY }).lines)
    yield* (yield* Confirmations).decide(confirmationId, {
      ...{ approved, by: "demo", channel: "demo", reason: approved ? "answered by the demo" : WITHOUT_PERSON },
      shownDigest: confirmationDigest(question),
    })
    yield* say(
      `Nobody is asked here: the demo answers by itself. ${approved ? style.good("Approved") : style.bad("Rejected")}.`,
    )
  })
