/** Opens a log for recorders, without a kernel and without a lease, and begins or continues runs in it. */

import * as os from "node:os"
import { Effect, Exit, Layer, Logger, LogLevel, Scope } from "effect"
import { EventLog, Exact, type LogError, NoStream } from "../../events/log/EventLog.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as Pages from "../../events/read/Pages.ts"
import { type Event, newId } from "../../events/vocabulary/Event.ts"
import type { ForkedFrom, Recorder, RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ConfirmationRequests from "../../kernel/gate/ConfirmationRequests.ts"
import * as TaskId from "../../kernel/tasks/TaskId.ts"
import * as KeptAlive from "../../platform/recorded/KeptAlive.ts"
import * as Calls from "../../promise/Calls.ts"
import { defined } from "../../values/defined.ts"
import { visibleLines } from "../../values/PlainText.ts"
import { RunNotOpen } from "../Run.ts"
import * as KeyVariables from "./KeyVariables.ts"
import * as LeftRuns from "./LeftRuns.ts"
import * as RecorderLog from "./RecorderLog.ts"
import * as RunStream from "./RunStream.ts"

export interface BegunRun {
  readonly taskId: string
  /** Id of the event that causes all others: `TaskOpened`, `TimelineForked` or `RecorderJoined`. */
  readonly openedBy: string
  /** Events before this process continued the task; empty if it began the task. */
  readonly past: ReadonlyArray<Event>
  readonly stream: RunStream.RunStream
  /** The log's file, or its URL without a password. */
  readonly file: string
  /**
   * `gone` ends with a reason once nobody waits for the answer: the question is then withdrawn. `onRequested` is called
   * once the question is recorded.
   */
  readonly ask: (
    question: ConfirmationRequests.ConfirmationRequest,
    gone?: Effect.Effect<string>,
    onRequested?: (requested: ConfirmationRequests.RequestedEvent) => void,
  ) => Promise<ConfirmationRequests.ConfirmationResult>
  /** Records a person's answer, unless the question has ended. */
  readonly answer: (
    question: ConfirmationRequests.RequestedEvent,
    answer: ConfirmationRequests.PersonsAnswer,
  ) => Promise<void>
  /** Withdraws a question, unless it has ended. */
  readonly withdraw: (question: ConfirmationRequests.RequestedEvent, reason: string) => Promise<void>
  /** This process's name among recorders. */
  readonly identity: string | undefined
}

export interface NewTask {
  readonly goal: string
  readonly agent: string
  /** Default: a new id. */
  readonly id?: string | undefined
  readonly subject?: string | undefined
  /** The moment of another task from which this one continues. Default: none. */
  readonly forkedFrom?: ForkedFrom | undefined
  /** Whether to continue the task with this id if it exists. */
  readonly continue?: boolean | undefined
}

export interface OpenedLog {
  readonly begin: (task: NewTask) => Promise<BegunRun>
  readonly run: <A, E>(effect: Effect.Effect<A, E, EventLog | Presence>) => Promise<A>
  readonly close: () => Promise<void>
}

export interface Opening {
  readonly log: string
  readonly isSilent: () => boolean
  /** How runs are recorded. Default: by the program itself. */
  readonly means?: RecorderMeans | undefined
  /** A task to keep open for continuation although its recorder may be dead. */
  readonly continues?: string | undefined
  /** Tasks of killed recorders with the same means to continue. Default: none; they are closed. */
  readonly inherits?: Inheritance | undefined
}

export interface Inheritance extends Pick<LeftRuns.Leaving, "onEnded"> {
  /** Only tasks of this agent. Default: any. */
  readonly agent?: string | undefined
}

export const open = async ({ log: filename, isSilent, means, continues, inherits }: Opening): Promise<OpenedLog> =>
  opening(filename, isSilent, (opened, scope) =>
    Effect.gen(function* () {
      yield* LeftRuns.abandon(scope, { continued: continues, ...inheriting(inherits, means) })
      const recorder = yield* announced(scope, means)
      return { ...opened, begin: (task) => begin(opened, recorder, task) }
    }),
  )

const inheriting = (inherits: Inheritance | undefined, means: RecorderMeans | undefined): LeftRuns.Leaving =>
  inherits === undefined
    ? {}
    : {
        ...defined({ onEnded: inherits.onEnded }),
        isInherited: ({ taskId, recorder }) =>
          recorder.means !== means?.means || inherits.agent === undefined
            ? Effect.succeed(recorder.means === means?.means)
            : Effect.gen(function* () {
                const log = yield* EventLog
                const [first] = yield* log.readPage({ stream: `task/${taskId}`, timeline: log.timeline }, 1)
                return first !== undefined && is(first, "TaskOpened") && first.payload.agent === inherits.agent
              }),
      }

/** Joins a task that another process opened and will close. */
export const join = (
  filename: string,
  { taskId, agent }: { readonly taskId: string; readonly agent: string },
  isSilent: () => boolean,
): Promise<BegunRun & Pick<OpenedLog, "close">> =>
  opening(filename, isSilent, (opened) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const stream = `task/${taskId}`
      const [first] = yield* log.readPage({ stream, timeline: log.timeline }, 1)
      if (first === undefined) return yield* Effect.fail(new RunNotOpen({ taskId, found: "no such task" }))
      const version = yield* log.versionOf(stream)
      const target = { log, taskId, actor: `agent:${agent}`, opened: { ...placeOf(first), version } }
      return { ...begun(opened, target, [], undefined), close: opened.close }
    }),
  )

