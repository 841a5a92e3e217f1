/**
 * Asks the user about commands that need approval during `hindcast run`, or prints how to answer from another terminal.
 */
import { Effect, Stream } from "effect"
import { CaughtUp, EventLog } from "../../events/log/EventLog.ts"
import { confirmationDigest } from "../../events/vocabulary/ConfirmationDigest.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import { userName } from "../../platform/user/Machine.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as Output from "../command/Output.ts"
import * as CommandOrigin from "../pages/events/CommandOrigin.ts"
import * as ConfirmationPage from "../pages/events/ConfirmationPage.ts"
import * as Question from "../terminal/Question.ts"
import { duration, time } from "../terminal/Text.ts"

type Request = PayloadOf<"ConfirmationRequested">

export { isPossible } from "../terminal/Question.ts"

/** The answer that approves a command of which a part was not shown. */
const UNSEEN = "unseen"

/**
 * Asks the user whether to execute the command. If `hidden` characters were not shown, approval takes a special word.
 */
export const agrees = (hidden: number): Effect.Effect<boolean> =>
  Effect.map(Question.ask(questionOf(hidden)), (answer) => isApproval(answer, hidden))

export const questionOf = (hidden: number): string =>
  hidden === 0 ? "Execute it? [y/N] " : `Execute it, although you have not seen all of it? [${UNSEEN}/N] `

export const isApproval = (answer: string, hidden: number): boolean =>
  hidden === 0 ? Question.isYes(answer) : answer.trim() === UNSEEN

export const ask = (after: number, filename: string) =>
  eachRequest(after, (event, request) => decide(event, filename, request))

export const announce = (after: number, filename: string) =>
  eachRequest(after, (event, request) =>
    Effect.gen(function* () {
      const { origin, left, lines } = yield* asked(event, request, filename, process.stderr)
      const answer = (word: string) =>
        CommandHints.command(["confirm", word, request.confirmationId, "--log", filename])
      const all = [
        `Waiting ${left} for a person. ${origin} asks for:`,
        ...lines,
        `To answer: ${answer("approve")}`,
        `       or: ${answer("reject")}`,
      ]
      yield* Output.note(all.join("\n"))
    }),
  )

/** A request formatted for a stream: who asks, the time left to answer, and the content as far as it is shown. */
const asked = (
  { taskId }: Event,
  { confirmationId, shown, expiresAt }: Request,
  filename: string,
  stream: NodeJS.WriteStream,
) =>
  Effect.gen(function* () {
    const style = Output.styleOf(stream)
    const { lines, hidden } = ConfirmationPage.page(style, shown, { width: Output.columnsOf(stream) })
    const show = CommandHints.command(["confirm", "show", confirmationId, "--all", "--log", filename])
    return {
      origin: yield* CommandOrigin.describe(taskId),
      left: duration(Math.max(0, expiresAt - Date.now())),
      lines: [...lines, ...ConfirmationPage.unseen(style, hidden, show)],
      hidden,
    }
  })

const eachRequest = <E, R>(after: number, handle: (event: Event, request: Request) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log
      .follow({ after, types: ["ConfirmationRequested"] })
      .pipe(
        Stream.runForEach((item) =>
          item instanceof CaughtUp || !is(item, "ConfirmationRequested")
            ? Effect.void
            : Effect.unlessEffect(handle(item, item.payload), hasEnded(item)),
        ),
      )
  })

/** Whether the confirmation has a later event, and so no longer waits. */
const hasEnded = ({ stream, timeline, position }: Event) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(log.readPage({ stream, timeline, after: position }, 1), (events) => events.length > 0),
  )

const decide = (event: Event, filename: string, request: Request) =>
  Effect.gen(function* () {
    const { origin, left, lines, hidden } = yield* asked(event, request, filename, process.stdout)
    yield* Output.write(`${origin}\nasks for, until ${time(request.expiresAt)} (${left} left):`)
    // Show everything: a person cannot decide about hidden text.
    yield* Output.write(lines.join("\n"))
    const answer = yield* Effect.raceFirst(Question.ask(questionOf(hidden)), ended(event))
    if (answer === undefined) return yield* Output.write("\nIt no longer waits for an answer.")
    yield* (yield* Confirmations)
      .decide(request.confirmationId, {
        approved: isApproval(answer, hidden),
        by: userName(),
        channel: "terminal",
        shownDigest: confirmationDigest(request),
      })
      .pipe(Effect.catchTags({ NotPending: printMessage, NotAsShown: printMessage }))
  })

const printMessage = ({ message }: { readonly message: string }) => Output.write(message)

const ended = ({ stream, position }: Event) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.follow({ stream, after: position }).pipe(
      Stream.filter((item) => !(item instanceof CaughtUp)),
      Stream.runHead,
    )
    return undefined
  })
