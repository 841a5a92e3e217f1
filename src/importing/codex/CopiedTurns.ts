/**
 * The lines that a rollout copied from the one that it was forked from, or whose agent it is. They are written anew, with times of the
 * copy, in one go: they end where a turn begins that is younger than the rollout, by its id (a UUID of version 7, which holds its time),
 * or where a turn begins after a pause.
 */

import { timeOf } from "../runs/SourceTimes.ts"
import { field, textOf } from "../runs/Untrusted.ts"
import { isAnswer, isPrompt } from "./Items.ts"

/** A longer pause is none of a program that writes lines that it has, in milliseconds. */
const PAUSE_MS = 1_000

/** Most lines of a turn that wait until it is known whether it was copied. */
const MAX_WAITING = 2_000

/** What is known of lines now. */
interface Taken {
  readonly copied: ReadonlyArray<unknown>
  /** The rollout's own first lines; undefined as long as there are none. */
  readonly own: ReadonlyArray<unknown> | undefined
}

export class CopiedTurns {
  readonly #createdAt: number
  #lastAt: number
  /** The lines of the last turn so far. */
  #turn: Array<unknown> = []
  #hasAnswer = false

  constructor(createdAt: number) {
    this.#createdAt = createdAt
    this.#lastAt = createdAt
  }

  /** Takes the next line. */
  take(line: unknown): Taken {
    const begins = beginsTurn(line)
    const at = timeOf(field(line, "timestamp"))
    const isPaused = at !== null && at - this.#lastAt >= PAUSE_MS
    if (at !== null) this.#lastAt = Math.max(this.#lastAt, at)
    const turnAt = timeOfTurn(line)
    const isOld = turnAt !== undefined ? turnAt < this.#createdAt : at !== null && at < this.#createdAt
    // The first lines of a turn are settings, the person's words, or both.
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

  /** The lines that wait. */
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

/** When the turn began that a line names, in milliseconds since 1970; undefined where it names none whose id tells. */
const timeOfTurn = (line: unknown): number | undefined => {
  const id = textOf(field(line, "payload"), "turn_id") ?? ""
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id) ? Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16) : undefined
}
