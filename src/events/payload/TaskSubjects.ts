/** Whose personal data a task holds: the subject that its opening was appended with. */

import type { Event } from "../vocabulary/Event.ts"
import { is } from "../vocabulary/Vocabulary.ts"

/** The key of a task's subject, by its id; null if the task has no subject, or was not opened yet. */
export type TaskSubjects = (taskId: string | null) => string | null

/** No task has a subject. */
export const none: TaskSubjects = () => null

/** Tasks whose keys are remembered. */
const MAX_REMEMBERED = 10_000

/**
 * The subjects of a log's tasks: a task's opening, the first event of its stream, decides for all timelines, so that forks
 * inherit it. It never changes: what was found once is remembered.
 *
 * @param first reads the first event of a stream on `main`
 */
export const make = (first: (stream: string) => Event | undefined): TaskSubjects => {
  const known = new Map<string, string | null>()
  return (taskId) => {
    if (taskId === null) return null
    const remembered = known.get(taskId)
    if (remembered !== undefined) return remembered
    const opened = first(`${STREAM}${taskId}`)
    if (opened === undefined) return null
    const keyId = is(opened, "TaskOpened") ? (opened.personal?.keyId ?? null) : null
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(taskId, keyId)
    return keyId
  }
}

const STREAM = "task/"

/** The task of a stream; null if it is not a task's. */
export const taskOf = (stream: string): string | null =>
  stream.startsWith(STREAM) ? stream.slice(STREAM.length) : null
