/** Prints a task's commands in a few words while it runs. */
import { Effect, Stream } from "effect"
import { type Event, EventLog, type Json, Vocabulary } from "hindcast"
import type { Pages, Stage } from "../Stage.ts"

const GAP = " · "

/** Follows the first task opened after a position, until it closes. */
export const follow = (after: number, { style, say, pages, width: most }: Stage) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const commands = new Map<string, string>()
    let line: ReadonlyArray<string> = []
    /** In characters, counted separately because marks contain escape sequences. */
    let width = 0

    const add = (words: string, mark = "") =>
      Effect.gen(function* () {
        const length = words.length + (mark === "" ? 0 : mark.length + 1) + GAP.length
        if (line.length > 0 && width + length > most) yield* flush
        line = [...line, mark === "" ? words : `${words} ${style.bad(mark)}`]
        width += length
      })
    const flush = Effect.suspend(() => {
      const text = `  ${line.join(GAP)}`
      line = []
      width = 0
      return say(text)
    })

    const onEvent = (event: Event): Effect.Effect<void> => {
      if (Vocabulary.is(event, "ActuatorCommanded")) {
        const { commandId, actuator, args } = event.payload
        commands.set(commandId, inWords(pages, actuator, args))
      }
      if (Vocabulary.is(event, "CommandSucceeded")) return add(commands.get(event.payload.commandId) ?? "")
      if (Vocabulary.is(event, "CommandFailed")) {
        return add(commands.get(event.payload.commandId) ?? "", `✗ ${pages.oneLine(event.payload.error.code)}`)
      }
      if (Vocabulary.is(event, "CommandDenied")) return add(commands.get(event.payload.commandId) ?? "", "✗ denied")
      return Vocabulary.is(event, "TaskClosed") && line.length > 0 ? flush : Effect.void
    }

    yield* log.follow({ after }).pipe(
      Stream.filter((item): item is Event => !(item instanceof EventLog.CaughtUp)),
      Stream.tap(onEvent),
      Stream.takeUntil((event) => Vocabulary.is(event, "TaskClosed")),
      Stream.runDrain,
    )
  })

/** A command in words: `use brass_key on desk`. */
const inWords = ({ oneLine, value }: Pages, actuator: string, args: Json): string => {
  const verb = actuator.slice(actuator.indexOf("/") + 1)
  const words = Object.entries(typeof args === "object" && args !== null ? args : {}).map(([name, arg]) => {
    const word = typeof arg === "string" ? oneLine(arg) : value(arg)
    return name === "on" ? `on ${word}` : word
  })
  return [verb, ...words].join(" ")
}
