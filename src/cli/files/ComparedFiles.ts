/** Compares the contents before and after a change of a recorded file. */
import * as Content from "../../workspace/history/Content.ts"
import * as UnifiedDiff from "../../workspace/history/UnifiedDiff.ts"
import type * as Changes from "../../workspace/model/Changes.ts"
import type * as DiffLines from "../pages/files/DiffLines.ts"

export const of = (change: Changes.Change, contents: Content.Contents): DiffLines.Compared => {
  const before = Content.of(change.kind === "added" ? undefined : change.before, contents)
  const after = Content.of(change.kind === "removed" ? undefined : change.after, contents)
  const isComparable = [before, after].every(({ kind }) => kind === "text" || kind === "missing")
  return {
    change,
    before,
    after,
    diff: isComparable ? UnifiedDiff.between(bytesOf(before), bytesOf(after)) : undefined,
  }
}

const bytesOf = (content: Content.Content): Uint8Array => (content.kind === "text" ? content.bytes : new Uint8Array(0))
