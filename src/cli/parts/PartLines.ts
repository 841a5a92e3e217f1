/**
 * The file of one part of a command's work: lines of JSON. The first says what it is a part of; each item has a key, in
 * ascending order; the last has the number of items and the SHA-256 of all lines before it, so that a file that broke
 * off is noticed.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import type { Readable } from "node:stream"
import { Data, Either, Schema } from "effect"
import { MAX_PARTS, type TaskPart } from "../../events/log/TaskPart.ts"
import * as PartOption from "./PartOption.ts"

/** Of what a file is a part. */
export interface PartOf {
  /** The kind of the items. */
  readonly kind: "verdicts" | "audits" | "files" | "heads"
  /** SHA-256 of all that parts of the same work have in common. */
  readonly about: string
  readonly part: TaskPart
}

/** The place of an item among those of all parts: compared by the first number, then by the second. */
export type Key = readonly [number, number]

export interface Item {
  readonly key: Key
  readonly value: unknown
}

/** A part that cannot be used. Nothing of it counts as done. */
export class PartUnusable extends Data.TaggedError("PartUnusable")<{
  /** A file, or the text of the part. */
  readonly part: string
  readonly reason: string
  /** Whether its process ended in the middle, so that doing it again may help. */
  readonly died?: boolean
}> {
  override get message() {
    return `Part ${this.part} cannot be used: ${this.reason}. Nothing was left out or finished without it.`
  }
}

const Header = Schema.Struct({
  hindcast: Schema.Literal("part"),
  format: Schema.Literal(1),
  kind: Schema.Literal("verdicts", "audits", "files", "heads"),
  about: Schema.String,
  part: Schema.Int.pipe(Schema.between(1, MAX_PARTS)),
  of: Schema.Int.pipe(Schema.between(1, MAX_PARTS)),
})

const Line = Schema.Union(
  Schema.Struct({ key: Schema.Tuple(Schema.Finite, Schema.Finite), value: Schema.Unknown }),
  Schema.Struct({ end: Schema.Struct({ items: Schema.NonNegativeInt, sha256: Schema.String }) }),
)

const decodeLine = Schema.decodeUnknownEither(Line)

type Ended = Extract<typeof Line.Type, { readonly end: unknown }>["end"]

/** Writes the lines of a part, in order. */
export class PartWriter {
  readonly #digest = crypto.createHash("sha256")
  #items = 0

  begin({ kind, about, part: { index, of } }: PartOf): string {
    return this.#line({ hindcast: "part", format: 1, kind, about, part: index + 1, of })
  }

  item(key: Key, value: unknown): string {
    this.#items += 1
    return this.#line({ key, value })
  }

  end(): string {
    return `${JSON.stringify({ end: { items: this.#items, sha256: this.#digest.copy().digest("hex") } })}\n`
  }

  #line(content: object): string {
    const line = `${JSON.stringify(content)}\n`
    this.#digest.update(line)
    return line
  }
}

/** Compares keys of items. */
export const compare = (one: Key, other: Key): number => one[0] - other[0] || one[1] - other[1]

/** A part that is being read: what it is, and its items. */
export interface PartReading {
  readonly of: PartOf
  /** In batches as they arrive. Throws `PartUnusable` unless the part is whole. */
  readonly items: AsyncIterable<ReadonlyArray<Item>>
}

/**
 * Reads a part's lines. Rejects with `PartUnusable`.
 *
 * @param name for errors
 */
export const read = async (name: string, input: Readable): Promise<PartReading> => {
  const unusable = (reason: string, died = false) => new PartUnusable({ part: name, reason, died })
  const batches = linesOf(input)
  const digest = crypto.createHash("sha256")
  const next = async () => {
    try {
      const { done, value } = await batches.next()
      return done === true ? undefined : value
    } catch (cause) {
      throw unusable(cause instanceof Error ? cause.message : String(cause))
    }
  }
  const [first, ...rest] = (await next()) ?? []
  if (first === undefined) throw unusable("expected a file that --part wrote, found no whole line", true)
  const header = Schema.decodeUnknownEither(Header)(parsed(first))
  if (Either.isLeft(header) || header.right.part > header.right.of)
    throw unusable("expected a file that --part wrote, found another")
  digest.update(`${first}\n`)
  const { kind, about, part, of } = header.right

  async function* items(): AsyncGenerator<ReadonlyArray<Item>> {
    let count = 0
    let last: Key | undefined
    let end: Ended | undefined
    const itemOf = (text: string): Item | undefined => {
      if (end !== undefined) throw unusable("it goes on after its end")
      const line = decodeLine(parsed(text))
      if (Either.isLeft(line)) throw unusable(`line ${count + 2} is damaged`, true)
      if ("end" in line.right) {
        end = line.right.end
        if (end.items !== count || end.sha256 !== digest.digest("hex"))
          throw unusable("it was changed after it was written")
        return undefined
      }
      digest.update(`${text}\n`)
      if (last !== undefined && compare(last, line.right.key) >= 0) throw unusable("its items are not in order")
      last = line.right.key
      count += 1
      return line.right
    }
    for (let lines: ReadonlyArray<string> | undefined = rest; lines !== undefined; lines = await next()) {
      const found = lines.flatMap((text) => itemOf(text) ?? [])
      if (found.length > 0) yield found
    }
    if (end === undefined) throw unusable(`it broke off after ${count} items`, true)
  }
  return { of: { kind, about, part: { index: part - 1, of } }, items: items() }
}

/** Reads a file that `--part` wrote. */
export const readFile = async (file: string): Promise<PartReading> => {
  const input = fs.createReadStream(file)
  await new Promise<void>((resolve, reject) => {
    input.once("open", () => resolve())
    input.once("error", ({ message }) => reject(new PartUnusable({ part: file, reason: message })))
  })
  return read(file, input)
}

/** In characters: a file of something else may have no line breaks at all. */
const MAX_LINE = 256 * 1024 * 1024

/**
 * Lines that end with a line feed, in batches of at least one: a line without a line feed broke off. Other separators are
 * part of texts (`readline` would split at them).
 */
async function* linesOf(input: Readable): AsyncGenerator<ReadonlyArray<string>> {
  let rest: Array<string> = []
  let length = 0
  for await (const chunk of input.setEncoding("utf8")) {
    const [first = "", ...others] = String(chunk).split("\n")
    rest.push(first)
    length += first.length
    if (length > MAX_LINE) throw new Error("a line is too long")
    const last = others.pop()
    if (last === undefined) continue
    yield [rest.join(""), ...others]
    rest = [last]
    length = last.length
  }
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The name of a part for messages. */
export const nameOf = ({ part }: Pick<PartOf, "part">): string => PartOption.textOf(part)