const begin = async (opened: Omit<OpenedLog, "begin">, recorder: Recorder, task: NewTask): Promise<BegunRun> => {
  const { agent, id, ...others } = task
  const actor = `agent:${agent}`
  const work = opened.run(
    Effect.gen(function* () {
      const log = yield* EventLog
      const taskId = id === undefined ? newId() : yield* TaskId.checked(id)
      const known = task.continue === true ? yield* eventsOf(log, taskId) : []
      const position =
        known.length === 0
          ? yield* openTask(log, { taskId, actor, agent, recorder, ...others })
          : yield* joinTask(log, { taskId, actor, agent, recorder, known })
      return { log, taskId, actor, opened: position, past: known }
    }),
  )
  const found = await KeptAlive.during(work)
  return begun(opened, found, found.past, recorder.identity)
}

export const begun = (
  { run }: Pick<OpenedLog, "run">,
  target: Omit<RunStream.RunTarget, "run">,
  past: ReadonlyArray<Event>,
  identity: string | undefined,
): BegunRun => ({
  taskId: target.taskId,
  openedBy: target.opened.id,
  past,
  identity,
  stream: RunStream.make({ ...target, run }),
  file: target.log.name,
  ask: (question, gone, onRequested) => run(ConfirmationRequests.ask(target.log, question, gone, onRequested)),
  answer: (question, answer) => run(ConfirmationRequests.asking(target.log).answer(question, answer)),
  withdraw: (question, reason) => run(ConfirmationRequests.asking(target.log).withdraw(question, reason)),
})

/** Opens a log and builds something in it; closes the log if that fails. */
export const opening = async <A>(
  filename: string,
  isSilent: () => boolean,
  make: (opened: Omit<OpenedLog, "begin">, scope: Scope.Scope) => Effect.Effect<A, unknown, EventLog | Presence>,
): Promise<A> => {
  const scope = Effect.runSync(Scope.make())
  try {
    const layer = Layer.provideMerge(
      RecorderLog.layerForWriting(filename),
      Layer.merge(warnings(isSilent), KeptAlive.layer),
    )
    const runtime = await KeptAlive.during(Calls.run(Scope.extend(Layer.toRuntime(layer), scope)))
    const calls = Calls.make(ServerUrl.nameOf(filename), runtime, scope)
    // The runtime already has the services; providing them again would dominate the cost of a call.
    const run: OpenedLog["run"] = <A, E>(effect: Effect.Effect<A, E, EventLog | Presence>) =>
      calls.run(effect as Effect.Effect<A, E>)
    return await KeptAlive.during(run(make({ run, close: () => KeptAlive.during(calls.close()) }, scope)))
  } catch (error) {
    await KeptAlive.during(Calls.run(Scope.close(scope, Exit.void)))
    throw error
  }
}

