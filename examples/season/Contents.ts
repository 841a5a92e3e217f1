/** Counts the contents of a season's log: results by agent, and incidents. */
import { Effect, Stream } from "effect"
import { type Event, EventLog, Vocabulary } from "hindcast"

type TaskOutcome = Vocabulary.PayloadOf<"TaskClosed">["outcome"]

export interface Played {
  readonly agent: string
  readonly tasks: number
  readonly outcomes: { readonly [outcome in TaskOutcome]: number }
  /** The mean net value of its live scores; null if no task was scored. */
  readonly net: number | null
}

export interface SeasonContents {
  readonly events: number
  readonly agents: ReadonlyArray<Played>
  readonly incidents: { readonly [kind in Incident]: number }
}

export const INCIDENTS = {
  denied: "commands denied by a rule",
  approved: "questions approved",
  rejected: "questions rejected",
  expired: "questions expired",
  refused: "commands refused by a world",
  unread: "failed readings of sensors",
  burst: "processes that crashed in a command",
  broken: "agents that threw",
  killed: "kernels killed",
  unknown: "commands with an unknown outcome",
  withdrawn: "questions withdrawn with their kernel",
} as const

export type Incident = keyof typeof INCIDENTS

/** Reads the log in one pass. */
export const gather = Effect.gen(function* () {
  const log = yield* EventLog.EventLog
  const { position } = yield* log.head
  const counter = newCounter()
  yield* Stream.runForEach(log.read({ types: TYPES }), (event) => Effect.sync(() => counter.take(event)))
  return { events: position, ...counter.end() } satisfies SeasonContents
})

const TYPES = [
  ...["KernelStarted", "KernelStopped", "TaskOpened", "TaskClosed", "ScoringFinished", "SensorFailed"],
  ...["CommandDenied", "CommandFailed", "CommandOutcomeUnknown"],
  ...["ConfirmationDecided", "ConfirmationExpired", "ConfirmationWithdrawn"],
]

interface Tally {
  tasks: number
  readonly outcomes: { [outcome in TaskOutcome]: number }
  readonly nets: Array<number>
}

const newCounter = () => {
  const incidents = Object.fromEntries(Object.keys(INCIDENTS).map((kind) => [kind, 0])) as {
    [kind in Incident]: number
  }
  const agents = new Map<string, Tally>()
  const byTask = new Map<string, Tally>()
  let running = false

  const take = (event: Event): void => {
    const tally = event.taskId === null ? undefined : byTask.get(event.taskId)
    if (Vocabulary.is(event, "KernelStarted")) {
      if (running) incidents.killed += 1
      running = true
    } else if (Vocabulary.is(event, "KernelStopped")) running = false
    else if (Vocabulary.is(event, "TaskOpened") && event.taskId !== null) {
      const agentTally = agents.get(event.payload.agent) ?? newTally()
      agentTally.tasks += 1
      agents.set(event.payload.agent, agentTally)
      byTask.set(event.taskId, agentTally)
    } else if (Vocabulary.is(event, "TaskClosed")) {
      if (tally !== undefined) tally.outcomes[event.payload.outcome] += 1
      if (event.payload.reason?.startsWith("Agent ") === true) incidents.broken += 1
    } else if (Vocabulary.is(event, "ScoringFinished")) {
      const net = event.taskId === null ? undefined : netOf(event.payload.totals[event.taskId])
      if (net !== undefined) tally?.nets.push(net)
    } else {
      const kind = incidentOf(event)
      if (kind !== undefined) incidents[kind] += 1
    }
  }

  const end = (): Omit<SeasonContents, "events"> => ({
    agents: [...agents].map(([agent, { tasks, outcomes, nets }]) => ({
      agent,
      tasks,
      outcomes,
      net: nets.length === 0 ? null : nets.reduce((sum, net) => sum + net, 0) / nets.length,
    })),
    incidents,
  })
  return { take, end }
}

const newTally = (): Tally => ({
  tasks: 0,
  outcomes: { achieved: 0, failed: 0, abandoned: 0, truncated: 0 },
  nets: [],
})

const netOf = (totals: unknown): number | undefined =>
  typeof totals === "object" && totals !== null && "net" in totals && typeof totals.net === "number"
    ? totals.net
    : undefined

const incidentOf = (event: Event): Incident | undefined => {
  if (Vocabulary.is(event, "SensorFailed")) return "unread"
  if (Vocabulary.is(event, "CommandOutcomeUnknown")) return "unknown"
  if (Vocabulary.is(event, "ConfirmationExpired")) return "expired"
  if (Vocabulary.is(event, "ConfirmationWithdrawn")) return "withdrawn"
  if (Vocabulary.is(event, "ConfirmationDecided")) return event.payload.approved ? "approved" : "rejected"
  if (Vocabulary.is(event, "CommandFailed")) return event.payload.error.code === "PluginExited" ? "burst" : "refused"
  // A rejected or expired confirmation is already counted as such.
  if (Vocabulary.is(event, "CommandDenied")) return /^(ask-|recovery$)/.test(event.payload.rule) ? undefined : "denied"
  return undefined
}
