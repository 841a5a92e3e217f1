/** The messages between a source's program and one of its agents, and the answer that is under way. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { defined } from "../../values/defined.ts"
import { OpenTurn } from "./OpenTurn.ts"
import type { Run } from "./Run.ts"

/** Most ids of answers that are remembered of a chain. */
const MAX_WRITTEN = 64

/** What is known of the answers of a chain. */
export interface ChainOptions {
  /** The agent that they are of; none for the run's own. */
  readonly agentId?: string | undefined
  /** The provider, and the model's name with it, by what the source calls the model. */
  readonly named: (model: string) => { readonly provider: string; readonly model: string }
  /** The tokens of a part of an answer that was written before, and went on after others. Default: what the source says of the part. */
  readonly ofLaterPart?: ModelUsage
}

/** The agent's chain of messages: the main one, or that of an agent it started. */
export class Chain {
  /** The answer that is under way. */
  turn: OpenTurn | undefined
  /** When the model could have been asked: the time of what it was last told. */
  toldAt: number | null = null
  /** How many messages were exchanged. */
  messages = 0
  /** Ids of answers that were written, with how often: a later part of one is an answer of its own. */
  readonly #written = new Map<string, number>()
  readonly #options: ChainOptions

  constructor(options: ChainOptions) {
    this.#options = options
  }

  /** The answer with an id, which is begun if it is not the one under way. That one is written then. */
  answer(run: Run, id: string, model: string, at: number | null): OpenTurn {
    if (this.turn !== undefined && this.turn.id !== id) this.finish(run)
    this.turn ??= new OpenTurn(id, model, this.toldAt, at)
    this.turn.at = at ?? this.turn.at
    return this.turn
  }

  /** Does something now, or after the answer that is under way. */
  later(run: Run, what: () => void): void {
    if (this.turn === undefined) {
      what()
      return
    }
    this.turn.after(what)
    if (this.turn.isFull) this.finish(run)
  }

  /** The key of an answer that was written. */
  keyOf(turn: OpenTurn): string {
    const times = this.#written.get(turn.id) ?? 1
    return times === 1 ? turn.id : `${turn.id}#${times}`
  }

  /** Writes the answer that is under way, and then what waited for it. */
  finish(run: Run): void {
    const { turn } = this
    if (turn === undefined) return
    this.turn = undefined
    this.messages += 1
    const times = (this.#written.get(turn.id) ?? 0) + 1
    if (this.#written.size >= MAX_WRITTEN)
      for (const oldest of [...this.#written.keys()].slice(0, MAX_WRITTEN / 2)) this.#written.delete(oldest)
    this.#written.set(turn.id, times)
    const key = this.keyOf(turn)
    const { agentId, named, ofLaterPart = turn.usage } = this.#options
    run.model.turn({
      key,
      ...named(turn.model),
      parts: turn.parts,
      askedAt: turn.askedAt,
      at: turn.at,
      usage: times === 1 ? turn.usage : ofLaterPart,
      usd: times === 1 ? turn.usd : undefined,
      ...defined({ agentId }),
    })
    if (!turn.calls && turn.text !== "") run.spoke(key, turn.text, { at: turn.at, cause: `answered:${key}`, agentId })
    for (const what of turn.waiting) what()
  }
}
