/** The commands that pause, continue and cancel tasks, even tasks of a kernel in another process. */
import { Command } from "@effect/cli"
import { Effect, type Option } from "effect"
import { type Holder, Lease } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { TaskControl } from "../../kernel/control/TaskControl.ts"
import * as Hindcast from "../../kernel/Hindcast.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { TaskQueue } from "../../kernel/queue/TaskQueue.ts"
import { userName } from "../../platform/user/Machine.ts"
import { iso } from "../../values/Time.ts"
import { argument, common, given, optionalText, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import { at, count } from "../terminal/Text.ts"

const reason = optionalText("reason", "The reason, for the log")
const timeline = TimelineOption.timeline

const control = (
  name: "pause" | "continue" | "cancel",
  description: string,
  done: string,
  ask: (control: TaskControl.Service) => TaskControl.Service["pause"],
) =>
  Command.make(name, { ...common, task: argument("task", TASK), reason, timeline }, ({ log, json, task, ...typed }) =>
    Effect.gen(function* () {
      const options = { by: userName(), ...given({ reason: typed.reason, timeline: typed.timeline }) }
      const queue = yield* TaskQueue
      // A part of an id, or the whole id of a task that waits, must not name another one.
      const queued = typed.timeline._tag === "None" ? Object.keys(yield* queue.queued) : []
      const taskId = yield* Ids.task(task, queued)
      const event = yield* Effect.catchTag(ask(yield* TaskControl)(taskId, options), "TaskNotFound", (unknown) =>
        name === "cancel" && queued.includes(taskId)
          ? // No runner has begun it.
            Effect.catchTag(
              queue.cancel(taskId, { by: options.by, ...given({ reason: typed.reason }) }),
              "NotQueued",
              () => unknown,
            )
          : unknown,
      )
      const silent = name === "cancel" && event.taskId !== null ? yield* closeIfNobodyWorks(log) : undefined
      yield* Output.show(json, event, (style) => [
        `Task ${style.name(taskId)} ${done} ${style.dim(at(event.position))}`,
        ...waitingFor(silent),
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
  ).pipe(Command.withDescription(description))

/**
 * If no kernel works on the log, starts one to close the cancelled tasks. A working kernel closes them itself, even one
 * that is silent while its process lives; returns the silent one.
 */
const closeIfNobodyWorks = (log: Option.Option<string>) =>
  Effect.gen(function* () {
    const silent = yield* (yield* Lease).silent
    if (silent !== undefined) return silent
    const { open } = yield* OpenLog.existingPlace(log)
    const owner = `hindcast task cancel of ${userName()}`
    yield* Effect.provide(Kernel, Hindcast.layer({ log: open, owner, onOpenTasks: "resume" })).pipe(
      Effect.catchTag("LeaseHeld", () => Effect.void),
      Effect.catchTag("ForeignLog", ({ log }) =>
        Output.note(
          `The cancellation is recorded. ${log} is foreign, so no kernel closes the task before you trust it.`,
        ),
      ),
    )
    return undefined
  })

const waitingFor = (silent: Holder | undefined): ReadonlyArray<string> =>
  silent === undefined
    ? []
    : [
        `"${silent.owner}" (process ${silent.pid}) works on the log and has been silent since ${iso(silent.heartbeatAt)}. It closes cancelled tasks once it continues; if its process has ended, the next kernel does.`,
      ]

export const pause = control(
  "pause",
  "Pause an open task: it finishes the work in progress and begins nothing new until you continue it",
  "is paused",
  (control) => control.pause,
)

export const continueTask = control("continue", "Continue a paused task", "continues", (control) => control.continue)

export const cancel = control(
  "cancel",
  "End an open task: interrupt the work in progress, and close the task as abandoned",
  "is cancelled",
  (control) => control.cancel,
)

export const stop = Command.make("stop", { ...common, reason }, ({ log, json, ...typed }) =>
  Effect.gen(function* () {
    const options = { by: userName(), ...given({ reason: typed.reason }) }
    const cancelled = yield* (yield* TaskControl).stop(options)
    const silent = cancelled.length > 0 ? yield* closeIfNobodyWorks(log) : undefined
    yield* Output.show(json, { cancelled }, () => [...lines(cancelled), ...waitingFor(silent)])
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("End all open tasks of a log immediately, including those of forks"))

const lines = (cancelled: ReadonlyArray<Event>): ReadonlyArray<string> =>
  cancelled.length === 0
    ? ["No task is open."]
    : [
        `${count(cancelled.length, "task")} cancelled:`,
        ...cancelled.map(({ taskId, position }) => `  ${taskId} ${at(position)}`),
      ]
