/** The argument that names an annotation's subject: a moment or a task. */
import { Effect, type Option } from "effect"
import type { About } from "../../kernel/annotations/Annotating.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, given, optionalText } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"

export const subject = argument(
  "subject",
  "The position of an event (@412, fork-1@412) or a step (@412#37), or a task: its id, or at least four characters of its beginning or end",
)

export const by = optionalText("by", "The person whose annotation it is. Default: this user's name")

/** A moment by its position; anything else names a task. */
const POSITION = /^(?:[^\s@][^@]*)?@\d{1,15}(?:#(?:\d{1,4}|begin))?$/

export const isMoment = (text: string): boolean => POSITION.test(text)

/** The subject that a person typed, on the timeline of `--timeline`. */
export const resolved = (text: string, timeline: Option.Option<string>) =>
  Effect.gen(function* () {
    const on = given({ timeline })
    const about: About = isMoment(text) ? { moment: text, ...on } : { task: yield* Ids.task(text), ...on }
    return about
  })

/** The position of an annotation's own event, as `hindcast notes` prints it. */
export const positionOf = (input: string, text: string) =>
  /^@?[1-9]\d{0,14}$/.test(text)
    ? Effect.succeed(Number(text.replace("@", "")))
    : new BadInput({
        input,
        expected: "the position of an annotation, such as @412; `hindcast notes` lists them",
        found: `"${text}"`,
      })
