/** What a web page does with the events that it was given as text: it folds them, and shows what they come to. */
import { Either } from "effect"
import {
  Audits,
  AuditTable,
  EnvironmentState,
  EventJson,
  JsonPatch,
  LogReport,
  PendingConfirmations,
  PluginRegistry,
  Projection,
  ScoreChoice,
  ScoreSets,
  TaskAudit,
  TaskReport,
  Tasks,
} from "hindcast/projections"

const everything = Projection.combine({
  environment: EnvironmentState.projection,
  confirmations: PendingConfirmations.projection,
  plugins: PluginRegistry.projection,
  scores: ScoreSets.projection,
  tasks: Tasks.projection,
})

/** What the second half of the events changed in the environment; and how many changes each event made. */
const changes = (events) => {
  const half = Math.floor(events.length / 2)
  const middle = Projection.fold(EnvironmentState.projection, events.slice(0, half))
  const counts = []
  const builder = EnvironmentState.visiting(middle, (before, after, { position }) =>
    counts.push([position, JsonPatch.diff(before, after).length]),
  )
  Projection.applyAll(EnvironmentState.projection, builder, events.slice(half))
  return { half, counts, patch: JsonPatch.diff(middle, builder.state()) }
}

const reports = (events, audits) => {
  const choice = ScoreChoice.labelled("live")
  const all = LogReport.begin(choice)
  for (const event of events) all.addConfirmationEvent(event)
  for (const audit of audits) all.addAudit(audit)
  const tasks = audits.map((audit) => {
    const one = TaskReport.begin(audit, choice.pick(audit.scores), ({ type }) => type)
    for (const event of events) if (event.taskId === audit.taskId) one.add(event)
    return one.report()
  })
  return { all: all.report(), tasks }
}

const shown = (events) => {
  const audits = Audits.fold(events)
  const states = Projection.fold(everything, events)
  const scoreSets = new Set(Object.keys(states.scores.sets))
  return {
    states,
    changes: changes(events),
    audits,
    single: audits.map(({ taskId }) => Either.getOrThrow(TaskAudit.fold(taskId, events))),
    rows: audits.map((audit) => AuditTable.rowOf(audit, scoreSets)),
    reports: reports(events, audits),
  }
}

globalThis.show = (text) =>
  JSON.stringify(
    Either.match(EventJson.decode(JSON.parse(text)), {
      onLeft: ({ _tag, message }) => ({ _tag, message }),
      onRight: shown,
    }),
  )
