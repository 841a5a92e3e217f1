/** The exchange between a program and one of its agents, with the answer in progress. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { defined } from "../../values/defined.ts"
import { OpenTurn } from "./OpenTurn.ts"
import type { MappedRun } from "./Run.ts"

const MAX_WRITTEN = 64

export interface ChainOptions {
  /** Undefined for the run's own agent. */
  readonly agentId?: string | undefined
  /** Splits the source's model name into provider and model. */
  readonly named: (model: string) => { readonly provider: string; readonly model: string }
  /**
   * Tokens for a later part of an answer that was already written. Default: those that the source states for the part.
   */
  readonly ofLaterPart?: ModelUsage
}

/** The messages of the main agent or of one sub-agent. */
export class Chain {
  /** The answer in progress. */
  turn: OpenTurn | undefined
  /** Time of the last message to the model, after which it can have been asked. */
  toldAt: number | null = null
  messages = 0
  /** Written answers with the number of their parts: a later part is an answer of its own. */
  readonly #written = new Map<string, number>()
  readonly #options: ChainOptions

  constructor(options: ChainOptions) {
    this.#options = options
  }

  /** Returns the answer in progress if it has this id; otherwise writes it and begins a new one. */
  answer(run: MappedRun, id: string, model: string, at: number | null): OpenTurn {
    if (this.turn !== undefined && this.turn.id !== id) this.finish(run)
    this.turn ??= new OpenTurn(id, model, this.toldAt, at)
    this.turn.at = at ?? this.turn.at
    return this.turn
  }

  /** Runs a function now, or after the answer in progress. */
  later(run: MappedRun, what: () => void): void {
    if (this.turn === undefined) {
      what()
      return
    }
    this.turn.after(what)
    if (this.turn.isFull) this.finish(run)
  }

  keyOf(turn: OpenTurn): string {
    const times = this.#written.get(turn.id) ?? 1
    return times === 1 ? turn.id : `${turn.id}#${times}`
  }

  /** Writes the answer in progress, then everything that waited for it. */
  finish(run: MappedRun): void {
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
