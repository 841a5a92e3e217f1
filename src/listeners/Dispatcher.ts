/** Opens a task for each signal of the log that has none yet, in order, as many at once as the program allows. */

import { Deferred, Effect, Either, Stream } from "effect"
import type { AppendError, EventLog, LeaseLost, LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as Agent from "../kernel/agents/Agent.ts"
import type * as Kernel from "../kernel/Kernel.ts"
import { toResume } from "../kernel/ResumedTasks.ts"
import type { ResumeError } from "../kernel/resume/Resume.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import { defined } from "../values/defined.ts"
import { plainText } from "../values/Json.ts"
import type { Inbox } from "./Inbox.ts"
import { streamOf } from "./Listener.ts"
import { isPassing, patiently, pause } from "./Patience.ts"
import * as Places from "./Places.ts"
import type * as Progress from "./Progress.ts"
import type { CompiledRule, SignalFacts } from "./Rule.ts"
import * as WaitingSignals from "./WaitingSignals.ts"

export interface Dispatching {
  readonly log: EventLog.Service
  readonly kernel: Kernel.Service
  readonly inbox: Inbox
  /** The names of the listeners whose signals it handles. */
  readonly listeners: ReadonlySet<string>
  readonly rules: ReadonlyArray<CompiledRule>
  /** Tasks at work at the same time, without those that wait for people. */
  readonly maxTasks: number
  readonly progress: Progress.Progress
}

type Waiting = SignalFacts & { readonly event: Event }

/**
 * First resumes the open tasks of the rules' agents, then handles the signals that wait, then each new one. The log is
 * the queue: a signal that was acknowledged and has no task finds one here, also in the next process. Never ends by
 * itself; fails if the log cannot be read or written, or the kernel has lost its lease. The tasks go on in the kernel.
 */
export const run = (dispatching: Dispatching): Effect.Effect<never, AppendError | LogError> =>
  Effect.gen(function* () {
    const { log, kernel, inbox, listeners, rules, maxTasks, progress } = dispatching
    const { position: began } = yield* log.head
    const places = Places.make(log, maxTasks)
    const lost = yield* Deferred.make<never, LeaseLost>()

    /** Holds a place until the work ends. The work belongs to the kernel, whose end suspends it. */
    const started = <E>(
      taskId: string,
      place: Effect.Effect<void, E>,
      work: Effect.Effect<unknown, Kernel.RunError | ResumeError>,
    ) =>
      Effect.zipRight(
        place,
        Effect.suspend(() => {
          progress.began()
          return Effect.forkDaemon(
            work.pipe(
              Effect.catchAll((error) => ended(taskId, error, lost)),
              Effect.catchAllDefect((cause) => ProgramLog.error(`task ${taskId} died`, cause)),
              Effect.ensuring(
                Effect.sync(() => {
                  places.leave(taskId)
                  progress.ended()
                }),
              ),
            ),
          )
        }),
      )

    const resumed = Effect.gen(function* () {
      const agents = rules.map(({ agent }) => agent)
      const unfinished = yield* kernel.tasks.unfinished
      for (const { taskId, agent: recorded } of toResume(unfinished)) {
        const agent = Agent.recordedAs(agents, recorded)
        const rule = rules.find((one) => one.agent === agent)
        if (rule !== undefined) {
          yield* started(taskId, places.takeAgain(taskId, unfinished), kernel.tasks.resume(taskId, rule.agent))
        }
      }
    })

    const openedFor = (waiting: Waiting, rule: CompiledRule) => {
      const { event, id, listener, source, content } = waiting
      const { index, agent, maxSteps, plugins } = rule
      const taskId = `${listener}-${event.id}`
      const isOpen = Effect.map(log.versionOf(`task/${taskId}`), (version) => version > 0)
      const opening: Effect.Effect<unknown, Kernel.RunError> = Effect.suspend(() =>
        kernel.tasks.run(agent, {
          id: taskId,
          goal: rule.goalOf(waiting),
          forSignal: { event, listener, signal: id, source, content, rule: index },
          ...defined({ maxSteps, plugins }),
        }),
      ).pipe(
        Effect.catchAll((error) =>
          Effect.gen(function* () {
            // An open task says itself how it ended.
            if (NEVER.has(error._tag) || (yield* isOpen)) return yield* Effect.fail(error)
            if (isPassing(error)) {
              yield* pause(`signal ${id} of ${listener}`, error)
              return yield* opening
            }
            yield* ProgramLog.warning(`signal ${id} of ${listener} opened no task: ${error.message}`)
            const how = OWN_FAULT.has(error._tag) ? "refused" : "undelivered"
            return yield* unwanted(log, waiting, how, index, error.message)
          }),
        ),
      )
      return started(taskId, places.take(taskId), opening)
    }

    const handle = (waiting: Waiting) =>
      Effect.gen(function* () {
        const chosen = yield* Effect.either(chosenBy(rules, waiting))
        if (Either.isLeft(chosen)) yield* unwanted(log, waiting, "undelivered", undefined, chosen.left)
        else if (chosen.right === undefined) yield* unwanted(log, waiting, "ignored")
        else yield* openedFor(waiting, chosen.right)
        inbox.handled(waiting.event.id)
        progress.handled(waiting.event.position)
      })

    /** Handles an event of a listener. */
    const handleEvent = (event: Event) =>
      is(event, "SignalReceived") && listeners.has(event.payload.listener)
        ? handle({ event, ...event.payload })
        : Effect.void

    const dispatched = Effect.gen(function* () {
      yield* resumed
      const { position: until } = yield* log.head
      for (const position of yield* WaitingSignals.positions(log, listeners, until)) {
        const [event] = yield* log.readPage({ timeline: log.timeline, after: position - 1, until: position }, 1)
        if (event !== undefined) yield* handleEvent(event)
      }
      progress.handled(until)
      const query = { timeline: log.timeline, types: ["SignalReceived"], after: until }
      yield* Stream.runForEach(log.follow(query), (item) => ("id" in item ? handleEvent(item) : Effect.void))
      return yield* Effect.never
    })
    return yield* Effect.raceFirst(places.watch(began), Effect.raceFirst(dispatched, Deferred.await(lost)))
  })

/** The first rule that wants the signal, or why a condition could not be evaluated. */
const chosenBy = (rules: ReadonlyArray<CompiledRule>, signal: SignalFacts) =>
  Effect.try({
    try: () => rules.find(({ wants }) => wants(signal)),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)),
  })

