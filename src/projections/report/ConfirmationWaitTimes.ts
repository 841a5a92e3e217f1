/** The part of a log report about confirmations: decisions, and the time they took. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { isLate } from "../state/ConfirmationAnswer.ts"
import { Quantiles, type Spread } from "./Quantiles.ts"

/** Decisions that took at least `fromMs` and less than `toMs`. */
export interface WaitBin {
  readonly fromMs: number
  readonly toMs: number
  readonly approved: number
  readonly rejected: number
}

/** Confirmations by outcome, and the waits for decisions. */
export interface WaitReport {
  readonly requested: number
  readonly approved: number
  readonly rejected: number
  readonly expired: number
  readonly withdrawn: number
  /** The waits for decisions, in ms. */
  readonly waitMs: Spread | null
  /** From the shortest wait to the longest, without gaps; each bin is about 1.8 times as long as the previous one. */
  readonly bins: ReadonlyArray<WaitBin>
}

/** Bins per decade, and decades, from 1 ms to about eleven days. */
const PER_DECADE = 4
const DECADES = 9

/** The event types that the report reads. */
export const TYPES = [
  "ConfirmationRequested",
  "ConfirmationDecided",
  "ConfirmationExpired",
  "ConfirmationWithdrawn",
] as const

export class ConfirmationWaitTimes {
  readonly #approved = new Array<number>(PER_DECADE * DECADES).fill(0)
  readonly #rejected = new Array<number>(PER_DECADE * DECADES).fill(0)
  readonly #waits = new Quantiles()
  readonly #pending = new Map<string, { readonly requestedAt: number; readonly expiresAt: number }>()
  readonly #decided = { approved: 0, rejected: 0 }
  #requested = 0
  #expired = 0
  #withdrawn = 0

  add(event: Event): void {
    if (is(event, "ConfirmationRequested")) {
      const { confirmationId, expiresAt } = event.payload
      this.#requested += 1
      this.#pending.set(confirmationId, { requestedAt: event.recordedAt, expiresAt })
    } else if (is(event, "ConfirmationExpired")) this.#expired += 1
    else if (is(event, "ConfirmationWithdrawn")) this.#withdrawn += 1
    else if (is(event, "ConfirmationDecided")) {
      const { confirmationId, approved, waitedMs } = event.payload
      const request = this.#pending.get(confirmationId)
      this.#pending.delete(confirmationId)
      // The approval came too late. The event of its expiry follows.
      if (approved && request !== undefined && isLate(request, event.recordedAt)) return
      this.#decided[approved ? "approved" : "rejected"] += 1
      if (waitedMs === undefined) return
      this.#waits.add(waitedMs)
      const bins = approved ? this.#approved : this.#rejected
      const bin = binOf(waitedMs)
      bins[bin] = (bins[bin] ?? 0) + 1
    }
  }

  report(): WaitReport {
    return {
      requested: this.#requested,
      ...this.#decided,
      expired: this.#expired,
      withdrawn: this.#withdrawn,
      waitMs: this.#waits.spread(),
      bins: this.#bins(),
    }
  }

  #bins(): ReadonlyArray<WaitBin> {
    const all = this.#approved.map((approved, bin) => ({
      fromMs: bin === 0 ? 0 : 10 ** (bin / PER_DECADE),
      toMs: 10 ** ((bin + 1) / PER_DECADE),
      approved,
      rejected: this.#rejected[bin] ?? 0,
    }))
    const filled = ({ approved, rejected }: WaitBin) => approved + rejected > 0
    const first = all.findIndex(filled)
    return first < 0 ? [] : all.slice(first, all.findLastIndex(filled) + 1)
  }
}

const binOf = (ms: number): number =>
  Math.max(0, Math.min(PER_DECADE * DECADES - 1, Math.floor(Math.log10(Math.max(1, ms)) * PER_DECADE)))
