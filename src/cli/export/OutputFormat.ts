/** The formats of output files: the endings of each, and the format that a file name chooses. */
import * as path from "node:path"
import { Effect, Option } from "effect"
import { BadInput } from "../command/BadInput.ts"

interface Format {
  readonly holds: string
  readonly ends: ReadonlyArray<string>
}

const LINES = ["jsonl", "ndjson"]

const FORMATS = {
  jsonl: { holds: "JSON Lines", ends: LINES },
  json: { holds: "JSON", ends: ["json"] },
  csv: { holds: "CSV", ends: ["csv"] },
  parquet: { holds: "a Parquet table", ends: ["parquet"] },
  markdown: { holds: "Markdown", ends: ["md", "markdown"] },
  html: { holds: "an HTML page", ends: ["html", "htm"] },
  mcap: { holds: "MCAP", ends: ["mcap"] },
  inspect: { holds: "samples of Inspect, one per line", ends: LINES },
  otlp: { holds: "OTLP/JSON, one document per line", ends: [...LINES, "json"] },
  piaavt: { holds: "JSON Lines of PiaAVT", ends: LINES },
  svg: { holds: "an SVG image", ends: ["svg"] },
  log: { holds: "a log", ends: ["db", "sqlite", "sqlite3"] },
} satisfies Readonly<Record<string, Format>>

export type Name = keyof typeof FORMATS

/**
 * Endings of formats that Hindcast does not write. A file with such a name would not hold the format that its name
 * promises.
 */
const FOREIGN = [
  ...["arrow", "avro", "bz2", "feather", "gz", "pdf", "png", "tar", "tgz", "toml", "tsv", "xls", "xlsx", "xml"],
  ...["xz", "yaml", "yml", "zip", "zst"],
]

const KNOWN: ReadonlySet<string> = new Set([...Object.values(FORMATS).flatMap(({ ends }) => ends), ...FOREIGN])

/**
 * The ending of a file's name in lower case. `undefined` for names without one, such as `-`, and for endings that are
 * version numbers.
 */
const endOf = (file: string): string | undefined => /^\.([a-z]\w*)$/i.exec(path.extname(file))?.[1]?.toLowerCase()

const endsOf = (name: Name): ReadonlyArray<string> => FORMATS[name].ends

const listed = (ends: ReadonlyArray<string>): string => ends.map((end) => `.${end}`).join(" or ")

/**
 * Fails if the file's name promises another format than `name`. Accepts names without an ending, or with an ending that
 * promises no format.
 *
 * @param input the option that named the file
 */
export const check = (input: string, file: string, name: Name): Effect.Effect<void, BadInput> => {
  const end = endOf(file)
  if (end === undefined || endsOf(name).includes(end) || !KNOWN.has(end)) return Effect.void
  const expected = `a name that ends in ${listed(endsOf(name))}, or has no ending, for ${FORMATS[name].holds}`
  return new BadInput({ input: `${input} ${file}`, expected, found: `.${end}`, advice: "Nothing was written." })
}

/**
 * The format of `--output`: the one of `--format`, else the one of the file's ending, else, without an ending, the
 * first of `names`. Fails for any other ending.
 *
 * @param names the formats that the command writes
 */
export const choose = <Choice extends Name>(
  file: string,
  named: Option.Option<Choice>,
  names: readonly [Choice, ...ReadonlyArray<Choice>],
): Effect.Effect<Choice, BadInput> => {
  if (Option.isSome(named)) return Effect.as(check("--output", file, named.value), named.value)
  const end = endOf(file)
  if (end === undefined) return Effect.succeed(names[0])
  const chosen = names.find((name) => endsOf(name).includes(end))
  if (chosen !== undefined) return Effect.succeed(chosen)
  const expected = `a name that ends in ${listed(names.flatMap(endsOf))}, or has no ending, or --format ${names.join("|")}`
  return new BadInput({ input: `--output ${file}`, expected, found: `.${end}`, advice: "Nothing was written." })
}
