/** Who works on which queued task: a runner's claims, which the log puts in one order. */

import { Effect } from "effect"
import {
  type AppendError,
  type AppendPart,
  type EventLog,
  Exact,
  type LogError,
  type VersionConflict,
} from "../../events/log/EventLog.ts"
import type { Presence } from "../../events/log/Presence.ts"
import type { RunnerSession, RunnerSessions } from "../../events/log/RunnerSessions.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Claim as ClaimPayload } from "../../events/vocabulary/Tasks.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { monotonicNow } from "../../platform/ProcessIdentity.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import { type Candidate, type Claimer, claimable, nextDue } from "../../projections/queue/Claimable.ts"
import * as Queue from "../../projections/queue/Queue.ts"
import { turnOf } from "../../projections/queue/QueuedTasks.ts"
import { defined } from "../../values/defined.ts"
import * as Attempts from "./Attempts.ts"
import { endOfClaim, endsOfClaims } from "./ClaimEnds.ts"
import type { Claim } from "./ClaimFence.ts"
import type * as Delivery from "./Delivery.ts"
import * as LostSession from "./LostSession.ts"
import { skippedBy } from "./QueueVersion.ts"
import * as Submissions from "./Submissions.ts"

/** A runner, as it registers itself. */
export interface Runner {
  readonly name: string
  readonly slots: number
  readonly agents: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  /** A task whose runners died or failed this often without progress is poisoned. */
  readonly poisonAfter: number
}

/** A task that this session claimed. */
export interface Claimed extends Claim {
  /** The number of the task's claims, from 1. */
  readonly epoch: number
  /** The turn that the claim ended (see `Delivery`). */
  readonly turn: number
  readonly attempts: number
  /** The runner whose session ended with the task. */
  readonly takenFrom?: string
  readonly submission: PayloadOf<"TaskSubmitted">
}

/** Findings of one look. */
export interface Look {
  readonly claimed: ReadonlyArray<Claimed>
  readonly queue: Queue.Queue
  /** In how many milliseconds a waiting task is due; undefined if none waits. */
  readonly dueInMs: number | undefined
}

/** How a runner gives a task back. */
export interface Release {
  readonly reason: string
  /** The runner could not work on it: no runner tries again before this many milliseconds have passed. */
  readonly failedForMs?: number
  /** The log failed: no runner tries again before this many milliseconds have passed, and no task is to blame. */
  readonly againInMs?: number
}

/** The claims of one session. */
export interface Ownership {
  /**
   * Declares silent sessions lost, then claims tasks, at most `free`: limits hold exactly, because claims expect the
   * version of the queue that they were decided on. Poisons tasks that failed too often.
   */
  readonly claim: (
    free: number,
    except?: ReadonlySet<string>,
  ) => Effect.Effect<Look, AppendError | Delivery.DeliveryFailed, Projector | Presence>
  /** Whether another session has fallen silent since the last claim. Reads heartbeats alone, not the queue. */
  readonly isAnySilent: Effect.Effect<boolean, LogError>
  /** Gives a task back. Returns false, without an effect, if another runner took it over. */
  readonly release: (claim: Claim, release: Release) => Effect.Effect<boolean, AppendError>
  /** The queue as of now. */
  readonly queue: Effect.Effect<Queue.Queue, LogError>
}

/**
 * The ownership of a registered session.
 *
 * @param log fenced by the session
 * @param delivering decides which tasks it may claim. Default: the log's own order does
 */
