/** A runner at work in one session: claims tasks, runs or resumes them, and gives them back. */

import { Cause, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { type AppendError, type EventLog, LeaseLost } from "../events/log/EventLog.ts"
import * as LogFailures from "../events/log/LogFailures.ts"
import type { Presence } from "../events/log/Presence.ts"
import type { RunnerSession } from "../events/log/RunnerSessions.ts"
import { awaiting } from "../events/read/CommitNotifier.ts"
import { monotonicNow } from "../platform/ProcessIdentity.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import type { Projector } from "../projections/projector/Projector.ts"
import * as Queue from "../projections/queue/Queue.ts"
import * as TaskList from "../projections/state/TaskList.ts"
import { defined } from "../values/defined.ts"
import * as SafeRecord from "../values/SafeRecord.ts"
import type * as Agent from "./agents/Agent.ts"
import type { Kernel } from "./Kernel.ts"
import type { DeliveryFailed } from "./queue/Delivery.ts"
import type { Claimed, Ownership } from "./queue/Ownership.ts"
import type { Claims } from "./queue/RunnerTenure.ts"
import type { RunningTasks } from "./tasks/RunningTasks.ts"

/** Services and options of a session. */
export interface Work {
  readonly log: EventLog.Service
  readonly kernel: Kernel.Service
  readonly running: RunningTasks
  readonly ownership: Ownership
  readonly session: RunnerSession
  readonly claims: Claims
  readonly agents: ReadonlyArray<Agent.Agent>
  readonly slots: number
  /** How long tasks may take to reach the ends of their steps, in milliseconds. */
  readonly drainWithinMs: number
  /** Completes when the program asks the runner to drain. */
  readonly drained: Deferred.Deferred<void>
  /** Closes a task that was cancelled while nobody worked on it. */
  readonly close: (taskId: string) => Effect.Effect<void, AppendError>
  /** Without news, it asks this often for tasks, if others deliver them. In milliseconds. */
  readonly deliveredEveryMs?: number
  /** Tells that a task begins or ends here. */
  readonly tell: (news: News, claimed: Claimed) => Effect.Effect<void>
}

/** Messages of a runner to its program. */
export type News =
  | { readonly what: "claimed"; readonly task: string; readonly takenFrom?: string }
  | { readonly what: "closed"; readonly task: string }
  | { readonly what: "released"; readonly task: string; readonly reason: string; readonly failed: boolean }
  | { readonly what: "lost"; readonly task: string }

/** How often to look for runners that died, while there are others. In milliseconds. */
const LOOK_EVERY_MS = 600

/** Otherwise, only commits make a runner read the queue, and tasks that are due. In milliseconds. */
const READ_EVERY_MS = 10_000

/** Between two tries of a runner that the log refuses. In milliseconds. */
const AGAIN_MS = 250

/** After a failed attempt, a task waits twice as long as after the one before. In milliseconds. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/**
 * Works until the runner is drained, by its program or by a request in the log. Fails with `LeaseLost` once the session
 * may not act any more; its tasks then stay as they are, for others.
 */
export const serve = (work: Work): Effect.Effect<void, LeaseLost, Projector | Presence> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { session, running } = work
      const scope = yield* Effect.scope
      const lost = Effect.flatMap(session.ended, (found) => found)
      return yield* Effect.raceFirst(looking(work, scope), lost).pipe(Effect.tapError(running.lose))
    }),
  )

