/** Finds the call that wrote each line of a recorded file. */
import { Data, Effect } from "effect"
import * as BlamedFile from "../history/BlamedFile.ts"
import * as FileBlame from "../history/FileBlame.ts"
import type { FileVersion } from "../history/FileVersions.ts"
import * as OriginDocument from "./OriginDocument.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"
import * as RecordedVersions from "./RecordedVersions.ts"

/** The file has no such line. */
export class LineOutOfRange extends Data.TaggedError("LineOutOfRange")<{
  readonly file: string
  readonly lines: number
  readonly found: string
}> {
  override get message() {
    const { file, lines, found } = this
    return `${file}: expected ${lines === 0 ? "no line, since the file is empty" : `a line from 1 to ${lines}`}, found ${found}.`
  }
}

/** No recorded version contains the line, or its content is unknown. */
export class OriginUnknown extends Data.TaggedError("OriginUnknown")<{ readonly file: string; readonly line: number }> {
  override get message() {
    return `${this.file}: expected a line of a recorded version, found line ${this.line}, whose origin is not known.`
  }
}

export interface Asked {
  /** The content to blame. Default: the recorded one of the moment. */
  readonly content?: Uint8Array | undefined
  /** The first and the last line. Default: all. */
  readonly first?: number | undefined
  readonly last?: number | undefined
  /** Whether to look for the agent's readings. */
  readonly read: boolean
}

/** Blames a content by the versions of its file. Fails if the file lacks the first line. */
export const of = (recorded: RecordedFiles.RecordedFiles, typed: string, { content, first, last, read }: Asked) =>
  Effect.gen(function* () {
    const { path, versions } = yield* RecordedVersions.of(recorded, typed)
    const present = content ?? (yield* RecordedContent.textAt(recorded, path))
    const whole = yield* RecordedFiles.reading(() => FileBlame.of(versions, present, recorded.store))
    const count = whole.lines.length
    const to = Math.min(last ?? count, count)
    if (first !== undefined && !(first >= 1 && first <= to)) {
      const found = first > count || last === undefined ? `line ${first}` : `lines ${first} to ${last}`
      return yield* new LineOutOfRange({ file: typed, lines: count, found })
    }
    const blamed = yield* BlamedFile.of(recorded.log, versions, whole, { first, last: to, read })
    return { path, from: first ?? 1, blamed }
  })

/**
 * Blames some lines of a content, starting at a line, with the agent's readings before each writing. Empty beyond the
 * end.
 */
export const page = (
  recorded: RecordedFiles.RecordedFiles,
  typed: string,
  content: Uint8Array,
  first: number,
  most: number,
) =>
  Effect.gen(function* () {
    const { versions } = yield* RecordedVersions.of(recorded, typed)
    const whole = yield* RecordedFiles.reading(() => FileBlame.of(versions, content, recorded.store))
    const last = Math.min(first + most - 1, whole.lines.length)
    const blamed = yield* BlamedFile.of(recorded.log, versions, whole, { first, last, read: true })
    return { total: whole.lines.length, blamed }
  })

/** The version that a line comes from. */
export const versionOfLine = (recorded: RecordedFiles.RecordedFiles, typed: string, line: number) =>
  Effect.gen(function* () {
    const { path, blamed } = yield* of(recorded, typed, { first: line, last: line, read: false })
    const [one] = blamed.lines
    const version = one && BlamedFile.versionOf(one.from)
    return version === undefined ? yield* new OriginUnknown({ file: typed, line }) : { path, version }
  })

/** A file's lines, and the versions that they come from. */
export interface BlamedLines {
  readonly root: string
  readonly path: string
  readonly timeline: string
  readonly at: number
  readonly lines: ReadonlyArray<LineOrigin>
  readonly versions: ReadonlyArray<BlamedVersion>
  /** True if the history is too large: lines that came back from its beginning count as new. */
  readonly earlyContentsDropped: boolean
}

/** A version that lines come from, and the agent's readings before, if the caller asked for them. */
export type BlamedVersion = OriginDocument.VersionOrigin & { readonly reading?: OriginDocument.ReadingOrigin }

/** A line, and the index of its version in `versions`. */
export type LineOrigin = {
  /** From 1 on. */
  readonly line: number
  readonly text: string
} & (
  | { readonly kind: "seen"; readonly version: number }
  /** No recorded version contains the line. */
  | { readonly kind: "not-seen" }
  /** It appeared with the version, whose content is unknown, or later, up to the position `until`, or up to now. */
  | { readonly kind: "unknown"; readonly version: number; readonly until: number | null }
  /**
   * It came with the version or is older: the contents around it differ too much. Without a version: with the last one.
   */
  | { readonly kind: "too-different"; readonly version?: number }
)

export const document = (
  { root, timeline, position }: RecordedFiles.RecordedFiles,
  path: string,
  { lines, origins, readings, hasDropped }: BlamedFile.BlamedFile,
): BlamedLines => {
  const places = new Map([...origins.keys()].map((version, index) => [version, index]))
  const placeOf = (version: FileVersion) => places.get(version) ?? -1
  const originOf = ({ line, text, from }: BlamedFile.BlamedLine): LineOrigin => {
    switch (from.kind) {
      case "seen":
        return { line, text, kind: from.kind, version: placeOf(from.origin) }
      case "unknown":
        return {
          ...{ line, text, kind: from.kind, version: placeOf(from.since) },
          until: from.until?.look.event.position ?? null,
        }
      case "too-different":
        return {
          ...{ line, text, kind: from.kind },
          ...(from.version === undefined ? {} : { version: placeOf(from.version) }),
        }
      case "not-seen":
        return { line, text, kind: from.kind }
    }
  }
  return {
    root,
    path,
    timeline,
    at: position,
    lines: lines.map(originOf),
    versions: [...origins].map(([version, origin]) => {
      const reading = readings.get(version)
      return {
        ...OriginDocument.ofVersion(version, origin),
        ...(reading === undefined ? {} : { reading: OriginDocument.ofReading(reading) }),
      }
    }),
    earlyContentsDropped: hasDropped,
  }
}
