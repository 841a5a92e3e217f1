/** A recorded file with its content, if the store has it. */
import { Effect } from "effect"
import * as Content from "../history/Content.ts"
import * as ListedFiles from "./ListedFiles.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

/** A recorded file and its content. */
export interface RecordedFile extends ListedFiles.ListedFile {
  readonly root: string
  readonly timeline: string
  readonly at: number
  /** Of a link, its target's name. */
  readonly content: RecordedText | RecordedBytes | UnknownContent
}

/** A text, and its bytes. */
export interface RecordedText {
  readonly kind: "text"
  readonly text: string
  readonly bytes: Uint8Array
}

/** A content with a NUL among its first 8,000 bytes. */
export interface RecordedBytes {
  readonly kind: "binary"
  readonly bytes: Uint8Array
}

/** The store lacks the content. */
export interface UnknownContent {
  readonly kind: "unknown"
  /** `gone`: the store should have it. `purged`: a person removed it. Others: snapshots left it out. */
  readonly why: keyof typeof Content.WHY
  /** `why` in words. */
  readonly reason: string
}

/** A file at the moment, by a path as typed. */
export const read = (opened: RecordedFiles.Opened, typed: string) =>
  Effect.gen(function* () {
    const { path, entry } = yield* RecordedContent.fileAt(opened, typed)
    const content = yield* RecordedFiles.reading(() => Content.of(entry, opened.store))
    const { root, timeline, position } = opened
    return { root, timeline, at: position, ...ListedFiles.ofEntry(path, entry), content: contentOf(content) }
  })

const contentOf = (content: Content.Content): RecordedFile["content"] => {
  switch (content.kind) {
    case "text":
      return { kind: "text", text: Content.textOf(content.bytes), bytes: content.bytes }
    case "binary":
      return { kind: "binary", bytes: content.bytes }
    case "unknown":
      return { kind: "unknown", why: content.why, reason: Content.WHY[content.why] }
    case "missing":
      return { kind: "unknown", why: "gone", reason: Content.WHY.gone }
  }
}
