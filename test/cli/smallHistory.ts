import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { LATEST } from "../../src/values/Time.ts"
import { event, inTask, requestOf, sha, type Unplaced } from "../projections/given.ts"

/** What the tasks of a small history are told to do: things that a table, a spreadsheet or a page might trip over. */
export const GOALS: ReadonlyArray<string> = [
  "Find the document",
  '=HYPERLINK("http://x","click")',
  "+1, a comma, and\r\na second line",
  "-2+3 | a bar",
  "@SUM(A1) <script>alert(1)</script>",
  'She said "go"',
  "Ünïcødé 日本",
]

const rubric = {
  measures: [
    {
      plugin: "room",
      name: "tidy",
      rewards: [{ name: "found", weight: 1 }],
      punishments: [{ name: "noise", weight: 0.1 }],
    },
  ],
}

const scoring = (id: string, label: string, taskIds: ReadonlyArray<string>) =>
  event("ScoringStarted", {
    scoreSetId: id,
    taskIds,
    rubric,
    rubricDigest: sha("r"),
    critic: "rule@4",
    criticDigest: sha("c"),
    label,
    range: { from: 1, to: 1 },
  })

const given = (id: string, type: "RewardGiven" | "PunishmentGiven", amount: number, because: ReadonlyArray<number>) =>
  event(type, {
    scoreSetId: id,
    measure: "room/tidy",
    name: type === "RewardGiven" ? "found" : "noise",
    weight: type === "RewardGiven" ? 1 : 0.1,
    amount,
    because,
  })

/** One task of two steps, of which the second is asked about; every third one fails. It begins after `before` events. */
const taskOf = (number: number, before: number, prefix: string): ReadonlyArray<Unplaced> => {
  const argsDigest = sha("a")
  const [first, second] = [`${number}-a`, `${number}-b`]
  const command = (commandId: string, actuator: string) =>
    event("ActuatorCommanded", { commandId, actuator, args: { number }, argsDigest, priority: 0 })
  const outcome = number % 3 === 2 ? "failed" : "achieved"
  const confirmationId = `q${number}`
  const events = [
    event("TaskOpened", { goal: GOALS[number % GOALS.length] ?? "", measures: [], agent: `agent-${number % 2}@1` }),
    event("EnvironmentReset", { plugin: "room", seed: number, options: {}, state: { at: "hall" } }),
    event("SensorRead", { sensor: "room/look", reading: { steps: 0 }, priority: 0, latencyMs: 2 }),
    command(first, "room/go"),
    event("CommandSucceeded", { commandId: first, result: null, latencyMs: 5 }),
    event("EnvironmentChanged", { plugin: "room", patch: [{ op: "replace", path: "/at", value: "study" }] }),
    event("SensorRead", { sensor: "room/look", reading: { steps: 1 }, priority: 0, latencyMs: 4 }),
    command(second, "room/take"),
    event("ConfirmationRequested", { confirmationId, commandId: second, argsDigest, shown: {}, expiresAt: LATEST }),
    event("ConfirmationDecided", {
      confirmationId,
      approved: true,
      by: "ann",
      channel: "cli",
      argsDigest,
      waitedMs: 1_000,
    }),
    event("CommandSucceeded", { commandId: second, result: null, latencyMs: 5 }),
    event("TaskClosed", { outcome }),
  ]
  const live = `live-${number}`
  const scores = [
    scoring(live, "live", [`${prefix}-${number}`]),
    ...(outcome === "achieved" ? [given(live, "RewardGiven", 1, [before + 11])] : []),
    given(live, "PunishmentGiven", 0.2, [before + 5, before + 11]),
    event("ScoringFinished", { scoreSetId: live, totals: {} }),
  ]
  return inTask(`${prefix}-${number}`, [...events, ...scores])
}

/**
 * Writes a log of so many tasks, each scored `live`, all but the last scored `stricter` as well; and of one more that did
 * nothing and is open. Their ids begin with `prefix`. Of none: a log without any task.
 */
export const writeHistory = (filename: string, tasks: number, prefix = "task"): Promise<void> => {
  const events: Array<Unplaced> = []
  for (let number = 0; number < tasks; number++) events.push(...taskOf(number, events.length, prefix))
  if (tasks === 0) return write(filename, [event("KernelStopped", { reason: "nothing to do" })])
  const names = Array.from({ length: tasks - 1 }, (_, number) => `${prefix}-${number}`)
  const again = names.map((taskId) => inTask(taskId, [given("strict", "PunishmentGiven", 0.4, [])]))
  const open = event("TaskOpened", { goal: "Still open", measures: [], agent: "agent-0@1" })
  const rest = [
    scoring("strict", "stricter", names),
    ...again.flat(),
    event("ScoringFinished", { scoreSetId: "strict", totals: {} }),
    ...inTask(`${prefix}-open`, [open]),
  ]
  return write(filename, [...events, ...rest])
}

const write = (filename: string, events: ReadonlyArray<Unplaced>): Promise<void> => {
  const append = Effect.gen(function* () {
    const log = yield* EventLog
    for (const each of events) yield* log.append(requestOf(each))
  })
  return Effect.runPromise(Effect.provide(append, SqliteEventLog.layer({ filename })))
}
