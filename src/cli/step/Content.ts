/**
 * The content of panes that show more than one moment: the events around it, the task's rewards and conversation, why
 * the task failed, what the model saw. It is read when its pane is shown, and kept while it stays the same.
 */
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as TaskPresent from "../../kernel/recovery/TaskPresent.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import * as Conversation from "../../projections/conversation/Conversation.ts"
import type { Told } from "../../projections/conversation/Told.ts"
import * as WhyFailed from "../../projections/explanation/WhyFailed.ts"
import type * as ScoreChoice from "../../projections/report/ScoreChoice.ts"
import * as Saw from "../../projections/request/Saw.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import * as RewardRows from "../../studio/course/RewardRows.ts"
import * as TaskCapture from "../../studio/course/TaskCapture.ts"
import type { Scored, Shown, Spoken } from "./PaneContent.ts"
import type { Direction, Pane, Session } from "./Session.ts"
import * as TimelineCursor from "./TimelineCursor.ts"

/** Maximum number of events of the list, before and after the moment. */
const AROUND = 100

/** Maximum number of a task's events of its conversation, before and after the moment. */
const SPOKEN = 4_000

const READ: ReadonlySet<Pane> = new Set(["events", "rewards", "conversation", "failure", "saw"])

const OF_TASK: ReadonlySet<Pane> = new Set(["rewards", "conversation", "failure"])

/** The task whose content panes show: the one that is stepped through, else that of the event. */
export const taskOf = ({ task, moment }: Session): string | null => task ?? moment.event?.taskId ?? null

/** Whether the session's pane has content that was not read. */
export const lacks = (session: Session): boolean => {
  const { pane, content, moment } = session
  return READ.has(pane) && !(content?.key === keyOf(session) && covers(content.shows, moment.position))
}

/** The session with the content of its pane, if the pane has any. */
export const fill = (session: Session, cursor: TimelineCursor.TimelineCursor, choice: ScoreChoice.ScoreChoice) => {
  const { pane } = session
  if (!lacks(session)) return Effect.succeed(session)
  const found = Effect.gen(function* () {
    const task = taskOf(session)
    if (!OF_TASK.has(pane)) return yield* ofMoment(session, cursor)
    return task === null ? NO_TASK : yield* ofTask(session, cursor, choice, task)
  })
  return found.pipe(
    Effect.catchAll(({ message }) => Effect.succeed<Shown>({ kind: "none", says: message })),
    Effect.map((shows) => showing(session, shows)),
  )
}

/** The session that shows this in its pane. */
export const showing = (session: Session, shows: Shown): Session => ({
  ...session,
  content: { key: keyOf(session), shows },
})

const keyOf = (session: Session): string => {
  const { pane, timeline, head, task, moment } = session
  return JSON.stringify([pane, timeline, head, ...(OF_TASK.has(pane) ? [taskOf(session)] : [task, moment.position])])
}

const covers = (shows: Shown, position: number): boolean =>
  shows.kind !== "conversation" ||
  ((shows.spoken.from ?? 0) <= position && position <= (shows.spoken.to ?? Number.POSITIVE_INFINITY))

const NO_TASK: Shown = { kind: "none", says: "This event belongs to no task. Go to an event of a task." }

const ofMoment = ({ pane, timeline, task, moment }: Session, cursor: TimelineCursor.TimelineCursor) =>
  Effect.gen(function* () {
    const { position } = moment
    if (pane === "saw") return { kind: "saw", saw: yield* Saw.at(`${timeline}@${position}`) } satisfies Shown
    const which = task === null ? {} : { taskId: task }
    const events = yield* TimelineCursor.around(cursor, position, which, AROUND)
    return { kind: "events", events } satisfies Shown
  })

const ofTask = (
  session: Session,
  cursor: TimelineCursor.TimelineCursor,
  choice: ScoreChoice.ScoreChoice,
  task: string,
) =>
  Effect.gen(function* () {
    switch (session.pane) {
      case "rewards":
        return { kind: "rewards", scored: yield* scored(cursor, task, choice) } satisfies Shown
      case "failure":
        return { kind: "failure", why: yield* explained(task, choice) } satisfies Shown
      default:
        return { kind: "conversation", spoken: yield* spoken(cursor, task, session.moment.position) } satisfies Shown
    }
  }).pipe(onTimeline(session.timeline))

