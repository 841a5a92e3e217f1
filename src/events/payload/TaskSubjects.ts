/** Finds the subject whose personal data a task holds: the one that its opening was appended with. */

import type { Event } from "../vocabulary/Event.ts"
import { is } from "../vocabulary/Vocabulary.ts"

/** The key of a task's subject; null if the task has none or is not open yet. */
export type TaskSubjects = (taskId: string | null) => string | null

export const none: TaskSubjects = () => null

const MAX_REMEMBERED = 10_000

/**
 * Finds subjects of a log's tasks. A task's opening, the first event of its stream, decides for all timelines, so forks
 * inherit it. Cached, because it never changes.
 *
 * @param first reads the first event of a stream on `main`
 */
export const make = (first: (stream: string) => Event | undefined): TaskSubjects => {
  const known = new Map<string, string | null>()
  return (taskId) => {
    if (taskId === null) return null
    const remembered = known.get(taskId)
    if (remembered !== undefined) return remembered
    const opened = first(streamOf(taskId))
    if (opened === undefined) return null
    const keyId = is(opened, "TaskOpened") ? (opened.personal?.keyId ?? null) : null
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(taskId, keyId)
    return keyId
  }
}

const STREAM = "task/"

/** The stream that a task's opening begins. */
export const streamOf = (taskId: string): string => `${STREAM}${taskId}`

/** The task of a stream; null for other streams. */
export const taskOf = (stream: string): string | null =>
  stream.startsWith(STREAM) ? stream.slice(STREAM.length) : null
