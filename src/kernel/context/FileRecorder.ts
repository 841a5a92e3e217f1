/** What records the files of a kernel's workspace while its tasks work. `hindcast/files` provides one. */

import { type Effect, Predicate, Schema, type Scope } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { JsonObject } from "../../values/Json.ts"

/** Where a kernel works. */
export interface KernelPlace {
  /** The log's file, as the program names it. */
  readonly log: string
  /** The directory that plugins may work in: an absolute path without links. */
  readonly workspace: string
}

/** Makes the recorder of a kernel. It throws an error that says why the directory's files cannot be recorded. */
export type RecordFiles = (place: KernelPlace) => FileRecorder

/** Schema of `RecordFiles`. */
export const RecordFiles: Schema.Schema<RecordFiles> = Schema.declare(
  (value: unknown): value is RecordFiles => Predicate.isFunction(value),
  { description: "a function that makes a recorder of files, such as recordFiles of hindcast/files" },
)

/** Records files for all tasks of a kernel. */
export interface FileRecorder {
  /**
   * The files of one task, until the scope closes. Undefined for a continued task whose earlier kernel recorded no
   * files.
   */
  readonly of: (task: FilesTask) => Effect.Effect<TaskFiles | undefined, AppendError, Scope.Scope>
}

/** Schema of `FileRecorder`. */
export const FileRecorder: Schema.Schema<FileRecorder> = Schema.declare(
  (value: unknown): value is FileRecorder => Predicate.hasProperty(value, "of") && Predicate.isFunction(value.of),
  { description: "a recorder of files" },
)

/** The task as a recorder of files needs it. */
export interface FilesTask {
  readonly openedBy: string
  /** The events of a continued task up to where it continues; undefined for a new one. */
  readonly past: ReadonlyArray<Event> | undefined
  /** The later events that a fork leaves behind; undefined for any other task. */
  readonly abandoned: ReadonlyArray<Event> | undefined
  readonly recorder: Pick<Recorder, "recordAll">
}

/** Fails only if the log does. If the directory or the store fails, the task notes it once and continues. */
export interface TaskFiles {
  /** The recorded directory: an absolute path without links. */
  readonly root: string
  /** Records what changed since the last look. */
  readonly look: Effect.Effect<void, AppendError>
  /** Commands may change files from now on: records what changed before. */
  readonly before: (calls: ReadonlyArray<FilesCall>) => Effect.Effect<void, AppendError>
  /** Commands have ended: records the changes since the last look. */
  readonly after: (ends: ReadonlyArray<Pick<FilesCall, "commandId" | "last">>) => Effect.Effect<void, AppendError>
  /**
   * Restores the files of the last look up to a position of the task's past. Removes and replaces only contents that
   * the store has, and checks the result. A fork removes only files that its task wrote later; a resumed task, every
   * file that appeared since its last look. Records the changes as restored.
   */
  readonly restore: (at: number) => Effect.Effect<RestoredFiles, AppendError>
}

/** A command that may change files, as the recorder looks at them before and after it. */
export interface FilesCall {
  readonly commandId: string
  /** The command's last event, the cause of its changes. */
  readonly last: string
  readonly args: JsonObject
}

/** The result of restoring the files of a task to a moment. */
export interface RestoredFiles {
  /** The number of restored paths. */
  readonly restored: number
  /** What stays as it is although it differed then. */
  readonly left: ReadonlyArray<{ readonly path: string; readonly why: string }>
}
