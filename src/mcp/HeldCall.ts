/**
 * One call between the client's request and its dispatch. A person's approval alone does not dispatch it: a client has
 * to wait for the outcome, so that nothing runs whose result nobody gets.
 */

import type { ConfirmationRequest, ConfirmationResult, RequestedEvent } from "../kernel/gate/ConfirmationRequests.ts"
import type { GatedCall } from "../record/GatedCalls.ts"
import type { BegunRun } from "../record/log/OpenedLog.ts"
import type { Bound } from "./RequestState.ts"

export interface HeldParts {
  readonly gated: GatedCall
  readonly bound: Bound
  readonly ask: BegunRun["ask"]
  /** Why an approval no longer holds, if so: it was about another definition of the tool. */
  readonly outdated: () => string | undefined
  /** Takes the call through the gate. Returns whether it was dispatched. */
  readonly dispatch: (ask: (question: ConfirmationRequest) => Promise<ConfirmationResult>) => Promise<boolean>
}

export interface Claim {
  readonly waitMs: number
  readonly cancelled: AbortSignal
  /** Whether to return as soon as a person is asked. */
  readonly untilAsked: boolean
}

/** How a client's wait for a call ended. */
export type ClaimEnd =
  | { readonly kind: "dispatched" | "denied" | "cancelled" }
  /** A person is asked; `waits`: and did not answer in time. */
  | { readonly kind: "asked" | "waits"; readonly requested: RequestedEvent }

export interface HeldCall {
  readonly commandId: string
  readonly gated: GatedCall
  readonly bound: Bound
  /** The question about it, once the log has it. */
  readonly requested: () => RequestedEvent | undefined
  /** Whether no client waits for it. */
  readonly isFree: () => boolean
  /** Whether it ended without a client, and its question's time is up. */
  readonly isOver: (now: number) => boolean
  /** Waits for it. Rejects if the gate fails. */
  readonly claim: (claim: Claim) => Promise<ClaimEnd>
  /** No client comes back for it. */
  readonly release: () => void
}

const NOBODY = "it was approved, and its client did not come back for it in time"

export const make = ({ gated, bound, ask, outdated, dispatch }: HeldParts): HeldCall => {
  let requested: RequestedEvent | undefined
  let isClaimed = true
  /** Approved while a client waits: it will be dispatched, and the wait has no limit any more. */
  let isGoing = false
  let onAsked = () => {}
  let onClaimed: (isClaimed: boolean) => void = () => {}
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve
  })

  /** Whether a client waits, now or before the question's time is up. */
  const claimed = (withinMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => onClaimed(false), withinMs)
      onClaimed = (isNow) => {
        clearTimeout(timer)
        onClaimed = () => {}
        isGoing = isNow
        resolve(isNow)
      }
      if (isClaimed) onClaimed(true)
    })

  const outcome = dispatch(async (question) => {
    const result = await ask(question, undefined, (event) => {
      requested = event
      onAsked()
    })
    if (result.kind !== "approved") return result
    const leftMs = Math.max(0, (requested?.payload.expiresAt ?? 0) - Date.now())
    const reason = (await claimed(leftMs)) ? outdated() : NOBODY
    return reason === undefined ? result : { kind: "rejected", event: result.event, reason }
  })
  let hasEnded = false
  const markEnded = () => {
    hasEnded = true
  }
  // The next claim gets the failure.
  outcome.then(markEnded, markEnded)

  return {
    commandId: gated.request.commandId,
    gated,
    bound,
    requested: () => requested,
    isFree: () => !isClaimed,
    isOver: (now) => hasEnded && !isClaimed && now >= (requested?.payload.expiresAt ?? 0),
    release: () => onClaimed(false),
    claim: async ({ waitMs, cancelled, untilAsked }) => {
      isClaimed = true
      onClaimed(true)
      let timer: ReturnType<typeof setTimeout> | undefined
      const ended = outcome.then((isDispatched): ClaimEnd => ({ kind: isDispatched ? "dispatched" : "denied" }))
      const ends: Array<Promise<ClaimEnd | undefined>> = [
        ended,
        new Promise((resolve) => {
          const stop = () => resolve({ kind: "cancelled" })
          if (cancelled.aborted) stop()
          else cancelled.addEventListener("abort", stop, { once: true })
        }),
        new Promise((resolve) => {
          timer = setTimeout(() => resolve(undefined), waitMs)
        }),
      ]
      if (untilAsked) ends.push(asked.then(() => undefined))
      try {
        let end = await Promise.race(ends)
        // The wait for a person starts with the question, and a call that needs no person ends at once.
        if ((end === undefined || end.kind === "cancelled") && requested === undefined) {
          const before = end
          end = await Promise.race([ended, asked.then(() => before)])
        }
        // Once it is on its way, only its outcome counts.
        if (isGoing) return await ended
        if (end !== undefined) return end
        if (requested === undefined) return await ended
        isClaimed = false
        return { kind: untilAsked ? "asked" : "waits", requested }
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
