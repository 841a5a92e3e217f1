import { Effect } from "effect"
import * as Style from "./render/Style.ts"
import * as Text from "./render/Text.ts"

/** Answers a command: with one JSON document, or with a page of lines for people. */
export const show = (
  asJson: boolean,
  document: unknown,
  page: (style: Style.Style) => Iterable<string>,
): Effect.Effect<void> =>
  asJson
    ? write(Text.json(document, 2))
    : Effect.suspend(() => Effect.forEach([...page(styleOf(process.stdout))], write, { discard: true }))

/** Writes a line to the standard output. */
export const write = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${line}\n`)
  })

/** Writes a line to the standard error: what is no part of the answer. */
export const note = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`${line}\n`)
  })

/** Colours only for people: on a terminal, unless `NO_COLOR` is set (no-color.org). */
export const styleOf = (stream: NodeJS.WriteStream): Style.Style =>
  stream.isTTY === true && (process.env.NO_COLOR ?? "") === "" ? Style.coloured : Style.plain
