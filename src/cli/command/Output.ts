/**
 * Writes a command's results to the standard output and its remarks to the standard error. Control characters are
 * escaped.
 */
import { Effect } from "effect"
import * as Style from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"
import * as Wrap from "../terminal/Wrap.ts"
import * as NamedTimes from "./NamedTimes.ts"

/** Prints a command's result: one JSON document, or lines of text for people, wrapped to the terminal's width. */
export const show = (
  asJson: boolean,
  document: unknown,
  page: (style: Style.Style) => Iterable<string>,
): Effect.Effect<void> =>
  asJson
    ? writeDocument(document)
    : Effect.suspend(() => Effect.forEach([...page(styleOf(process.stdout))], write, { discard: true }))

const writeDocument = (document: unknown) =>
  Effect.flatMap(NamedTimes.inDocument(document), (whole) => writeWhole(Text.json(whole, 2)))

/** Prints a command's result, of which the text for people is a document too: JSON or Markdown. Its lines are not wrapped. */
export const showDocument = (asJson: boolean, document: unknown, text: Iterable<string>): Effect.Effect<void> =>
  asJson ? writeDocument(document) : Effect.forEach([...text], writeWhole, { discard: true })

/**
 * Writes a text to the standard output, wrapped to the terminal's width. Escapes all control characters except the
 * program's own colours.
 */
export const write = (text: string): Effect.Effect<void> =>
  Effect.suspend(() => writeWhole(fitted(text, process.stdout)))

/** Writes a text whose lines are read by programs, or copied: they are not wrapped. Escapes as `write` does. */
export const writeWhole = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${escapeControls(text)}\n`)
  })

/** Writes a part of a line, or several lines, to the standard output. Escapes as `write` does. */
export const writePart = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(escapeControls(text))
  })

/** Writes a text that is not part of the result to the standard error, wrapped to the terminal's width. */
export const note = (text: string): Effect.Effect<void> => Effect.suspend(() => noteWhole(fitted(text, process.stderr)))

/** Writes a text that is read by programs to the standard error. */
export const noteWhole = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`${escapeControls(text)}\n`)
  })

/** A text, each of whose lines is wrapped to the width of a stream's terminal. */
export const fitted = (text: string, stream: NodeJS.WriteStream): string => {
  const columns = columnsOf(stream)
  return text
    .split("\n")
    .flatMap((line) => Wrap.line(line, columns))
    .join("\n")
}

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

/** The columns of a stream's terminal. If it is none: the variable `COLUMNS`, else `without`. */
export const columnsOf = (stream: NodeJS.WriteStream, without = Number.POSITIVE_INFINITY): number => {
  // A terminal that nobody has told its size says 0.
  const told = stream.columns === 0 ? undefined : stream.columns
  const columns = told ?? Number(WHOLE_NUMBER.exec(process.env.COLUMNS ?? "")?.[0] ?? without)
  return Math.max(LEAST_COLUMNS, columns)
}

const WHOLE_NUMBER = /^[1-9]\d{0,5}$/

/** In a narrower terminal, the terminal breaks the lines. */
const LEAST_COLUMNS = 20

/** The columns of the stream, with colours if it is a terminal and `NO_COLOR` is not set (no-color.org). */
export const styleOf = (stream: NodeJS.WriteStream): Style.Style => ({
  ...(stream.isTTY === true && (process.env.NO_COLOR ?? "") === "" ? Style.coloured : Style.plain),
  columns: columnsOf(stream),
})
