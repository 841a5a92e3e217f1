/**
 * Replays the lateness of one of several agents. Until its next turn, a late agent made no other request, so the
 * replayed one makes none either, however fast it is.
 */

import { Effect } from "effect"
import { agentIn, type Request } from "./Request.ts"

export interface RecordedLateness {
  /** Whether an agent was late in the part of the recording that was still to repeat at first. */
  readonly isAnyLate: boolean
  /** Skips earlier requests of late agents, whose answers another turn may have recorded. */
  readonly due: () => Request | undefined
  /** Completes when an agent may make a request: at once, unless it is late now or next. */
  readonly inTime: (agentId: string) => Effect.Effect<void>
  /** Was the agent late before its answer came, at a position? */
  readonly isLateBefore: (agentId: string | undefined, answeredAt: number) => boolean
  /** Completes when an agent may have the answer that came at a position. */
  readonly answered: (agentId: string | undefined, answeredAt: number) => Effect.Effect<void>
  /**
   * Gives an agent the turn, waits until the recorded one was late, and calls `closing`. False if the recording ends
   * first.
   */
  readonly turn: (agentId: string, closing: () => unknown) => Effect.Effect<boolean>
  /** Reports progress in the recording. */
  readonly advanced: () => void
}

/** @param rest the requests still to repeat, in order; answers remove them */
export const make = (rest: Array<Request>): RecordedLateness => {
  const isAnyLate = rest.some(({ kind }) => kind === "late")
  const late = new Set<string>()
  const waiting = new Set<() => void>()

  const changed = Effect.async<void>((resume) => {
    const go = () => resume(Effect.void)
    waiting.add(go)
    return Effect.sync(() => waiting.delete(go))
  })
  const advanced = () => {
    const all = [...waiting]
    waiting.clear()
    for (const go of all) go()
  }
  const waitWhile = (isWaiting: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() => (isWaiting() ? Effect.zipRight(changed, waitWhile(isWaiting)) : Effect.void))

  const due = (): Request | undefined => {
    if (late.size === 0) return rest[0]
    const passed = new Set<string>()
    return rest.find((request) => {
      const agentId = agentIn(request)
      if (agentId === undefined || !late.has(agentId) || passed.has(agentId) || !ANSWERED_LATE.has(request.kind))
        return true
      passed.add(agentId)
      return false
    })
  }

  const isLateNext = (agentId: string) => rest.find((request) => agentIn(request) === agentId)?.kind === "late"

  const isLateBefore = (agentId: string | undefined, answeredAt: number): boolean => {
    if (agentId === undefined || !isAnyLate) return false
    for (const request of rest) {
      if (request.position >= answeredAt) return false
      if (request.kind === "late" && request.agentId === agentId) return true
    }
    return false
  }

  const turn = (agentId: string, closing: () => unknown): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const next = due()
      if (next === undefined) return Effect.succeed(false)
      if (next.kind !== "late" || next.agentId !== agentId) return Effect.zipRight(changed, turn(agentId, closing))
      late.add(agentId)
      closing()
      rest.splice(rest.indexOf(next), 1)
      advanced()
      return Effect.succeed(true)
    })

  return {
    isAnyLate,
    due,
    isLateBefore,
    advanced,
    inTime: (agentId) => (isAnyLate ? waitWhile(() => late.has(agentId) || isLateNext(agentId)) : Effect.void),
    answered: (agentId, answeredAt) =>
      agentId === undefined || !isAnyLate
        ? Effect.void
        : waitWhile(() => late.has(agentId) || isLateBefore(agentId, answeredAt)),
    turn: (agentId, closing) =>
      Effect.suspend(() => {
        if (late.delete(agentId)) advanced()
        return turn(agentId, closing)
      }),
  }
}

/** Recorded with their answer, or delayed by an agent. */
const ANSWERED_LATE: ReadonlySet<Request["kind"]> = new Set<Request["kind"]>(["perceive", "input", "consult"])
