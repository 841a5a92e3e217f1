/** Answers the questions of the demo's agents: the user at the terminal, or the demo itself, which says so. */
import { Effect, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../events/log/EventLog.ts"
import { is, type PayloadOf } from "../../../events/vocabulary/Vocabulary.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import * as PackageFiles from "../../command/PackageFiles.ts"
import * as ConfirmationPage from "../../pages/events/ConfirmationPage.ts"
import * as Prompter from "../../task/Prompter.ts"
import { endOf } from "../Audits.ts"
import type { Narrator } from "../Narrator.ts"

/** Who answers, and on which log. */
export interface Answering {
  readonly filename: string
  /** Whether the user is asked. Otherwise the demo answers. */
  readonly askPerson: boolean
}

type Question = PayloadOf<"ConfirmationRequested">

/** The only actuator that the demo approves: a model may ask for others, which could do anything. */
const APPROVED = "workspace/write_file"

/** Lets an agent work, and has each question answered that is asked after a position. */
export const during = <A, E, R>(
  narrator: Narrator,
  { filename, askPerson }: Answering,
  after: number,
  work: Effect.Effect<A, E, R>,
) =>
  Effect.raceFirst(
    work,
    Effect.gen(function* () {
      if (askPerson) yield* Prompter.ask(after, filename)
      else yield* answerAll(narrator, filename, after)
      return yield* Effect.never
    }),
  )

const answerAll = (narrator: Narrator, filename: string, after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log
      .follow({ after, types: ["ConfirmationRequested"] })
      .pipe(
        Stream.runForEach((item) =>
          item instanceof CaughtUp || !is(item, "ConfirmationRequested")
            ? Effect.void
            : answer(narrator, filename, item.payload),
        ),
      )
  })

/** Answers one question by a process of its own, as a person at another terminal would. */
export const answer = (
  { style, say, show }: Narrator,
  filename: string,
  { confirmationId, shown }: Pick<Question, "confirmationId" | "shown">,
) =>
  Effect.gen(function* () {
    const word = shown.actuator === APPROVED ? "approve" : "reject"
    // Everything is shown: a person cannot decide about what is hidden.
    yield* say("The gate asks:", ...ConfirmationPage.page(style, shown, { width: Number.POSITIVE_INFINITY }).lines)
    const args = ["confirm", word, endOf(confirmationId), "--reason", "demo", "--log", CommandHints.shortest(filename)]
    yield* say("Nobody is asked here: the demo answers by itself, by another process:")
    yield* say(`  $ ${CommandHints.command(args)}`)
    yield* show([`  ${oneLine((yield* PackageFiles.run(args)).split("\n").at(-1) ?? "")}`])
  })
