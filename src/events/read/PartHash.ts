/** Each task belongs to one of N parts by the hash of its id, and so does each event by its task. */

import { sha256 } from "../../values/Digest.ts"
import type { TaskPart } from "../log/TaskPart.ts"

/** The hash of a task's id: the first 32 bits of the SHA-256 of its UTF-8 text, as an unsigned number. */
export const hashOf = (taskId: string): number => Number.parseInt(sha256(taskId).slice(0, 8), 16)

/** The index of a task's part, the same in every backend. Events without a task (null) belong to the first part. */
export const indexOf = (taskId: string | null, of: number): number => (taskId === null ? 0 : hashOf(taskId) % of)

/** Whether events of a task belong to a part. */
export const has = ({ index, of }: TaskPart, taskId: string | null): boolean => indexOf(taskId, of) === index
