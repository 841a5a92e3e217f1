/** Finds the files to import and the format of each. */

import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, Either } from "effect"
import { defined } from "../../values/defined.ts"
import { groupBy } from "../../values/groupBy.ts"
import type { Framing } from "../protobuf/Frames.ts"
import { parsed } from "../runs/Untrusted.ts"
import type { FileBeginning, FileHead, Source } from "../Source.ts"
import { headBytesOf, headOf } from "./Head.ts"
import { filesOf, NO_FILES } from "./Listing.ts"
import * as NoFormat from "./NoFormat.ts"
import { FileRefused, unreadable } from "./SourceText.ts"

export interface Found {
  readonly file: string
  readonly source: Source
  readonly form: "lines" | "document" | "text" | "messages" | "dataset"
  /** Of a file of messages. */
  readonly framing?: Framing
  /** Whether it is an archive, whose parts are the records. */
  readonly zipped: boolean
  /** Names of the pieces, in order, if `file` is the directory of a run in pieces. */
  readonly pieces?: ReadonlyArray<string>
  readonly beginning?: FileBeginning
  /** Creation time in epoch milliseconds, where the file system has one. */
  readonly madeAt?: number
  /** All files of a run that spans several, by time; `file` is the first. */
  readonly parts?: ReadonlyArray<string>
}

/** Files to import, and files of directories without a known format. */
export interface Findings {
  readonly found: ReadonlyArray<Found>
  readonly unknown: ReadonlyArray<string>
  /** What each of them is instead. */
  readonly unknownBecause: Readonly<Record<string, string>>
  /** Symbolic links in named directories that may lead to runs; they are not followed. */
  readonly links: ReadonlyArray<string>
  /** Number of skipped files in named directories, by file ending. */
  readonly others: ReadonlyMap<string, number>
  /** Unreadable files and directories, and files that match two formats. */
  readonly refused: ReadonlyArray<FileRefused>
}

/**
 * Finds files. A named file must match exactly one of the formats; files of directories that match none are listed as
 * unknown. Symbolic links in directories are not followed. With `lenient`, named files are treated like those of
 * directories.
 */
export const find = (
  paths: ReadonlyArray<string>,
  sources: ReadonlyArray<Source>,
  lenient = false,
): Effect.Effect<Findings, FileRefused> =>
  Effect.gen(function* () {
    const found: Array<Found> = []
    const unknown = new Map<string, string>()
    const links: Array<string> = []
    const endings: Array<string> = []
    const refused: Array<FileRefused> = []
    for (const named of paths) {
      const listing = lenient ? { ...NO_FILES, files: [named] } : yield* filesOf(named)
      if (listing !== undefined) {
        links.push(...listing.links)
        endings.push(...listing.others)
        refused.push(...listing.unreadable)
        for (const file of listing.files) {
          const format = yield* Effect.either(formatOf(file, sources))
          if (Either.isLeft(format)) refused.push(format.left)
          else if ("is" in format.right) unknown.set(file, format.right.is)
          else found.push({ file, ...format.right })
        }
      } else {
        const format = yield* formatOf(named, sources)
        if ("is" in format) {
          const expected = `a ${sources.map(({ title }) => title).join(", a ")}`
          return yield* new FileRefused({ file: named, expected, found: format.is })
        }
        found.push({ file: named, ...format })
      }
    }
    const once = new Map(found.map((one) => [path.resolve(one.file), one]))
    const all = inRuns(inPieces([...once.values()]))
    const beside = new Set(all.flatMap(companionsOf))
    const sets = all.filter(({ form }) => form === "dataset").map(({ file }) => path.dirname(path.resolve(file)))
    const isOfSet = (file: string) => sets.some((directory) => file.startsWith(`${directory}${path.sep}`))
    const others = [...unknown].filter(([file]) => !beside.has(path.resolve(file)) && !isOfSet(path.resolve(file)))
    const ofData = new Set(all.flatMap(({ source }) => source.dataEndings ?? []))
    const unread = endings.filter((ending) => !ofData.has(ending))
    return {
      found: all,
      unknown: others.map(([file]) => file),
      unknownBecause: Object.fromEntries(others),
      links,
      others: new Map([...groupBy(unread, (ending) => [ending])].map(([ending, all]) => [ending, all.length])),
      refused,
    }
  })

