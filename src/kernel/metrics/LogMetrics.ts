/** The metrics of a log: events, tasks, the queue and its runners, takeovers, plugins and waiting confirmations. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import * as Operations from "../../projections/operations/Operations.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import type { QueuedTask } from "../../projections/queue/QueuedTasks.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"
import { type RunnerStanding, TaskQueue } from "../queue/TaskQueue.ts"
import type { Metric, Sample } from "./Metric.ts"

export { type Metric, prometheus, type Sample } from "./Metric.ts"

/** The metrics as of now. The first call of a process folds the log; later ones read what is new. */
export const read: Effect.Effect<ReadonlyArray<Metric>, LogError, EventLog | Projector | TaskQueue> = Effect.gen(
  function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    const queue = yield* TaskQueue
    const { position } = yield* log.head
    const [last] = position === 0 ? [] : yield* log.readPage({ after: position - 1 }, 1)
    const numbers = yield* projector.current(Operations.projection)
    const confirmations = Object.values(yield* projector.current(PendingConfirmations.projection))
    const queued = Object.values(yield* queue.queued)
    const runners = yield* queue.runners
    // The log's clock, as far as its events show it: another machine's does not count.
    const now = Math.max(Date.now(), last?.recordedAt ?? 0)
    return [
      counter("events_total", "Events in the log.", position),
      gauge(
        "last_append_timestamp_seconds",
        "Time of the last event; 0 in an empty log.",
        (last?.recordedAt ?? 0) / 1000,
      ),
      counter("tasks_opened_total", "Tasks that began.", numbers.opened),
      metric("counter", "tasks_closed_total", "Tasks that ended.", outcomes(numbers)),
      counter("tasks_submitted_total", "Tasks that were queued.", numbers.submitted),
      metric("gauge", "queue_tasks", "Queued tasks that are not closed.", states(queued, runners, now)),
      gauge(
        "queue_oldest_waiting_seconds",
        "Age of the oldest task that waits for a runner.",
        oldestWaiting(queued, runners, now),
      ),
      metric("gauge", "runners", "Runners whose sessions did not end.", standings(runners)),
      counter("takeovers_total", "Runners declared lost, and leases taken over.", numbers.takeovers),
      counter("tasks_poisoned_total", "Tasks that ended their runners too often.", numbers.poisoned),
      counter("commands_in_doubt_total", "Commands whose outcome is unknown.", numbers.doubts),
      counter("plugin_crashes_total", "Ends of plugins' processes while calls waited for an answer.", numbers.crashes),
      counter("plugin_quarantines_total", "Plugins that were set aside.", numbers.quarantines),
      counter("confirmations_requested_total", "Questions to people.", numbers.confirmations),
      gauge("confirmations_waiting", "Questions that wait for a person.", confirmations.length),
      gauge(
        "confirmations_oldest_seconds",
        "Age of the oldest question that waits.",
        ageOf(
          confirmations.map(({ requestedAt }) => requestedAt),
          now,
        ),
      ),
    ]
  },
)

const PREFIX = "hindcast_"

const metric = (type: Metric["type"], name: string, help: string, samples: ReadonlyArray<Sample>): Metric => ({
  name: `${PREFIX}${name}`,
  help,
  type,
  samples,
})

const counter = (name: string, help: string, value: number) => metric("counter", name, help, [{ labels: {}, value }])

/** A metric with one value that may rise and fall. */
export const gauge = (name: string, help: string, value: number): Metric =>
  metric("gauge", name, help, [{ labels: {}, value }])

/** Every outcome has a sample, so that a rate exists before the first one. */
const outcomes = ({ closed }: Operations.Operations): ReadonlyArray<Sample> =>
  [...new Set([...TaskOutcome.literals, ...Object.keys(closed)])].map((outcome) => ({
    labels: { outcome },
    value: Object.hasOwn(closed, outcome) ? (closed[outcome] ?? 0) : 0,
  }))

type State = "waiting" | "delayed" | "running" | "poisoned"

/** A task whose runner is lost waits for another one. */
const stateOf = (task: QueuedTask, sessions: ReadonlySet<string>, now: number): State => {
  if (task.poisoned !== undefined) return "poisoned"
  if (task.claim !== undefined && sessions.has(task.claim.session)) return "running"
  return (task.notBefore ?? 0) > now ? "delayed" : "waiting"
}

const sessionsOf = (runners: ReadonlyArray<RunnerStanding>): ReadonlySet<string> =>
  new Set(runners.flatMap(({ session, state }) => (state === "gone" ? [] : [session])))

const states = (
  queued: ReadonlyArray<QueuedTask>,
  runners: ReadonlyArray<RunnerStanding>,
  now: number,
): ReadonlyArray<Sample> => {
  const counts: Record<State, number> = { waiting: 0, delayed: 0, running: 0, poisoned: 0 }
  const sessions = sessionsOf(runners)
  for (const task of queued) counts[stateOf(task, sessions, now)] += 1
  return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }))
}

const oldestWaiting = (
  queued: ReadonlyArray<QueuedTask>,
  runners: ReadonlyArray<RunnerStanding>,
  now: number,
): number => {
  const sessions = sessionsOf(runners)
  const waiting = queued.filter((task) => stateOf(task, sessions, now) === "waiting")
  return ageOf(
    waiting.map(({ submittedAt, notBefore }) => Math.max(submittedAt, notBefore ?? 0)),
    now,
  )
}

const standings = (runners: ReadonlyArray<RunnerStanding>): ReadonlyArray<Sample> => {
  const counts = { working: 0, draining: 0, silent: 0, lost: 0 }
  for (const { state, draining } of runners)
    counts[state === "gone" ? "lost" : state === "unknown" ? "silent" : draining ? "draining" : "working"] += 1
  return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }))
}

/** In seconds; 0 if there are none. */
const ageOf = (times: ReadonlyArray<number>, now: number): number =>
  times.length === 0 ? 0 : Math.max(0, now - times.reduce((one, other) => Math.min(one, other))) / 1000
