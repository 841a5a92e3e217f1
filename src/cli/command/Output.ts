/**
 * Writes a command's results to the standard output and its remarks to the standard error. Control characters are
 * escaped.
 */
import { Effect } from "effect"
import * as Style from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"

/** Prints a command's result: one JSON document, or lines of text for people. */
export const show = (
  asJson: boolean,
  document: unknown,
  page: (style: Style.Style) => Iterable<string>,
): Effect.Effect<void> =>
  asJson
    ? write(Text.json(document, 2))
    : Effect.suspend(() => Effect.forEach([...page(styleOf(process.stdout))], write, { discard: true }))

/** Writes a line to the standard output. Escapes all control characters except the program's own colours. */
export const write = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${escapeControls(line)}\n`)
  })

/** Writes a part of a line, or several lines, to the standard output. Escapes as `write` does. */
export const writePart = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(escapeControls(text))
  })

/** Writes a line that is not part of the result to the standard error. */
export const note = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`${escapeControls(line)}\n`)
  })

/**
 * Escapes invisible characters and terminal control sequences, except the colours of `Style`. Texts of plugins and
 * models are escaped by `Text.oneLine` where they are printed; this is the second line of defence.
 */
const escapeControls = (text: string): string =>
  text
    .split(COLOURS)
    .map((part, index) => (index % 2 === 0 ? Text.visibleLines(part) : part))
    .join("")

/** The escape sequences for bold, dim and the colours of `Style`, and their ends. */
const COLOURS = /(\p{Cc}\[(?:1|2|22|3[1-9])m)/u

/** The columns of a stream's terminal; `without` if it is none. */
export const columnsOf = (stream: NodeJS.WriteStream, without = Number.POSITIVE_INFINITY): number =>
  stream.columns ?? without

/** Colours if the stream is a terminal and `NO_COLOR` is not set (no-color.org). */
export const styleOf = (stream: NodeJS.WriteStream): Style.Style =>
  stream.isTTY === true && (process.env.NO_COLOR ?? "") === "" ? Style.coloured : Style.plain
