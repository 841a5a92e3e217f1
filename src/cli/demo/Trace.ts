/** Prints a task's commands in a few words while it runs. */
import { Effect, Stream } from "effect"
import { CaughtUp, EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import { value } from "../terminal/Text.ts"
import { type Narrator, WIDTH } from "./Narrator.ts"

/** The separator of two commands. */
const GAP = " · "

/** Prints the commands of the first task that is opened after a position, until the task is closed. */
export const follow = (after: number, { style, say }: Narrator) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const commands = new Map<string, string>()
    let line: ReadonlyArray<string> = []
    /** The line's length in characters, counted apart because marks contain escape sequences. */
    let width = 0

    const add = (words: string, mark = "") =>
      Effect.gen(function* () {
        const length = words.length + (mark === "" ? 0 : mark.length + 1) + GAP.length
        if (line.length > 0 && width + length > WIDTH) yield* flush
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
      if (is(event, "ActuatorCommanded")) {
        const { commandId, actuator, args } = event.payload
        commands.set(commandId, inWords(actuator, args))
      }
      if (is(event, "CommandSucceeded")) return add(commands.get(event.payload.commandId) ?? "")
      if (is(event, "CommandFailed")) {
        return add(commands.get(event.payload.commandId) ?? "", `✗ ${oneLine(event.payload.error.code)}`)
      }
      if (is(event, "CommandDenied")) return add(commands.get(event.payload.commandId) ?? "", "✗ denied")
      return is(event, "TaskClosed") && line.length > 0 ? flush : Effect.void
    }

    yield* log.follow({ after }).pipe(
      Stream.filter((item): item is Event => !(item instanceof CaughtUp)),
      Stream.tap(onEvent),
      Stream.takeUntil((event) => is(event, "TaskClosed")),
      Stream.runDrain,
    )
  })

/** A command in words: `use brass_key on desk`. */
const inWords = (actuator: string, args: Json): string => {
  const verb = actuator.slice(actuator.indexOf("/") + 1)
  const words = Object.entries(typeof args === "object" && args !== null ? args : {}).map(([name, arg]) => {
    const word = typeof arg === "string" ? oneLine(arg) : value(arg)
    return name === "on" ? `on ${word}` : word
  })
  return [verb, ...words].join(" ")
}