const unwanted = (
  log: EventLog.Service,
  { event, listener }: Waiting,
  how: "ignored" | "undelivered" | "refused",
  rule?: number,
  why?: string,
) =>
  patiently(
    `signal @${event.position}`,
    log.append({
      stream: streamOf(listener),
      actor: "kernel",
      events: [
        {
          type: "SignalHandled",
          causationId: event.id,
          payload: {
            listener,
            signal: event.position,
            how,
            ...defined({ rule, reason: why === undefined ? undefined : plainText(why) }),
          },
        },
      ],
    }),
  )

/** The log has what happened to the task, unless its kernel lost the lease: then others' kernels work on the log. */
const ended = (
  taskId: string,
  error: Kernel.RunError | ResumeError,
  lost: Deferred.Deferred<never, LeaseLost>,
): Effect.Effect<void> => {
  if (error._tag === "TaskClosed" || error._tag === "AgentFailed") return Effect.void
  if (error._tag !== "LeaseLost") return ProgramLog.warning(`task ${taskId}: ${error.message}`)
  return error.suspended === undefined ? Effect.asVoid(Deferred.fail(lost, error)) : Effect.void
}

/** The signal itself can have no task. Any other failure is the operator's to repair, and the signal waits. */
const OWN_FAULT: ReadonlySet<string> = new Set<(Kernel.RunError | ResumeError)["_tag"]>([
  "InvalidEvent",
  "TaskIdInvalid",
  "TaskIdTaken",
])

/** The kernel ended: the signal stays in the log, and the next process handles it. */
const NEVER: ReadonlySet<string> = new Set(["LeaseLost", "LogCorrupt"])