/** The score of a task on the log's timeline, with its rewards in the order of their moments. */
const scored = (cursor: TimelineCursor.TimelineCursor, task: string, choice: ScoreChoice.ScoreChoice) =>
  Effect.gen(function* () {
    const audit = yield* TaskAudit.load(task)
    const score = choice.pick(audit.scores)
    if (score === null) return { rows: [], net: null, label: choice.name, unscored: [] } satisfies Scored
    const rows = yield* RewardRows.ofSet(cursor.history, task, score.scoreSetId)
    const unscored = score.unscored.map(({ measure, name }) => `${measure}: ${name}`)
    return { rows, net: score.net, label: score.label, unscored } satisfies Scored
  })

const explained = (task: string, choice: ScoreChoice.ScoreChoice) =>
  Effect.flatMap(TaskPresent.of(task), (activity) => WhyFailed.load(task, { activity }, choice))

const spoken = (cursor: TimelineCursor.TimelineCursor, task: string, position: number) =>
  Effect.gen(function* () {
    const events = yield* TimelineCursor.around(cursor, position, { taskId: task }, SPOKEN)
    const later = events.filter((event) => event.position > position).length
    const isCaptured = yield* TaskCapture.isCaptured(cursor.history, task)
    const items = Conversation.conversation(toldOf(events), { isCaptured })
    const from = events.length - later > SPOKEN ? (events[0]?.position ?? null) : null
    const to = later === SPOKEN ? (events.at(-1)?.position ?? null) : null
    return { items, from, to } satisfies Spoken
  })

const toldOf = (events: ReadonlyArray<Event>): ReadonlyArray<Told> => {
  const known = new Map(events.map((event) => [event.id, event.position]))
  return events.map((event) => {
    const cause = known.get(event.causationId ?? "")
    return {
      id: event.id,
      position: event.position,
      type: event.type,
      actor: event.actor,
      occurredAt: event.occurredAt,
      cause: cause === undefined ? null : { position: cause },
      payload: event.payload,
      length: 0,
      line: EventSummary.of(event),
    }
  })
}

/** The position of the shown conversation's item that is `steps` items away, or of its last one there. */
export const item = ({ content, moment: { position } }: Session, direction: Direction, steps: number) => {
  const items = content?.shows.kind === "conversation" ? content.shows.spoken.items : []
  const here = items.findIndex(({ events }) => events.includes(position))
  const before = items.findLastIndex(({ begins }) => begins <= position)
  const from = here === -1 ? before : here
  const passed =
    direction === "forward"
      ? items.slice(from + 1)
      : items.slice(0, here === -1 ? before + 1 : Math.max(0, here)).toReversed()
  return Option.map(Option.fromNullable(passed[steps - 1] ?? passed.at(-1)), (found) => found.position)
}

/** The moment that Studio's key `m` leads to: the failure, else the greatest punishment; null if there is neither. */
export const worst = (
  { timeline }: Session,
  cursor: TimelineCursor.TimelineCursor,
  task: string,
  choice: ScoreChoice.ScoreChoice,
) =>
  Effect.gen(function* () {
    const activity = yield* TaskPresent.of(task)
    const { moment } = yield* WhyFailed.brief(task, { activity }, choice)
    return moment ?? RewardRows.costliestOf((yield* scored(cursor, task, choice)).rows)
  }).pipe(onTimeline(timeline))

/** The moments of a task's rewards and punishments, in order. */
export const rewarded = (
  { timeline }: Session,
  cursor: TimelineCursor.TimelineCursor,
  task: string,
  choice: ScoreChoice.ScoreChoice,
) =>
  Effect.map(scored(cursor, task, choice), ({ rows }) =>
    [...new Set(rows.flatMap(({ moments }) => moments.map(({ at }) => at)))].sort((a, b) => a - b),
  ).pipe(onTimeline(timeline))

const onTimeline =
  (timeline: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const view = Timelines.view(log, yield* Timelines.named(log, timeline))
      return yield* Effect.provideService(effect, EventLog, view)
    })
