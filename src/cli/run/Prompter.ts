import * as readline from "node:readline/promises"
import { Effect, Stream } from "effect"
import type { Event } from "../../events/Event.ts"
import { CaughtUp, EventLog } from "../../events/EventLog.ts"
import { is, type PayloadOf } from "../../events/Vocabulary.ts"
import { Confirmations } from "../../kernel/Confirmations.ts"
import { Projector } from "../../projections/Projector.ts"
import * as Tasks from "../../projections/Tasks.ts"
import * as AsTyped from "../AsTyped.ts"
import * as Output from "../Output.ts"
import { person } from "../Person.ts"
import * as Asked from "../render/Asked.ts"
import * as Origin from "../render/Origin.ts"
import { duration, json, time } from "../render/Text.ts"

type Request = PayloadOf<"ConfirmationRequested">

/** Whether there is a person to ask: one who sees the question and can type an answer. */
export const isPossible = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Asks the person at the terminal about each command that waits, one after the other, and records the answers. */
export const ask = (after: number) => eachRequest(after, (event, request) => decide(event, request))

/** Says of each command that waits what it is, and how it can be answered from another terminal. */
export const announce = (after: number, filename: string) =>
  eachRequest(after, (event, { confirmationId, shown, expiresAt }) =>
    Effect.gen(function* () {
      const left = duration(Math.max(0, expiresAt - Date.now()))
      const answer = (word: string) => AsTyped.command(["confirm", word, confirmationId, "--log", filename])
      const lines = [
        `Waiting ${left} for a person. ${yield* origin(event)} asks for:`,
        ...Asked.lines(Output.styleOf(process.stderr), shown),
        `To answer: ${answer("approve")}`,
        `       or: ${answer("reject")}`,
      ]
      yield* Output.note(lines.join("\n"))
    }),
  )

/** Whose command an event is about. */
const origin = ({ taskId }: Event) =>
  Effect.map(
    Effect.flatMap(Projector, (projector) => projector.current(Tasks.projection)),
    (tasks) => Origin.describe(tasks, taskId),
  )

const eachRequest = <E, R>(after: number, handle: (event: Event, request: Request) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log
      .follow({ after, types: ["ConfirmationRequested"] })
      .pipe(
        Stream.runForEach((item) =>
          item instanceof CaughtUp || !is(item, "ConfirmationRequested") ? Effect.void : handle(item, item.payload),
        ),
      )
  })

const decide = (event: Event, { confirmationId, shown, expiresAt }: Request) =>
  Effect.gen(function* () {
    const left = duration(Math.max(0, expiresAt - Date.now()))
    yield* Output.write(`${yield* origin(event)}\nasks for, until ${time(expiresAt)} (${left} left):`)
    // All of it: nobody can decide about what is not shown.
    yield* Output.write(json(shown, 2))
    const answer = yield* Effect.raceFirst(question("Let it be executed? [y/N] "), ended(event))
    if (answer === undefined) return yield* Output.write("\nIt no longer waits for an answer.")
    yield* (yield* Confirmations)
      .decide(confirmationId, { approved: /^y(es)?$/i.test(answer.trim()), by: person(), channel: "terminal" })
      .pipe(Effect.catchTag("NotPending", ({ message }) => Output.write(message)))
  })

/** A line from the terminal; empty where the person closed the input. */
const question = (text: string): Effect.Effect<string> =>
  Effect.async((resume, signal) => {
    const terminal = readline.createInterface({ input: process.stdin, output: process.stdout })
    // Reading lines takes Ctrl-C from the process; it is given back.
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    terminal.on("close", () => resume(Effect.succeed("")))
    terminal.question(text, { signal }).then(
      (line) => {
        resume(Effect.succeed(line))
        terminal.close()
      },
      () => terminal.close(),
    )
  })

/** Waits until the question was answered elsewhere, expired or was withdrawn. */
const ended = ({ stream, position }: Event) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.follow({ stream, after: position }).pipe(
      Stream.filter((item) => !(item instanceof CaughtUp)),
      Stream.runHead,
    )
    return undefined
  })
