/** The recorded files of a task's workspace at a position, and how they changed. */

/** What became of a file since the task began. */
export type FileChange = "added" | "changed" | "mode" | "removed" | "renamed"

/** A file in the tree. */
export interface FileRow {
  readonly path: string
  readonly kind: "file" | "link"
  /** In bytes; for a removed file, its last size. */
  readonly size: number
  /** Why the store lacks the content. */
  readonly omitted?: string
  /** Absent if the file is as the task found it. */
  readonly change?: FileChange
  /** The earlier path of a renamed file. */
  readonly from?: string
  /** Whether the last change up to the position is one of this file. */
  readonly now?: true
}

/** `GET /api/files?timeline=…&task=…&position=N`: the files after an event. */
export interface FilesThen {
  /** The directory, on the machine that recorded it. */
  readonly root: string
  /** The position; that of the first snapshot if it is later. */
  readonly at: number
  /** The position of the last change of a file up to then; that of the task's start if there was none. */
  readonly changedAt: number
  /** Present if no snapshot could be taken since an event: later changes are unknown. */
  readonly stopped?: { readonly at: number; readonly reason: string }
  /** Changed files, then the others in order of their paths; at most `MAX_FILES`. */
  readonly files: ReadonlyArray<FileRow>
  /** The number of files that changed and of all files, including those that are left out. */
  readonly changed: number
  readonly total: number
}

/** Files of one answer. */
export const MAX_FILES = 5_000

/** `GET /api/file?timeline=…&task=…&position=N&path=…&from=LINE`: a file after an event, each line with its origin. */
export interface FileThen {
  readonly path: string
  readonly at: number
  /** In bytes. */
  readonly size: number
  /** Why there are no lines: the content is binary or not recorded. */
  readonly reason?: string
  /** At most `MAX_LINES` from the asked line on. */
  readonly lines: ReadonlyArray<FileLine>
  /** The number of all lines. */
  readonly total: number
  /** The versions that the lines come from. */
  readonly versions: ReadonlyArray<FileVersion>
}

export interface FileLine {
  /** From 1 on. */
  readonly line: number
  readonly text: string
  /** The number of characters that are left out at the end of the text. */
  readonly cut?: number
  /**
   * `seen`: the line came with the version. `unknown`: with the version, whose content is unknown, or later.
   * `too-different`: with the version or earlier. `not-seen`: no recorded version has the line.
   */
  readonly kind: "seen" | "not-seen" | "unknown" | "too-different"
  /** The index in `versions`. */
  readonly version?: number
}

/** A version of the file, and what wrote it. */
export interface FileVersion {
  readonly position: number
  readonly occurredAt: number
  readonly task: string
  /** As `files blame --json` has it: `call`, `calls`, `start`, `no-call`, `not-watched` or `restored`. */
  readonly cause: string
  /** The call, or those of which one or several wrote it. Empty if the log does not have them. */
  readonly calls: ReadonlyArray<WritingCall>
  /** The positions at which the file changed after the agent had read it, and before the call wrote it. */
  readonly stale: ReadonlyArray<number>
}

/** A call with what led to it. Facts that the log does not have are absent. */
export interface WritingCall {
  readonly position: number
  readonly actuator: string
  /** JSON, at most `MAX_ARGS` characters. */
  readonly args: string
  /** The gate's rule that allowed it. */
  readonly rule?: string
  readonly approval?: { readonly position: number; readonly approved: boolean; readonly by: string }
  /** The last prompt before it, or the goal of its task; at most `MAX_ARGS` characters. */
  readonly prompt?: { readonly position: number; readonly text: string }
}

/** Lines of one answer, characters of each, and characters of arguments and prompts. */
export const MAX_LINES = 1_000
export const MAX_LINE = 2_000
export const MAX_ARGS = 400

/** Which changes are shown: of one event, since the last request to the model or prompt, or since the task's start. */
export const SPANS = ["step", "turn", "task"] as const

export type FilesSpan = (typeof SPANS)[number]

/** `GET /api/file-changes?timeline=…&task=…&position=N&span=step|turn|task`: how the files differ at two positions. */
export interface FileChanges {
  readonly from: number
  readonly to: number
  /** At most `MAX_CHANGES`. Lines are cut after `MAX_LINE` characters, and say so. */
  readonly files: ReadonlyArray<FileDifference>
  /** The number of all changed files. */
  readonly total: number
}

export const MAX_CHANGES = 500

/** How a file differs: its hunks, or why it cannot be compared by lines. */
export type FileDifference = {
  readonly path: string
  readonly kind: FileChange
  /** The earlier path of a renamed file. */
  readonly from?: string
} & (
  | {
      readonly added: number
      readonly removed: number
      /** False if the texts differ too much to be aligned: one hunk replaces all that differs. */
      readonly aligned: boolean
      readonly hunks?: ReadonlyArray<{
        /** `@@ -1,4 +1,5 @@` */
        readonly header: string
        /** Each begins with a space, `-` or `+`. */
        readonly lines: ReadonlyArray<string>
      }>
    }
  | { readonly reason: string }
)
