/** Decides which episode each slot begins next. */

import type { Json } from "../../values/Json.ts"
import type { EpisodePlace, LeftEpisode } from "./EpisodeRecorder.ts"
import type { RolloutProgress } from "./RolloutProgress.ts"
import type { Move } from "./Vector.ts"

/** The parts of a rollout that decide it. */
export interface Plan {
  readonly episodes: number
  readonly seed: number
  readonly parallel: number
  /** A slot's next episode continues the random numbers of the one before, so its episodes follow each other. */
  readonly continues: boolean
}

/**
 * Episodes with seeds of their own go to the next free slot. Otherwise slot `k` plays the episodes `k`, `k + parallel` …,
 * the first with the seed `seed + k`, so that the episodes of a slot do not depend on how long those of others take.
 */
export class Schedule {
  readonly #plan: Plan
  readonly #done = new Set<number>()
  readonly #nextOf = new Map<number, number>()
  readonly #left = new Map<number, EpisodePlace & LeftEpisode & { readonly document: Json }>()
  readonly #documents: ReadonlyMap<number, Json>
  #next = 0

  constructor(plan: Plan, progress?: Pick<RolloutProgress, "ended" | "open" | "documents">) {
    this.#plan = plan
    this.#documents = progress?.documents ?? new Map()
    for (const { episode } of progress?.ended ?? []) this.#done.add(episode)
    for (const left of progress?.open ?? []) {
      this.#done.add(left.episode)
      this.#left.set(plan.continues ? left.slot : this.#left.size, left)
    }
  }

  /** Slots that have work at the beginning. */
  get slots(): number {
    return Math.min(this.#plan.parallel, this.#plan.episodes)
  }

  /** The first call of a slot: its episode that the log has in part, or a new one. Undefined if it has none. */
  first(slot: number): ReadonlyArray<Move> {
    const left = this.#left.get(slot)
    if (left !== undefined) return [{ slot, continue: { ...left, slot } }]
    return this.next(slot, true)
  }

  /** The calls with which a slot begins its next episode; none if there is none. */
  next(slot: number, isFirst = false): ReadonlyArray<Move> {
    const { seed, parallel, continues } = this.#plan
    const episode = continues ? this.#nextIn(slot) : this.#nextOfAll()
    if (episode === undefined) return []
    this.#done.add(episode)
    if (!continues) return [{ slot, begin: { episode, slot, seed: seed + episode, continued: false } }]
    const place = { episode, slot, seed: seed + slot, continued: episode >= parallel }
    const document = isFirst ? this.#documents.get(slot) : undefined
    // The random numbers to continue are in the last document of the episode before.
    return document === undefined
      ? [{ slot, begin: place }]
      : [
          { slot, recall: document },
          { slot, begin: place },
        ]
  }

  #nextOfAll(): number | undefined {
    while (this.#next < this.#plan.episodes && this.#done.has(this.#next)) this.#next += 1
    return this.#next < this.#plan.episodes ? this.#next : undefined
  }

  #nextIn(slot: number): number | undefined {
    let episode = this.#nextOf.get(slot) ?? slot
    while (episode < this.#plan.episodes && this.#done.has(episode)) episode += this.#plan.parallel
    this.#nextOf.set(slot, episode)
    return episode < this.#plan.episodes ? episode : undefined
  }
}
