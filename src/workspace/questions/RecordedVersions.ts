/** The versions of one recorded file up to a moment, and their origins. */
import { Effect } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import * as FileVersions from "../history/FileVersions.ts"
import * as Origin from "../history/Origin.ts"
import * as OriginDocument from "./OriginDocument.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

export const of = (recorded: RecordedFiles.RecordedFiles, typed: string) =>
  Effect.gen(function* () {
    const path = yield* RecordedFiles.pathOf(recorded, typed)
    const { looks, entryIn } = recorded
    return { path, versions: yield* RecordedFiles.reading(() => FileVersions.of(looks, path, entryIn)) }
  })

/** The last version. */
export const lastOf = (recorded: RecordedFiles.RecordedFiles, typed: string) =>
  Effect.gen(function* () {
    const { path, versions } = yield* of(recorded, typed)
    const version = versions.at(-1)
    if (version !== undefined) return { path, version }
    return yield* new RecordedFiles.FileNotRecorded({ file: typed, found: "no version of it", advice: "" })
  })

/** The last versions, with their origins. */
export const originsOf = (recorded: RecordedFiles.RecordedFiles, typed: string, limit = Number.POSITIVE_INFINITY) =>
  Effect.gen(function* () {
    const { path, versions } = yield* of(recorded, typed)
    const { originOf } = Origin.finder(recorded.log)
    const first = Math.max(0, versions.length - limit)
    const shown = yield* Effect.forEach(versions.slice(first), (version) =>
      Effect.map(originOf(version.look), (origin) => ({ version, origin })),
    )
    const before = versions[first - 1]
    return { path, shown, earlier: before && earlierOf(before, first, recorded.timeline) }
  })

/** The versions that a limit left out: the history of `path` at `at` shows them. */
export interface Earlier {
  readonly count: number
  readonly path: string
  readonly at: string
}

const earlierOf = ({ path, look }: FileVersions.FileVersion, count: number, timeline: string): Earlier => ({
  count,
  path,
  at: `${timeline === MAIN ? "" : timeline}@${look.event.position}`,
})

/** The versions of a file, oldest first. */
export interface FileHistory {
  readonly root: string
  readonly path: string
  readonly timeline: string
  readonly at: number
  readonly versions: ReadonlyArray<OriginDocument.VersionOrigin>
  /** Present if a limit left out earlier versions. */
  readonly earlier?: Earlier
}

export const document = (
  { root, timeline, position }: RecordedFiles.RecordedFiles,
  { path, shown, earlier }: Effect.Effect.Success<ReturnType<typeof originsOf>>,
): FileHistory => ({
  root,
  path,
  timeline,
  at: position,
  versions: shown.map(({ version, origin }) => OriginDocument.ofVersion(version, origin)),
  ...(earlier === undefined ? {} : { earlier }),
})
