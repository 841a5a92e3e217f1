/** Parts of a log, for work that is divided over processes and machines. */

/** One part of several. */
export interface TaskPart {
  /** From 0. */
  readonly index: number
  /** The number of parts, 1 to `MAX_PARTS`. */
  readonly of: number
}

/** Maximum number of parts. */
export const MAX_PARTS = 4096
