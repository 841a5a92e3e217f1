/** Contents of recorded files at a moment. */
import { Data, Effect } from "effect"
import { at } from "../../values/Formats.ts"
import * as Content from "../history/Content.ts"
import * as FileVersions from "../history/FileVersions.ts"
import type { Look } from "../history/Looks.ts"
import type { Entry, Tree } from "../model/Entry.ts"
import type { StoreUnavailable } from "../store/StoreFile.ts"
import * as RecordedFiles from "./RecordedFiles.ts"
import { FileNotRecorded, reading } from "./RecordedFiles.ts"

/** The log refers to a content that the store does not contain. */
export class ContentNotRecorded extends Data.TaggedError("ContentNotRecorded")<{
  readonly file: string
  readonly position: number
  readonly reason: string
}> {
  override get message() {
    return `${this.file} at ${at(this.position)}: expected a recorded content, found none: ${this.reason}.`
  }
}

export const treeAfter = (
  { treeOf, root, position }: RecordedFiles.Opened,
  looks: ReadonlyArray<Look>,
): Effect.Effect<Tree, ContentNotRecorded | StoreUnavailable> =>
  Effect.filterOrFail(
    reading(() => FileVersions.treeAfter(looks, treeOf)),
    (tree): tree is Tree => tree !== undefined,
    () => new ContentNotRecorded({ file: root, position, reason: "the store lacks the files at the task's start" }),
  )

/** All files at the moment. */
export const tree = (opened: RecordedFiles.Opened) =>
  Effect.flatMap(RecordedFiles.lastLooks(opened), (looks) => treeAfter(opened, looks))

/** A file at the moment, by a path as typed. Reads all looks only if no file has that path at the moment. */
export const fileAt = (opened: RecordedFiles.Opened, typed: string) =>
  Effect.gen(function* () {
    const [first = typed] = RecordedFiles.meanings(opened, typed)
    const looks = yield* RecordedFiles.lastLooks(opened)
    const { entry } = yield* reading(() => FileVersions.entryAfter(looks, first, opened.entryIn))
    if (entry !== undefined) return { path: first, entry }
    const recorded = yield* RecordedFiles.withLooks(opened)
    const path = yield* RecordedFiles.pathOf(recorded, typed)
    return { path, entry: yield* entryAt(recorded, path) }
  })

/** A file's entry at the moment. */
export const entryAt = (recorded: RecordedFiles.RecordedFiles, path: string) =>
  Effect.gen(function* () {
    const { looks, entryIn, position } = recorded
    const tree = yield* treeAfter(recorded, looks)
    const entry = tree.get(path)
    if (entry !== undefined) return entry
    const versions = yield* reading(() => FileVersions.of(looks, path, entryIn))
    const gone = versions.findLast(({ kind }) => kind === "removed")
    return yield* new FileNotRecorded({
      file: path,
      found: `none at ${at(position)}${gone === undefined ? "" : `: it was removed at ${at(gone.look.event.position)}`}`,
      advice: ` \`hindcast files history ${path}\` shows when it was there.`,
    })
  })

/** The bytes of an entry. */
export const bytesOf = ({ store, position }: RecordedFiles.Opened, path: string, entry: Entry) =>
  Effect.gen(function* () {
    const content = yield* reading(() => Content.of(entry, store))
    if (content.kind === "text" || content.kind === "binary") return content
    const reason = content.kind === "unknown" ? Content.WHY[content.why] : "it is missing"
    return yield* new ContentNotRecorded({ file: path, position, reason })
  })

export const textAt = (recorded: RecordedFiles.RecordedFiles, path: string) =>
  Effect.gen(function* () {
    const { bytes, kind } = yield* bytesOf(recorded, path, yield* entryAt(recorded, path))
    if (kind === "text") return bytes
    return yield* new ContentNotRecorded({ file: path, position: recorded.position, reason: "it is binary" })
  })
