/** Scores that a source gives, and those of a file that wait for its end. */

export interface SourceScore {
  readonly taskId: string
  /** Each scorer of a file makes one score set, of the scores without an id. */
  readonly scorer: string
  /** The value's name; a scorer may give several. */
  readonly name: string
  /** Null if it is no number. */
  readonly value: number | null
  readonly rationale: string | null
  /**
   * The source's id of this judgement, if it has one. Such a score is a set of its own, so that another account of the
   * same judgement finds it.
   */
  readonly of?: string | undefined
  /**
   * The task that other accounts name instead, for a score with an id: `hindcast listen` divides a conversation that is
   * too large for one task. Default: `taskId`
   */
  readonly wholeTaskId?: string | undefined
}

/** Maximum size of a file's scores, in bytes. */
export const MAX_BYTES = 64 * 1024 * 1024

/** About the size of a score without its texts, in bytes. */
const OVERHEAD = 200

/** Scores that wait for the end of a file: as many as fit into memory. */
export class HeldScores implements Iterable<SourceScore> {
  readonly #scores: Array<SourceScore> = []
  readonly #most: number
  #bytes = 0

  /** @param most in bytes */
  constructor(most = MAX_BYTES) {
    this.#most = most
  }

  /** Returns false, and takes nothing, once it is full. */
  add(score: SourceScore): boolean {
    const { taskId, scorer, name, rationale, of = "" } = score
    const bytes = OVERHEAD + 2 * [taskId, scorer, name, rationale ?? "", of].reduce((sum, text) => sum + text.length, 0)
    if (this.#bytes + bytes > this.#most) return false
    this.#bytes += bytes
    this.#scores.push(score)
    return true
  }

  get all(): ReadonlyArray<SourceScore> {
    return this.#scores
  }

  [Symbol.iterator](): Iterator<SourceScore> {
    return this.#scores[Symbol.iterator]()
  }
}
