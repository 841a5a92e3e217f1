/**
 * Finds the lines that a rollout copied from another one. Codex rewrites them in one go with new times. They end at a
 * turn that is younger than the rollout by its id (UUID version 7 holds a time), or at a turn after a pause.
 */

import { timeOf } from "../runs/SourceTimes.ts"
import { field, textOf } from "../runs/Untrusted.ts"
import { isAnswer, isPrompt } from "./Items.ts"

/** A pause in milliseconds that a program copying lines never makes. */
const PAUSE_MS = 1_000

/** Maximum number of lines of a turn to hold back until it is classified. */
const MAX_WAITING = 2_000

interface Taken {
  readonly copied: ReadonlyArray<unknown>
  /** The rollout's own first lines; undefined while all lines are copies. */
  readonly own: ReadonlyArray<unknown> | undefined
}

export class CopiedTurns {
  readonly #createdAt: number
  #lastAt: number
  #turn: Array<unknown> = []
  #hasAnswer = false

  constructor(createdAt: number) {
    this.#createdAt = createdAt
    this.#lastAt = createdAt
  }

  take(line: unknown): Taken {
    const begins = beginsTurn(line)
    const at = timeOf(field(line, "timestamp"))
    const isPaused = at !== null && at - this.#lastAt >= PAUSE_MS
    if (at !== null) this.#lastAt = Math.max(this.#lastAt, at)
    const turnAt = timeOfTurn(line)
    const isOld = turnAt !== undefined ? turnAt < this.#createdAt : at !== null && at < this.#createdAt
    // A turn begins with settings, the person's text, or both.
    const isNext = begins && (this.#hasAnswer || this.#turn.length === 0 || isPaused)
    const isUnanswered = this.#turn.some(beginsTurn) && !this.#hasAnswer
    const isOwn = !isOld && (turnAt !== undefined || (isPaused && (begins || isUnanswered)))
    if (isOwn) {
      const turn = this.end()
      return isNext ? { copied: turn, own: [line] } : { copied: [], own: [...turn, line] }
    }
    const copied = isNext || this.#turn.length >= MAX_WAITING ? this.end() : []
    this.#turn.push(line)
    if (isAnswer(line)) this.#hasAnswer = true
    return { copied, own: undefined }
  }

  end(): ReadonlyArray<unknown> {
    const turn = this.#turn
    this.#turn = []
    this.#hasAnswer = false
    return turn
  }
}

const beginsTurn = (line: unknown): boolean =>
  field(line, "type") === "turn_context" || /^(?:task|turn)_started$/.test(typeOf(line)) || isPrompt(line)

const typeOf = (line: unknown): string => textOf(field(line, "payload"), "type") ?? ""

/** Start of the turn that a line names, in epoch milliseconds; undefined if no id tells it. */
const timeOfTurn = (line: unknown): number | undefined => {
  const id = textOf(field(line, "payload"), "turn_id") ?? ""
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id) ? Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16) : undefined
}