const looking = (work: Work, scope: Scope.Scope): Effect.Effect<void, LeaseLost, Projector | Presence> =>
  Effect.gen(function* () {
    const { log, ownership, slots, claims, running, session, drained } = work
    const { identity } = session.lease
    const working = new Map<string, Fiber.RuntimeFiber<void>>()
    const commits = yield* Effect.acquireRelease(
      Effect.sync(() => awaiting(log.onCommit, ({ type }) => CONCERNS.has(type))),
      ({ end }) => Effect.sync(end),
    ).pipe(Scope.extend(scope))
    const freed = Effect.unsafeMakeLatch(false)

    const begin = (claimed: Claimed) =>
      Effect.gen(function* () {
        const { task } = claimed
        claims.set(task, claimed)
        yield* work.tell({ what: "claimed", task, ...defined({ takenFrom: claimed.takenFrom }) }, claimed)
        const done = Effect.sync(() => {
          claims.delete(task)
          working.delete(task)
          freed.unsafeOpen()
        })
        working.set(task, yield* Effect.forkIn(Effect.ensuring(perform(work, claimed), done), scope))
      })

    /** Stops tasks that another runner has claimed meanwhile. Returns whether somebody asked this runner to drain. */
    const heed = ({ tasks, runners }: Queue.Queue) =>
      Effect.gen(function* () {
        if (!Object.hasOwn(runners, identity)) return yield* new LeaseLost({ log: log.name, owner: "this runner" })
        for (const [task, { claim }] of claims) {
          const now = SafeRecord.get(tasks, task)
          if (now?.claim !== undefined && now.claim.claim !== claim) yield* running.suspend(task)
        }
        return SafeRecord.get(runners, identity)?.draining === true
      })

    const unknown = ({ tasks }: Queue.Queue) =>
      Object.entries(tasks).flatMap(([task, { claim }]) =>
        claim?.session === identity && !claims.has(task) ? [{ task, claim: claim.claim }] : [],
      )
    /** Gives back tasks that this session has and does not know, because the answer to a claim or a release was lost. */
    const reconcile = (queue: Queue.Queue) =>
      Effect.gen(function* () {
        const seen = unknown(queue)
        if (seen.length === 0) return
        // The task may have ended after that look, but not after this one, because `claims` did not have it before.
        const still = new Set(unknown(yield* ownership.queue).map(({ claim }) => claim))
        for (const claim of seen) if (still.has(claim.claim)) yield* ownership.release(claim, { reason: ANSWER_LOST })
      })

    /** When to read the queue again without a commit, by the machine's monotonic clock. */
    let due = 0
    let isAlone = true
    const round = Effect.gen(function* () {
      freed.unsafeClose()
      const found = yield* ownership.claim(slots - working.size)
      // The queue does not show the newest claims yet.
      const isDraining = yield* heed(found.queue)
      for (const claimed of found.claimed) yield* begin(claimed)
      yield* reconcile(found.queue)
      isAlone = Object.keys(found.queue.runners).length <= 1
      const asksAgain = slots > working.size ? work.deliveredEveryMs : undefined
      due = monotonicNow() + Math.min(found.dueInMs ?? READ_EVERY_MS, asksAgain ?? READ_EVERY_MS, READ_EVERY_MS)
      return isDraining
    })
    const again = (cause: AppendError | DeliveryFailed) => {
      if (cause._tag === "LeaseLost") return Effect.fail(cause)
      // Its memory may be of events that the server has lost: the next session opens the log again.
      if (cause._tag === "LogCorrupt")
        return Effect.zipRight(
          ProgramLog.warning("the log cannot be read on", cause),
          new LeaseLost({ log: log.name, owner: "this runner" }),
        )
      due = monotonicNow() + AGAIN_MS
      return Effect.as(ProgramLog.warning("could not claim tasks; trying again", cause), false)
    }
    /** Waits until the queue may have changed, while it looks for other runners' deaths. */
    const awaitNews = Effect.suspend(() => {
      const woken = Effect.raceAll([commits.committed, freed.await, asked])
      const looks = Effect.iterate(true, {
        while: (isQuiet) => isQuiet,
        body: () =>
          Effect.suspend(() => {
            const left = Math.max(0, due - monotonicNow())
            return isAlone || left <= LOOK_EVERY_MS
              ? Effect.as(Effect.sleep(left), false)
              : Effect.zipRight(
                  Effect.sleep(LOOK_EVERY_MS),
                  Effect.map(ownership.isAnySilent, (isAny) => !isAny),
                )
          }),
      })
      return Effect.raceFirst(woken, looks)
    })
    /** Leaves what is at work as it is, and gives it back if the log allows it. */
    const leave = Effect.zipRight(
      running.end,
      Effect.suspend(() => Fiber.awaitAll([...working.values()])).pipe(
        Effect.interruptible,
        Effect.timeout(LEAVES_WITHIN_MS),
      ),
    ).pipe(Effect.ignore)
    const asked = Deferred.await(drained)
    const claiming = Effect.gen(function* () {
      while (!(yield* Deferred.isDone(drained))) {
        if (yield* Effect.catchAll(round, again)) break
        yield* Effect.catchAll(awaitNews, again)
      }
    })
    const draining = Effect.suspend(() =>
      Effect.forEach(
        [...working],
        ([task, fiber]) =>
          // A task that is being opened can be drained once it is.
          Effect.forever(Effect.zipRight(running.drain(task), Effect.sleep(DRAIN_AGAIN_MS))).pipe(
            Effect.raceFirst(Fiber.await(fiber)),
            Effect.timeout(work.drainWithinMs),
            // It stays as it is, and a command in progress stays in doubt.
            Effect.catchTag("TimeoutException", () => running.suspend(task)),
            Effect.zipRight(Fiber.await(fiber)),
          ),
        { concurrency: "unbounded", discard: true },
      ),
    )
    yield* Effect.ensuring(Effect.zipRight(claiming, draining), leave)
  })