export const make = (
  log: EventLog.Service,
  projector: Projector.Service,
  sessions: RunnerSessions.Service,
  { lease: { identity: session } }: Pick<RunnerSession, "lease">,
  runner: Runner,
  delivering?: Delivery.Delivering,
): Ownership => {
  const actor = `runner:${runner.name}`
  const queue = projector.current(Queue.projection)

  /** The version of the queue's stream up to which events of other types have no meaning for claims. */
  let skipped = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  /** The log's clock at that time. */
  let toldNow = 0
  /** The other sessions of the queue as it was then. */
  let others: ReadonlyArray<string> = []

  /** Declares sessions lost whose heartbeats ended. Whoever comes first cleans up. */
  const look = Effect.suspend(() => {
    const since = monotonicNow() - lookedAt
    return since < LOOK_EVERY_MS ? Effect.succeed(toldNow + since) : lookNow
  })

  const living = Effect.suspend(() =>
    Effect.map(sessions.look([session, ...others]), (seen) => {
      lookedAt = monotonicNow()
      toldNow = seen.now
      return seen.living
    }),
  )

  const lookNow = Effect.gen(function* () {
    const { runners, tasks } = yield* queue
    others = Object.keys(runners).filter((other) => other !== session)
    const seen = yield* living
    for (const other of others) {
      const lost = runners[other]
      if (lost === undefined || seen.has(other)) continue
      yield* log
        .append({
          stream: Queue.runnerStream(other),
          actor,
          expected: Exact(1),
          events: [{ type: "RunnerLost", payload: { runner: lost.runner, session: other, by: runner.name } }],
          // A zombie appends nothing more, also before somebody takes its tasks over.
          with: endsOfClaims(tasks, other, runner.name),
        })
        .pipe(
          Effect.zipRight(LostSession.cleanUp(log, other, runner.name)),
          Effect.catchTag("VersionConflict", () => Effect.void),
        )
    }
    return toldNow + (monotonicNow() - lookedAt)
  })

  /** Shuts out a session that is not in the log any more: if it was frozen, it may not know yet. */
  const claimLost = ({ task, queued: { claim } }: Candidate): ReadonlyArray<AppendPart> =>
    claim === undefined || claim.ended === true ? [] : [endOfClaim(task, claim.claim, runner.name)]

  const poison = (candidate: Candidate, version: number) => {
    const { task, queued } = candidate
    return log.append({
      stream: Queue.STREAM,
      actor,
      expected: Exact(version),
      with: claimLost(candidate),
      events: [
        {
          type: "TaskPoisoned",
          payload: {
            task,
            attempts: queued.attempts,
            reason: queued.failure ?? `its runner ended during each of ${queued.attempts} attempts`,
          },
        },
      ],
    })
  }

  const take = (
    wanted: ReadonlyArray<Candidate>,
    { head }: Queue.Queue,
  ): Effect.Effect<ReadonlyArray<Claimed> | typeof AGAIN, AppendError> =>
    Effect.gen(function* () {
      const version = Math.max(head.version, skipped)
      const claims: Array<ClaimPayload> = []
      const parts: Array<AppendPart> = []
      const taken = new Map<string, string>()
      for (const candidate of wanted) {
        const { task, queued } = candidate
        const attempts = yield* Attempts.next({ log, projector }, candidate)
        if (attempts > runner.poisonAfter) {
          yield* poison(candidate, version)
          // The queue has moved on.
          return AGAIN
        }
        const claim = newId()
        const epoch = queued.epoch + 1
        claims.push({ task, claim, epoch, attempts })
        parts.push({
          stream: Queue.claimStream(task, claim),
          actor,
          events: [{ type: "TaskClaimed", payload: { task, claim, epoch, runner: runner.name, session } }],
        })
        parts.push(...claimLost(candidate))
        if (queued.claim !== undefined) taken.set(task, queued.claim.runner)
      }
      if (claims.length === 0) return []
      yield* log.append({
        stream: Queue.STREAM,
        actor,
        expected: Exact(version),
        events: [{ type: "TasksClaimed", payload: { runner: runner.name, session, claims } }],
        with: parts,
      })
      const submissions = yield* Submissions.read(log, wanted)
      const turns = new Map(wanted.map(({ task, queued }) => [task, turnOf(queued)]))
      return claims.flatMap(({ task, ...claim }): ReadonlyArray<Claimed> => {
        const [submission, takenFrom, turn] = [submissions.get(task), taken.get(task), turns.get(task) ?? 0]
        return submission === undefined ? [] : [{ task, ...claim, turn, submission, ...defined({ takenFrom }) }]
      })
    })

  const claim = (
    free: number,
    except: ReadonlySet<string> | undefined,
  ): Effect.Effect<Look, AppendError | Delivery.DeliveryFailed, Projector | Presence> =>
    Effect.gen(function* () {
      const now = yield* look
      const found = yield* queue
      const claimer: Claimer = { agents: runner.agents, labels: runner.labels, free, ...defined({ except }) }
      const wanted =
        delivering === undefined ? claimable(found, claimer, now) : yield* delivering.candidates(found, claimer, now)
      const claimed = yield* take(wanted, found)
      if (claimed === AGAIN) return yield* claim(free, except)
      if (delivering !== undefined) yield* delivering.claimed(new Set(claimed.map(({ task }) => task)), found)
      const due = nextDue(found, now)
      return { claimed, queue: found, dueInMs: due === undefined ? undefined : due - now }
    }).pipe(
      // Another runner claimed in the meantime: decide again, on the queue as it is now.
      Effect.catchIf(isOfQueue, (conflict) => {
        skipped = Math.max(skipped, skippedBy(conflict))
        return claim(free, except)
      }),
    )

  return {
    queue,
    claim,
    isAnySilent: Effect.map(living, (seen) => {
      const isAny = others.some((other) => !seen.has(other))
      // The next claim declares it lost.
      if (isAny) lookedAt = Number.NEGATIVE_INFINITY
      return isAny
    }),
    release: ({ task, claim }, { reason, failedForMs, againInMs }) =>
      Effect.gen(function* () {
        const waitMs = failedForMs ?? againInMs ?? 0
        const waits = waitMs === 0 ? undefined : (yield* sessions.look([session])).now + waitMs
        const failed = failedForMs === undefined ? {} : { failed: true as const }
        yield* log.append({
          stream: Queue.claimStream(task, claim),
          actor,
          expected: Exact(1),
          events: [
            { type: "TaskReleased", payload: { task, claim, reason, ...failed, ...defined({ notBefore: waits }) } },
          ],
        })
        return true
      }).pipe(Effect.catchTag("VersionConflict", () => Effect.succeed(false))),
  }
}

const AGAIN = "again"

/** A runner that claims often need not look as often for others that died. In milliseconds. */
const LOOK_EVERY_MS = 400

const isOfQueue = (error: AppendError | Delivery.DeliveryFailed): error is VersionConflict =>
  error._tag === "VersionConflict" && error.stream === Queue.STREAM
