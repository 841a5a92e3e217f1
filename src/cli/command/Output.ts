import { Effect } from "effect"
import * as Style from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"

/** Answers a command: with one JSON document, or with a page of lines for people. */
export const show = (
  asJson: boolean,
  document: unknown,
  page: (style: Style.Style) => Iterable<string>,
): Effect.Effect<void> =>
  asJson
    ? write(Text.json(document, 2))
    : Effect.suspend(() => Effect.forEach([...page(styleOf(process.stdout))], write, { discard: true }))

/** Writes a line to the standard output. Whatever is in it, nothing but our own colours steers a terminal. */
export const write = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${harmless(line)}\n`)
  })

/** Writes a line to the standard error: what is no part of the answer. */
export const note = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`${harmless(line)}\n`)
  })

/**
 * Pages show words of others by `Text.oneLine`. Should one forget to, they are harmless all the same: what is not seen or
 * steers a terminal is an escape, but for the colours that pages are painted with (`Style`).
 */
const harmless = (text: string): string =>
  text
    .split(COLOURS)
    .map((part, index) => (index % 2 === 0 ? Text.visibleLines(part) : part))
    .join("")

/** Bold, dim, the colours of `Style`, and their ends. */
const COLOURS = /(\p{Cc}\[(?:1|2|22|3[1-9])m)/u

/** Colours only for people: on a terminal, unless `NO_COLOR` is set (no-color.org). */
export const styleOf = (stream: NodeJS.WriteStream): Style.Style =>
  stream.isTTY === true && (process.env.NO_COLOR ?? "") === "" ? Style.coloured : Style.plain
