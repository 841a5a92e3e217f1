/** Writes results to the standard output and remarks to the standard error. Escapes control characters. */
import { Effect } from "effect"
import * as Style from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"
import * as Wrap from "../terminal/Wrap.ts"
import * as NamedTimes from "./NamedTimes.ts"

/** Prints a command's result: one JSON document, or lines for people, wrapped to the terminal's width. */
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

/** Prints a result whose text is a document too: JSON or Markdown. Does not wrap its lines. */
export const showDocument = (asJson: boolean, document: unknown, text: Iterable<string>): Effect.Effect<void> =>
  asJson ? writeDocument(document) : Effect.forEach([...text], writeWhole, { discard: true })

/**
 * Writes a text to the standard output, wrapped to the terminal's width. Escapes all control characters except our own
 * colours.
 */
export const write = (text: string): Effect.Effect<void> =>
  Effect.suspend(() => writeWhole(fitted(text, process.stdout)))

/** Like `write`, without wrapping: for text that programs read or people copy. */
export const writeWhole = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${escapeControls(text)}\n`)
  })

/** Like `writeWhole`, for callbacks that run outside Effect. */
export const sayNow = (text: string): void => {
  process.stdout.write(`${escapeControls(text)}\n`)
}

/** Like `writeWhole`, without a final line break. */
export const writePart = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(escapeControls(text))
  })

/**
 * Like `writeWhole`, for a content whose control characters are escaped already and whose tabs stay. Ends with a line
 * break if the text does not.
 */
export const writeContent = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const escaped = text.split("\t").map(escapeControls).join("\t")
    process.stdout.write(escaped === "" || escaped.endsWith("\n") ? escaped : `${escaped}\n`)
  })

/** Writes bytes to the standard output as they are: for files and programs. */
export const writeBytes = (bytes: Uint8Array): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(bytes)
  })

/** Writes a remark to the standard error, wrapped to the terminal's width. */
export const note = (text: string): Effect.Effect<void> => Effect.suspend(() => noteWhole(fitted(text, process.stderr)))

/** Like `note`, without wrapping: for text that programs read. */
export const noteWhole = (text: string): Effect.Effect<void> => Effect.sync(() => noteNow(text))

/** Like `noteWhole`, for callbacks that run outside Effect. */
export const noteNow = (text: string): void => {
  process.stderr.write(`${escapeControls(text)}\n`)
}

export const fitted = (text: string, stream: NodeJS.WriteStream): string => {
  const columns = columnsOf(stream)
  return text
    .split("\n")
    .flatMap((line) => Wrap.line(line, columns))
    .join("\n")
}

/**
 * Escapes invisible characters and terminal control sequences, except the colours of `Style`. This is the second line
 * of defence: printers already escape texts of plugins and models with `Text.oneLine`.
 */
const escapeControls = (text: string): string =>
  text
    .split(COLOURS)
    .map((part, index) => (index % 2 === 0 ? Text.visibleLines(part) : part))
    .join("")

const COLOURS = /(\p{Cc}\[(?:1|2|22|3[1-9])m)/u

/** The columns of the stream's terminal. Without a terminal: the variable `COLUMNS`, else `without`. */
export const columnsOf = (stream: NodeJS.WriteStream, without = Number.POSITIVE_INFINITY): number => {
  // A terminal of unknown size reports 0.
  const told = stream.columns === 0 ? undefined : stream.columns
  const columns = told ?? Number(WHOLE_NUMBER.exec(process.env.COLUMNS ?? "")?.[0] ?? without)
  return Math.max(LEAST_COLUMNS, columns)
}

const WHOLE_NUMBER = /^[1-9]\d{0,5}$/

/** In a narrower terminal, the terminal itself breaks the lines. */
const LEAST_COLUMNS = 20

/** The style of a stream, with colours if it is a terminal and `NO_COLOR` is not set (no-color.org). */
export const styleOf = (stream: NodeJS.WriteStream): Style.Style => ({
  ...(stream.isTTY === true && (process.env.NO_COLOR ?? "") === "" ? Style.coloured : Style.plain),
  columns: columnsOf(stream),
})
