import { Clock, Effect, type Scope, TestClock } from "effect"
import { type HeldLease, type Holder, type Lease, LeaseHeld, LeaseLost } from "../../src/events/log/Lease.ts"
import type { Elsewhere } from "../../src/events/testing/services/backend.ts"
import { newId } from "../../src/events/vocabulary/Event.ts"

/** What a lease can do wrong. */
export type LeaseFault =
  | "two hold it"
  | "a refusal names nobody"
  | "a release is forgotten"
  | "an identity is host and process"
  | "a lost lease is not noticed"
  | "the loser's end frees it"
  | "a takeover names nobody"
  | "a dead holder keeps it"
  | "a silent holder loses it at once"
  | "a silent holder keeps it"
  | "a heartbeat is not heeded"
  | "the holder's wall clock decides"
  | "no heartbeat is sent"

/** A silent holder loses the lease after so many milliseconds. */
const SILENT_MS = 5000

interface Row {
  readonly token: object
  readonly identity: string
  readonly holder: Holder
  isDead: boolean
  beats: number
}

/** A lease in memory, which outlives its holders, with at most one fault. */
export const make = (fault?: LeaseFault) => {
  let row: Row | undefined
  const is = (name: LeaseFault) => fault === name

  const holding = (owner: string, clock: number, isDead = false): Row => ({
    token: {},
    identity: is("an identity is host and process") ? `vm/${process.pid}` : newId(),
    isDead,
    beats: 0,
    holder: { owner, host: "vm", pid: process.pid, acquiredAt: clock, heartbeatAt: clock },
  })

  /** Waits until the holder is known to have lost the lease, or to have it. */
  const watched = (found: Row): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      if (found.isDead) return !is("a dead holder keeps it")
      if (found.holder.owner !== "elsewhere" || is("a silent holder keeps it")) return false
      if (is("a silent holder loses it at once")) return true
      if (is("the holder's wall clock decides") && found.holder.heartbeatAt > Date.now()) return false
      const began = yield* Clock.currentTimeMillis
      for (const { beats } = found; (yield* Clock.currentTimeMillis) - began < SILENT_MS; ) {
        yield* Effect.sleep(100)
        if (row?.token !== found.token) return true
        if (found.beats !== beats && !is("a heartbeat is not heeded")) return false
      }
      return true
    })

  const acquire = (owner: string): Effect.Effect<HeldLease, LeaseHeld, Scope.Scope> =>
    Effect.gen(function* () {
      const found = row
      const isLost = found === undefined || (yield* watched(found))
      const taken = row === found ? found : undefined
      const isFree = row === undefined || (isLost && row === found) || is("two hold it")
      if (!isFree && row !== undefined) {
        const holder = is("a refusal names nobody") ? { ...row.holder, owner: "" } : row.holder
        return yield* new LeaseHeld({ log: "faulty", holder })
      }
      const own = holding(owner, Date.now())
      row = own
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (is("a release is forgotten")) return
          if (row?.token === own.token || is("the loser's end frees it")) row = undefined
        }),
      )
      const held = Effect.suspend(() =>
        row?.token === own.token || is("a lost lease is not noticed")
          ? Effect.void
          : new LeaseLost({ log: "faulty", owner }),
      )
      const [takenFrom, lostBy] =
        taken === undefined || is("a takeover names nobody") ? [null, null] : [taken.holder.owner, taken.identity]
      return { identity: own.identity, check: held, held, takenFrom, lostBy }
    })

  const lease: Lease.Service = {
    acquire,
    holder: Effect.sync(() => {
      if (row === undefined || row.isDead) return undefined
      return is("no heartbeat is sent") ? row.holder : { ...row.holder, heartbeatAt: Date.now() }
    }),
    silent: Effect.succeed(undefined),
  }
  const elsewhere: Elsewhere = {
    hold: (clock) =>
      Effect.sync(() => {
        row = holding("elsewhere", clock)
      }),
    beat: Effect.sync(() => {
      if (row !== undefined) row.beats += 1
    }),
    release: Effect.sync(() => {
      row = undefined
    }),
    shortestMs: SILENT_MS,
    longestMs: SILENT_MS,
    pass: (ms) => TestClock.adjust(ms),
  }
  const crash = Effect.sync(() => {
    if (row !== undefined) row.isDead = true
  })
  return { lease, elsewhere, crash }
}