/** Announces this process as a recorder. Heartbeats continue until the scope closes. */
export const announced = (
  scope: Scope.Scope,
  means: RecorderMeans | undefined,
): Effect.Effect<Recorder, LogError, Presence> =>
  Effect.map(
    Scope.extend(
      Effect.flatMap(Presence, ({ announce }) => announce),
      scope,
    ),
    (identity) => {
      const keys = KeyVariables.setIn(process.env)
      return { host: os.hostname(), pid: process.pid, identity, ...means, ...(keys.length === 0 ? {} : { keys }) }
    },
  )

type Place = RunStream.RunTarget["opened"]

const placeOf = ({ id, version, position }: Event): Place => ({ id, version, position })

interface Recorded {
  readonly taskId: string
  readonly actor: string
  readonly agent: string
  readonly recorder: Recorder
}

const openTask = (
  log: EventLog.Service,
  {
    taskId,
    actor,
    goal,
    agent,
    recorder,
    subject,
    forkedFrom,
  }: Recorded & Pick<NewTask, "goal" | "subject" | "forkedFrom">,
) =>
  Effect.gen(function* () {
    const { events } = yield* log
      .append({
        stream: `task/${taskId}`,
        taskId,
        actor,
        expected: NoStream,
        ...defined({ subject }),
        events: [
          {
            type: "TaskOpened",
            payload: { goal, agent, measures: [], plugins: [], recorder, ...defined({ forkedFrom }) },
          },
        ],
      })
      .pipe(
        Effect.catchTag("VersionConflict", (conflict) => {
          const [first] = conflict.missed
          return Effect.fail(
            first === undefined ? conflict : new TaskId.TaskIdTaken({ taskId, position: first.position }),
          )
        }),
      )
    const [opened] = events
    return opened === undefined ? yield* Effect.dieMessage("an append answered without events") : placeOf(opened)
  })

/** Joins an open task. Looks again if someone wrote to it in the meantime. */
const joinTask = (
  log: EventLog.Service,
  { taskId, actor, agent, recorder, known }: Recorded & { readonly known: ReadonlyArray<Event> },
): Effect.Effect<Place, unknown> =>
  Effect.gen(function* () {
    const found = whyNot(known)
    if (found !== undefined) return yield* Effect.fail(new RunNotOpen({ taskId, found }))
    const stream = `task/${taskId}`
    const version = known.findLast((event) => event.stream === stream)?.version ?? 0
    const appended = yield* log
      .append({
        stream,
        taskId,
        actor,
        expected: Exact(version),
        events: [{ type: "RecorderJoined", payload: { recorder, agent } }],
      })
      .pipe(Effect.catchTag("VersionConflict", () => Effect.succeed(undefined)))
    const [joined] = appended?.events ?? []
    if (joined !== undefined) return placeOf(joined)
    return yield* joinTask(log, { taskId, actor, agent, recorder, known: yield* eventsOf(log, taskId) })
  })

const whyNot = (events: ReadonlyArray<Event>): string | undefined => {
  const opened = events.find((event) => is(event, "TaskOpened"))
  if (opened === undefined || !is(opened, "TaskOpened") || opened.payload.recorder === undefined) {
    return "a task that was not recorded from a program"
  }
  const closed = events.find((event) => is(event, "TaskClosed"))
  if (closed !== undefined && is(closed, "TaskClosed")) {
    return `one that was closed as ${closed.payload.outcome} at @${closed.position}`
  }
  const cancelled = events.find((event) => is(event, "TaskCancelled"))
  if (cancelled !== undefined) return `one that was cancelled at @${cancelled.position}`
  const secret = events.find(({ personal }) => personal?.readable === false)
  return secret === undefined
    ? undefined
    : `one whose event @${secret.position} cannot be read, because its key is missing`
}

export const eventsOf = (log: EventLog.Service, taskId: string): Effect.Effect<ReadonlyArray<Event>, LogError> =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId }, (page) => void events.push(...page))
    return events
  })

/** Turns the log's warnings into process warnings, since another program may read this one's output. */
const warnings = (isSilent: () => boolean) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message, logLevel }) => {
      if (isSilent() || LogLevel.lessThan(logLevel, LogLevel.Warning)) return
      process.emitWarning(visibleLines([message].flat().map(String).join("\n")), { type: "HindcastWarning" })
    }),
  )
