/**
 * Delivers queued tasks to runners by other means than the log's own order, such as a job queue or a workflow engine. The
 * engine says who works on what, and when. The log stays the fence: a task that is delivered twice is claimed once.
 */

import { Data, Effect } from "effect"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { type Candidate, type Claimer, claimable } from "../../projections/queue/Claimable.ts"
import type { Queue } from "../../projections/queue/Queue.ts"
import { turnOf } from "../../projections/queue/QueuedTasks.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** A task as an engine delivers it, once for each turn. */
export interface Offer {
  readonly task: string
  /** Which time the task waits: it has another turn after each claim, and after a person gave it back. */
  readonly turn: number
}

/** A task that a runner may claim now. */
export interface Waiting extends Offer {
  readonly agent: string
  /** Labels that its runner must have. */
  readonly labels: ReadonlyArray<string>
  /** Higher ones go first. */
  readonly priority: number
  /** The position of its submission: of two tasks of one priority, the earlier goes first. */
  readonly submitted: number
}

/**
 * What became of an offer:
 * - `closed`, `released`, `lost`: the runner has worked on the task, and is done with this turn;
 * - `stale`: the turn is over, or somebody else has it: nobody need deliver it again;
 * - `refused`: it may not be claimed now, for example because of a limit: deliver it again later.
 */
export type Settled = "closed" | "released" | "lost" | "stale" | "refused"

/** Delivers tasks. Its functions may be called again with the same task and turn, and must not fail for that. */
export interface Delivery {
  /**
   * Takes tasks for this runner to claim, at most `free`, and does not wait for more. `waiting` are the tasks that it may
   * claim now, the first first; another runner may have handed them to the engine already.
   */
  readonly take: (waiting: ReadonlyArray<Waiting>, free: number) => Promise<ReadonlyArray<Offer>>
  /** Learns what became of an offer that this runner took. */
  readonly settle: (offer: Offer, how: Settled) => Promise<void>
  /** How often a runner with free slots asks without news in the log, in milliseconds. Default: 1,000. */
  readonly everyMs?: number
}

/** Schema of `Delivery`. */
export const Delivery = Options.of<Delivery>({
  required: { take: Options.callable<Delivery["take"]>(), settle: Options.callable<Delivery["settle"]>() },
  optional: { everyMs: Options.Milliseconds },
})

export const EVERY_MS = 1_000

/** The engine could not deliver tasks. The runner tries again. */
export class DeliveryFailed extends Data.TaggedError("DeliveryFailed")<{ readonly cause: unknown }> {
  override get message() {
    const { cause } = this
    return `The delivery of tasks failed: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** Tasks offered to the engine at a time. */
const MAX_WAITING = 1_000

/** The deliveries of one session. */
export interface Delivering {
  /** The tasks to claim, of those that the engine has delivered. */
  readonly candidates: (
    queue: Queue,
    claimer: Claimer,
    now: number,
  ) => Effect.Effect<ReadonlyArray<Candidate>, DeliveryFailed>
  /** Gives back what was delivered and not claimed. */
  readonly claimed: (tasks: ReadonlySet<string>, queue: Queue) => Effect.Effect<void>
  /** Says what became of a claimed task. */
  readonly settle: (offer: Offer, how: Settled) => Effect.Effect<void>
}

export const make = ({ take, settle }: Delivery): Delivering => {
  /** Delivered, and neither claimed nor given back. */
  const pending = new Map<string, Offer>()
  const settled = (offer: Offer, how: Settled) =>
    Effect.tryPromise(() => settle(offer, how)).pipe(
      // The engine delivers it again, and then the turn is over.
      Effect.catchAllCause((cause) => ProgramLog.warning(`the delivery of task ${offer.task} was not settled`, cause)),
    )
  return {
    candidates: (queue, claimer, now) =>
      Effect.gen(function* () {
        // A claim that met another one decides again on what it has.
        if (pending.size === 0 && claimer.free > 0) {
          const waiting = claimable(queue, { ...claimer, free: MAX_WAITING }, now).map(({ task, queued }): Waiting => {
            const { agent, labels, priority, submitted } = queued
            return { task, turn: turnOf(queued), agent, labels, priority, submitted }
          })
          const taken = yield* Effect.tryPromise({
            try: () => take(waiting, claimer.free),
            catch: (cause) => new DeliveryFailed({ cause }),
          })
          for (const { task, turn } of taken) pending.set(task, { task, turn })
        }
        const only = new Set(
          [...pending.values()].flatMap(({ task, turn }) => {
            const queued = SafeRecord.get(queue.tasks, task)
            return queued !== undefined && turnOf(queued) === turn ? [task] : []
          }),
        )
        return claimable(queue, { ...claimer, only }, now)
      }),
    claimed: (tasks, { tasks: queued, runners }) =>
      Effect.suspend(() => {
        const left = [...pending.values()].filter(({ task }) => !tasks.has(task))
        pending.clear()
        return Effect.forEach(
          left,
          (offer) => {
            const now = SafeRecord.get(queued, offer.task)
            const isHeld = now?.claim !== undefined && Object.hasOwn(runners, now.claim.session)
            const isOver = now === undefined || turnOf(now) !== offer.turn || isHeld || now.poisoned !== undefined
            return settled(offer, isOver ? "stale" : "refused")
          },
          { discard: true },
        )
      }),
    settle: settled,
  }
}
