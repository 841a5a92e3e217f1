/** Contents of recorded files at a moment. */
import { Data, Effect } from "effect"
import { at } from "../../values/Formats.ts"
import * as Content from "../history/Content.ts"
import * as FileVersions from "../history/FileVersions.ts"
import type { Look } from "../history/Looks.ts"
import type { Entry, Tree } from "../model/Entry.ts"
import type { StoreUnavailable } from "../store/StoreFile.ts"
import { FileNotRecorded, type RecordedFiles, reading } from "./RecordedFiles.ts"

/** The log says that a content was there, and the store does not have it. */
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
  { treeOf, root, position }: RecordedFiles,
  looks: ReadonlyArray<Look>,
): Effect.Effect<Tree, ContentNotRecorded | StoreUnavailable> =>
  Effect.filterOrFail(
    reading(() => FileVersions.treeAfter(looks, treeOf)),
    (tree): tree is Tree => tree !== undefined,
    () => new ContentNotRecorded({ file: root, position, reason: "the store lacks the files at the task's start" }),
  )

/** A file's entry at the moment. */
export const entryAt = (recorded: RecordedFiles, path: string) =>
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
export const bytesOf = ({ store, position }: RecordedFiles, path: string, entry: Entry) =>
  Effect.gen(function* () {
    const content = yield* reading(() => Content.of(entry, store))
    if (content.kind === "text" || content.kind === "binary") return content
    const reason = content.kind === "unknown" ? Content.WHY[content.why] : "it is missing"
    return yield* new ContentNotRecorded({ file: path, position, reason })
  })

export const textAt = (recorded: RecordedFiles, path: string) =>
  Effect.gen(function* () {
    const { bytes, kind } = yield* bytesOf(recorded, path, yield* entryAt(recorded, path))
    if (kind === "text") return bytes
    return yield* new ContentNotRecorded({ file: path, position: recorded.position, reason: "it is binary" })
  })
