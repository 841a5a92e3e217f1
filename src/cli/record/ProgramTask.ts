/** Closes the task of a program that recorded, if the program itself did not. */
import { Effect } from "effect"
import { type CoreNewEvent, EventLog, Exact, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as CommandState from "../../kernel/acting/CommandState.ts"
import * as ObservedCommand from "../../kernel/acting/command/ObservedCommand.ts"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import { NOT_TOLD } from "../../record/http/ObservedCalls.ts"
import type { ProgramExit } from "../../record/RunAtWork.ts"
import { defined } from "../../values/defined.ts"
import * as LastLook from "./LastLook.ts"
import * as Program from "./Program.ts"

export interface Closing {
  readonly outcome: TaskOutcome
  readonly reason: string
  readonly exit?: ProgramExit
}

/**
 * Closes an open task whose program called `process.exit` or was killed, or whose log failed. Returns whether there is
 * a task: there is none if the program did not start.
 */
export const close = (taskId: string, ran: Program.Ran, timeline: string = MAIN, directory?: LastLook.Directory) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const stream = `task/${taskId}`
    const begun = timeline === MAIN ? { stream, timeline } : { stream: `timeline/${timeline}`, timeline }
    const [opened] = yield* log.readPage(begun, 1)
    if (opened === undefined) return false
    const [closed] = yield* log.readPage({ timeline, taskId, types: ["TaskClosed"] }, 1)
    if (closed === undefined) {
      const expected = Exact(yield* log.versionOf(stream, timeline))
      const { unseen = [] } = ran
      const noted = unseen.length === 0 ? [] : [{ type: "CaptureNoted", payload: { unseen } } as const]
      const closing = { type: "TaskClosed", payload: closingOf(ran, timeline !== MAIN) } as const
      const view = timeline === MAIN ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
      const changes = directory === undefined ? [] : yield* LastLook.events(view, taskId, directory)
      const events = [...changes, ...noted, ...(yield* doubts(view, taskId)), closing]
      yield* log.append({ timeline, stream, taskId, actor: "kernel", expected, events })
    }
    return true
  })

/** Leaves an open task for another process to continue. Returns whether there is a task. */
export const leave = (taskId: string, { unseen = [] }: Program.Ran, directory?: LastLook.Directory) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const stream = `task/${taskId}`
    const { timeline } = log
    const [opened] = yield* log.readPage({ timeline, stream }, 1)
    if (opened === undefined) return false
    const [closed] = yield* log.readPage({ timeline, taskId, types: ["TaskClosed"] }, 1)
    if (closed === undefined && (yield* Recorders.currentOf(log, taskId)) !== "left") {
      const expected = Exact(yield* log.versionOf(stream, timeline))
      const noted = unseen.length === 0 ? [] : [{ type: "CaptureNoted", payload: { unseen } } as const]
      const changes = directory === undefined ? [] : yield* LastLook.events(log, taskId, directory)
      const events = [...changes, ...noted, { type: "RecorderLeft", payload: {} } as const]
      yield* log.append({ timeline, stream, taskId, actor: "kernel", expected, events })
    }
    return true
  })

/** Ends for the tool calls whose results no request contained before the program ended. */
const doubts = (log: EventLog.Service, taskId: string) =>
  Effect.gen(function* () {
    const open = new Map<string, CoreNewEvent>()
    yield* Pages.forEach(
      log.readPage,
      { timeline: log.timeline, taskId, types: ["ActuatorCommanded", ...CommandState.ENDS] },
      (page) => {
        for (const event of page) {
          const { commandId } = event.payload
          if (typeof commandId !== "string") continue
          if (!is(event, "ActuatorCommanded")) open.delete(commandId)
          else if (event.payload.observed === true) open.set(commandId, ObservedCommand.unknown(commandId, NOT_TOLD))
        }
      },
    )
    return [...open.values()]
  })

export const closingOf = (ran: Program.Ran, isFork: boolean): Closing => {
  const { code, signal } = ran.ended
  return { ...outcomeOf(ran, isFork), ...defined({ exit: code ?? signal ?? undefined }) }
}

const outcomeOf = ({ ended: { code, signal }, report = {}, errors }: Program.Ran, isFork: boolean): Closing => {
  const { logFailure, compared, uncaught } = report
  const said = uncaught === undefined ? Program.endOfErrors(errors) : `: ${uncaught}`
  const error = code === 0 ? "" : said
  const reason = code === null ? `its process ended by ${signal}` : `its process exited with ${code}${error}`
  if (logFailure !== undefined) {
    return { outcome: "abandoned", reason: `nothing more was recorded (${logFailure}); ${reason}` }
  }
  if (compared?.found) return { outcome: "failed", reason: compared.found.message }
  if (isFork && compared === undefined) {
    return { outcome: "abandoned", reason: `${reason} before it was compared with its recording` }
  }
  return { outcome: code === 0 ? "achieved" : code === null ? "abandoned" : "failed", reason }
}