const ANSWER_LOST = "its runner did not know that it has the task"

/** In milliseconds. */
const LEAVES_WITHIN_MS = 3_000
const DRAIN_AGAIN_MS = 50

const CONCERNS: ReadonlySet<string> = new Set(Queue.TYPES)

/** Works on one task until it is closed, given back or taken over. Never fails. */
const perform = (work: Work, claimed: Claimed): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ownership, log, session } = work
    const { task, attempts } = claimed
    const exit = yield* Effect.exit(Effect.interruptible(workOn(work, claimed)))
    // Others take the tasks of a session over that has ended.
    if (Exit.isFailure(yield* Effect.exit(session.lease.held))) return yield* work.tell({ what: "lost", task }, claimed)
    if ((Exit.isSuccess(exit) && exit.value === CLOSED) || (yield* isClosed(log, task)))
      return yield* work.tell({ what: "closed", task }, claimed)
    const reason = Exit.isSuccess(exit) ? "it was not closed" : reasonOf(exit.cause)
    const isLost = Exit.isFailure(exit) && isTaken(exit.cause)
    if (isLost) return yield* work.tell({ what: "lost", task }, claimed)
    const isAsked = Exit.isFailure(exit) && isSuspended(exit.cause)
    const isOfLog = Exit.isFailure(exit) && LogFailures.isOne(failureOf(exit.cause))
    const given = isAsked ? "its runner stops" : reason
    const waits = isAsked
      ? {}
      : isOfLog
        ? { againInMs: FIRST_WAIT_MS }
        : { failedForMs: Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS) }
    // A rest of it here would keep this runner from continuing it.
    yield* work.running.suspend(task)
    if (!(yield* ownership.release(claimed, { reason: given, ...waits })))
      return yield* work.tell({ what: "lost", task }, claimed)
    yield* work.tell({ what: "released", task, reason: given, failed: !isAsked && !isOfLog }, claimed)
  }).pipe(
    // The log cannot be written, or the session ended: others take the task over.
    Effect.catchAllCause((cause) => ProgramLog.warning(`task ${claimed.task} was not given back`, cause)),
    Effect.uninterruptible,
  )

const isClosed = (log: EventLog.Service, task: string) =>
  Effect.map(TaskList.standing(log, task), (standing) => standing !== undefined && standing.outcome !== null)

/** The work on a task has certainly closed it. */
const CLOSED = "closed"

const workOn = ({ kernel, agents, log, close }: Work, { task, epoch, submission }: Claimed) =>
  Effect.gen(function* () {
    const agent = agents.find(({ name }) => name === submission.agent)
    if (agent === undefined) return yield* Effect.dieMessage(`claimed a task of the agent ${submission.agent}`)
    // Only its owner opens it.
    const standing = epoch === 1 ? undefined : yield* TaskList.standing(log, task)
    if (standing === undefined) {
      const { goal, plugins, environment, seed, limits = {} } = submission
      const { maxSteps, deadlineMs } = limits
      const { isClosed } = yield* kernel.tasks.complete(agent, {
        id: task,
        goal,
        ...defined({ plugins, environment, seed, maxSteps, deadlineMs }),
      })
      return isClosed ? CLOSED : undefined
    }
    if (standing.asked?.what === "cancelled") yield* close(task)
    else yield* kernel.tasks.resume(task, agent)
    return undefined
  })

const failureOf = (cause: Cause.Cause<unknown>): unknown => Cause.squash(cause)

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const failure = failureOf(cause)
  return failure instanceof Error ? failure.message : String(failure)
}

/** The log refused an append, because another runner has the task, or the session ended. */
const isTaken = (cause: Cause.Cause<unknown>): boolean => {
  const failure = failureOf(cause)
  return failure instanceof LeaseLost && failure.suspended === undefined
}

/** The runner itself stopped the task. */
const isSuspended = (cause: Cause.Cause<unknown>): boolean => {
  if (Cause.isInterruptedOnly(cause)) return true
  const failure = failureOf(cause)
  if (failure instanceof LeaseLost) return failure.suspended !== undefined
  return isObject(failure) && failure._tag === "TaskClosed" && failure.because === "suspended"
}

const isObject = (value: unknown): value is { readonly _tag?: unknown; readonly because?: unknown } =>
  typeof value === "object" && value !== null
