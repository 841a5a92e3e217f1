/** Writes the recorded files of a moment into a directory of their own. */
import { Data, Effect } from "effect"
import type { Contents } from "../history/Content.ts"
import type { Tree } from "../model/Entry.ts"
import * as RestoreInto from "../restore/RestoreInto.ts"
import * as RecordedContent from "./RecordedContent.ts"
import type { Opened } from "./RecordedFiles.ts"

/** The system refused to write. */
export class NotWritten extends Data.TaggedError("NotWritten")<{
  readonly directory: string
  readonly reason: string
}> {
  override get message() {
    return `${this.directory}: expected a directory to write to, found ${this.reason}.`
  }
}

/** A restored directory, and the moment of its files. */
export interface RestoredFiles extends RestoreInto.Restored {
  readonly root: string
  readonly timeline: string
  readonly at: number
}

export const into = (opened: Opened, directory: string) =>
  Effect.gen(function* () {
    const { root, timeline, position, store } = opened
    const tree = yield* RecordedContent.tree(opened)
    const restored = yield* write(directory, tree, store)
    return { ...restored, root, timeline, at: position } satisfies RestoredFiles
  })

/** Writes a tree into an empty directory, or a new one. */
export const write = (
  directory: string,
  tree: Tree,
  contents: Contents,
): Effect.Effect<RestoreInto.Restored, RestoreInto.DirectoryUnfit | NotWritten> =>
  Effect.try({
    try: () => RestoreInto.into(directory, tree, contents),
    catch: (cause) => {
      if (cause instanceof RestoreInto.DirectoryUnfit) return cause
      // The system's refusals have codes.
      if (!(cause instanceof Error && "code" in cause)) throw cause
      return new NotWritten({ directory, reason: cause.message })
    },
  })