const companionsOf = ({ file, source, pieces }: Found): ReadonlyArray<string> => {
  const directory = pieces === undefined ? path.dirname(file) : file
  return (source.companions ?? []).map((name) => path.resolve(directory, name))
}

/** Groups the pieces of a run into one entry, in the place of the first. */
const inPieces = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const runs = new Map<string, Array<string>>()
  const once = found.flatMap((one) => {
    const name = path.basename(one.file)
    if (one.source.piece?.test(name) !== true) return [one]
    const file = path.dirname(one.file)
    const known = runs.get(file)
    known?.push(name)
    if (known !== undefined) return []
    const pieces = [name]
    runs.set(file, pieces)
    return [{ ...one, file, pieces }]
  })
  for (const pieces of runs.values()) pieces.sort()
  return once
}

/**
 * Groups the files of each run and orders runs by time. Files whose format does not tell come first, in their own
 * order.
 */
const inRuns = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const told = found.filter(({ beginning }) => beginning !== undefined).sort(byTime)
  const runs = [...groupBy(told, ({ source, beginning }) => [`${source.name} ${beginning?.run}`])].map(([, files]) =>
    oneOf(files),
  )
  const others = found.filter(({ beginning }) => beginning === undefined)
  return [...others, ...runs]
}

const oneOf = (files: ReadonlyArray<Found>): Found => {
  const first = files[0] as Found
  if (files.length === 1 || first.beginning === undefined) return first
  const isOutOfOrder = files.some(({ beginning }) => beginning?.isOutOfOrder === true)
  return {
    ...first,
    parts: files.map(({ file }) => file),
    beginning: isOutOfOrder ? { ...first.beginning, isOutOfOrder } : first.beginning,
  }
}

const byTime = (a: Found, b: Found): number => {
  const [one, other] = [timesOf(a), timesOf(b)]
  const index = one.findIndex((value, place) => value !== other[place])
  return index < 0 ? 0 : (one[index] as number) < (other[index] as number) ? -1 : 1
}

const timesOf = ({ beginning, madeAt = 0 }: Found): ReadonlyArray<number> => [
  beginning?.at ?? Number.POSITIVE_INFINITY,
  beginning?.rank ?? 0,
  madeAt,
]

/** A file's format, or what the file is instead. Fails if two formats match. */
const formatOf = (
  file: string,
  sources: ReadonlyArray<Source>,
): Effect.Effect<Omit<Found, "file"> | { readonly is: string }, FileRefused> =>
  Effect.gen(function* () {
    const bytes = yield* Effect.tryPromise({
      try: () => headBytesOf(file),
      catch: unreadable(file),
    })
    const head = headOf(file, bytes)
    const framings = new Map(sources.map((source) => [source, source.messages?.(bytes)]))
    const isOf = (source: Source) => framings.get(source) !== undefined || source.recognizes(head)
    const all = sources.filter(isOf)
    const particular = all.filter(({ isGeneral }) => isGeneral !== true)
    const [first, second] = particular.length > 0 ? particular : all
    if (first !== undefined && second !== undefined)
      return yield* new FileRefused({
        file,
        expected: "a file of one format",
        found: `one that matches two: ${first.title} and ${second.title}; choose with --from ${first.name} or --from ${second.name}`,
      })
    if (first === undefined) return { is: NoFormat.kindOf(file, head, bytes, sources) }
    const beginning = first.beginning?.(head)
    const framing = framings.get(first)
    const form = framing === undefined ? formIn(head, first) : "messages"
    const told = { source: first, form, zipped: head.zipped, ...defined({ framing }) } as const
    if (beginning === undefined) return told
    const { birthtimeMs } = yield* Effect.tryPromise({ try: () => fs.stat(file), catch: unreadable(file) })
    return { ...told, beginning, madeAt: birthtimeMs }
  })

/** A value over several lines, or longer than the head, is a document. */
const formIn = ({ text, lines }: FileHead, { form }: Source): Exclude<Found["form"], "messages"> => {
  if (form !== "either") return form
  const begin = text.trimStart()
  const line = begin.split("\n", 1)[0] ?? ""
  // An indented document has lines that are objects, too.
  if (/^[[{\s]+$/.test(line) && line.length < begin.length) return "document"
  const isCut = parsed(line) === undefined && /^[[{]/.test(line) && line.length < begin.length
  return isCut && lines.length === 0 ? "document" : "lines"
}
