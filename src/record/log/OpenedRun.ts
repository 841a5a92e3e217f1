/** Opens a log and a task in it for a recorder: without a kernel and without a lease. */

import * as os from "node:os"
import { Effect, Exit, Layer, Logger, LogLevel, Scope } from "effect"
import { EventLog, type LogError, NoStream } from "../../events/log/EventLog.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import * as SqliteEventLog from "../../events/sqlite/SqliteEventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Recorder, RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import * as TimelineName from "../../kernel/fork/TimelineName.ts"
import * as ConfirmationRequests from "../../kernel/gate/ConfirmationRequests.ts"
import * as TaskId from "../../kernel/tasks/TaskId.ts"
import * as Trust from "../../kernel/trust/Trust.ts"
import * as KeptAlive from "../../platform/KeptAlive.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import * as Calls from "../../promise/Calls.ts"
import type { JsonObject } from "../../values/Json.ts"
import { visibleLines } from "../../values/PlainText.ts"
import type { RecordOptions } from "../RecordOptions.ts"
import * as LeftRuns from "./LeftRuns.ts"
import * as RunStream from "./RunStream.ts"

/** A task that is open, in a log that is open. */
export interface OpenedRun {
  readonly taskId: string
  /** The id of the event that everything is caused by: of its `TaskOpened`, or of what forked it. */
  readonly openedBy: string
  readonly stream: RunStream.RunStream
  /** Asks a person about a command. */
  readonly ask: (question: ConfirmationRequests.ConfirmationRequest) => Promise<ConfirmationRequests.ConfirmationResult>
  /** Closes the log. */
  readonly close: () => Promise<void>
}

/** How a run is recorded. */
export interface Recording {
  /** Default: by the program itself. */
  readonly means?: RecorderMeans | undefined
}

/**
 * Opens a log, closes what dead recorders left open in it, and opens a task.
 *
 * @param isSilent whether warnings are left out
 */
export const open = (
  {
    log,
    goal,
    agent,
    id,
    subject,
    means,
  }: Pick<RecordOptions, "log" | "goal" | "agent" | "id" | "subject"> & Recording,
  isSilent: () => boolean,
): Promise<OpenedRun> =>
  opening(log, isSilent, (log, scope) =>
    Effect.gen(function* () {
      yield* LeftRuns.abandon(scope)
      const taskId = id === undefined ? newId() : yield* TaskId.checked(id)
      const actor = `agent:${agent}`
      const recorder = yield* announced(scope, means)
      const opened = yield* openTask(log, { taskId, actor, goal, agent, recorder, subject })
      return { log, taskId, actor, opened: { id: opened.id, version: opened.version, position: opened.position } }
    }),
  )

/** Where a run goes on in a task that was recorded. */
export interface Forking extends Recording {
  readonly log: string
  readonly taskId: string
  /** The timeline that it leaves, and the last position that the two share. */
  readonly parent: string
  readonly at: number
  /** The name of the new timeline. */
  readonly timeline: string
  readonly agent: string
  /** What is otherwise than in the parent. */
  readonly overrides: JsonObject
  /** Whether a log that this user did not write on this machine is trusted. Default: false. */
  readonly trust?: boolean | undefined
}

/** Opens a log, closes what dead recorders left open in it, and opens a timeline on which a recorded task goes on. */
export const fork = ({ log, ...forking }: Forking, isSilent: () => boolean): Promise<OpenedRun> =>
  opening(log, isSilent, (log, scope) =>
    Effect.gen(function* () {
      const { taskId, parent, at, timeline, agent, overrides, trust = false, means } = forking
      // The recorded answers lead a program that then acts.
      yield* Effect.provide(Trust.assertTrusted(trust ? "option" : undefined), Projector.layer)
      yield* LeftRuns.abandon(scope)
      const known = yield* Timelines.list(log)
      yield* TimelineName.checked(
        timeline,
        known.map(({ name }) => name),
      )
      const view = Timelines.view(
        log,
        Timelines.branch(
          yield* Timelines.named(log, parent).pipe(Effect.map((found) => Timelines.view(log, found))),
          timeline,
          at,
        ),
      )
      const actor = `agent:${agent}`
      const recorder = yield* announced(scope, means)
      const payload = { timeline, parent, at, overrides: { ...overrides, agent, io: "live", recorder } }
      const { events, position } = yield* view
        .append({
          ...{ stream: `timeline/${timeline}`, taskId, actor, expected: NoStream },
          events: [{ type: "TimelineForked", payload }],
        })
        .pipe(Effect.catchTag("VersionConflict", () => TimelineName.taken(timeline)))
      return { log: view, taskId, actor, opened: { id: events[0]?.id ?? "", version: 0, position } }
    }),
  )

type Begun = Omit<RunStream.RunTarget, "run">

const opening = async (
  filename: string,
  isSilent: () => boolean,
  begin: (log: EventLog.Service, scope: Scope.Scope) => Effect.Effect<Begun, unknown, EventLog | Presence>,
): Promise<OpenedRun> => {
  const scope = Effect.runSync(Scope.make())
  try {
    const layer = Layer.provideMerge(
      SqliteEventLog.layer({ filename }),
      Layer.merge(warnings(isSilent), KeptAlive.layer),
    )
    const runtime = await Calls.run(Scope.extend(Layer.toRuntime(layer), scope))
    const calls = Calls.make(filename, runtime, scope)
    const log = await Calls.run(Effect.provide(EventLog, runtime))
    const begun = await calls.run(Effect.provide(begin(log, scope), runtime))
    return {
      taskId: begun.taskId,
      openedBy: begun.opened.id,
      stream: RunStream.make({ ...begun, run: calls.run }),
      ask: (question) => calls.run(ConfirmationRequests.ask(begun.log, question)),
      close: calls.close,
    }
  } catch (error) {
    await Calls.run(Scope.close(scope, Exit.void))
    throw error
  }
}

/** This process as the recorder of a run, which its heartbeats keep alive until the scope closes. */
const announced = (scope: Scope.Scope, means: RecorderMeans | undefined): Effect.Effect<Recorder, LogError, Presence> =>
  Effect.map(
    Scope.extend(
      Effect.flatMap(Presence, ({ announce }) => announce),
      scope,
    ),
    (identity) => ({ host: os.hostname(), pid: process.pid, identity, ...(means === undefined ? {} : { means }) }),
  )

const openTask = (
  log: EventLog.Service,
  {
    taskId,
    actor,
    goal,
    agent,
    recorder,
    subject,
  }: { readonly [Name in "taskId" | "actor" | "goal" | "agent"]: string } & {
    readonly recorder: Recorder
    readonly subject: string | undefined
  },
) =>
  Effect.gen(function* () {
    const { events } = yield* log
      .append({
        ...{ stream: `task/${taskId}`, taskId, actor, expected: NoStream },
        ...(subject === undefined ? {} : { subject }),
        events: [{ type: "TaskOpened", payload: { goal, agent, measures: [], plugins: [], recorder } }],
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
    return opened ?? (yield* Effect.dieMessage("an append answered without events"))
  })

/** What the log has to say becomes warnings of the process: the program's output may be read by another. */
const warnings = (isSilent: () => boolean) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message, logLevel }) => {
      if (isSilent() || LogLevel.lessThan(logLevel, LogLevel.Warning)) return
      process.emitWarning(visibleLines([message].flat().map(String).join("\n")), { type: "HindcastWarning" })
    }),
  )
