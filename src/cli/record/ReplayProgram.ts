/** `hindcast replay TASK -- node agent.js`: runs a program again on the recording of its requests. */
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as KeyVariables from "../../record/log/KeyVariables.ts"
import type { Live } from "../../record/replay/Diverged.ts"
import * as ReplayedRun from "../../record/replay/ReplayedRun.ts"
import { defined } from "../../values/defined.ts"
import { given } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as OwnTools from "./again/OwnTools.ts"
import * as ServedRecording from "./again/ServedRecording.ts"
import * as ClosedProgram from "./ClosedProgram.ts"
import * as Comparison from "./Comparison.ts"
import * as Program from "./Program.ts"
import * as ProxiedProgram from "./ProxiedProgram.ts"

export interface ReplayOptions {
  readonly live: Option.Option<Live>
  /** Which of the processes that recorded the task to replay, from 1. */
  readonly part: Option.Option<number>
  readonly allowHost: ReadonlyArray<string>
}

/** Runs the program on a task's recording. Exits with the program's code, or with 2 if it diverged. */
export const replay = (taskId: string, words: ReadonlyArray<string>, { live, part, allowHost }: ReplayOptions) =>
  Effect.gen(function* () {
    const recorder = yield* ProxiedProgram.recorderOf(taskId)
    yield* OwnTools.note(yield* OwnTools.of(taskId), { isNode: recorder === undefined })
    const env = Option.isSome(live) ? {} : yield* placeholders(taskId)
    if (recorder !== undefined) return yield* replayProxied(taskId, recorder, words, { live, part, allowHost }, { env })
    const program = yield* Program.checked(words)
    const { closed, report: named, confined } = yield* ClosedProgram.closing(allowHost)
    const { name: log } = yield* EventLog
    const events = yield* ServedRecording.fileOf(taskId)
    const toldOf = (report: string) => ({
      does: "replay" as const,
      log,
      taskId,
      closed,
      report,
      ...given({ live, part }),
      ...defined({ events }),
    })
    // Its own requests to models or tools need the network.
    const ran = yield* Program.runReporting(program, toldOf, { env }, Option.isSome(live) ? undefined : confined)
    yield* told(ran, taskId, words, live, named)
  }).pipe(Effect.scoped)

/**
 * Placeholders for the keys that the program had when it was recorded and that are missing now. A replay asks no
 * provider.
 */
const placeholders = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [opened] = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskOpened"] }, 1)
    const keys = opened !== undefined && is(opened, "TaskOpened") ? opened.payload.recorder?.keys : undefined
    return KeyVariables.missing(keys ?? [], process.env)
  })

const told = (
  ran: Program.Ran,
  taskId: string,
  words: ReadonlyArray<string>,
  live: Option.Option<Live>,
  named: Effect.Effect<boolean, ClosedProgram.MainThreadBlocked>,
  options: ReadonlyArray<string> = [],
) =>
  Effect.gen(function* () {
    const anew = ran.report?.compared?.live ?? 0
    if (Option.isSome(live)) yield* Output.note(`sent again: ${anew} of its requests`)
    const hasTried = yield* named
    const compared = yield* Comparison.of(ran, words, options)
    if (compared === undefined) return
    if (hasTried) return yield* Comparison.triedNetwork(taskId)
    const exit = yield* exitOf(taskId)
    // Live requests may lead to another end.
    const isCompared = exit !== undefined && Option.isNone(live)
    if (isCompared && exit !== (ran.ended.code ?? ran.ended.signal))
      return yield* Comparison.endedOtherwise(exit, ran, taskId)
    if (!isCompared && !compared.isSuccess) return
    const did =
      compared.recorded === 0
        ? `no request was answered from task ${taskId}, so nothing was compared.`
        : `apart from the requests that were sent again, it repeated task ${taskId}.`
    yield* Output.note(
      Option.isSome(live)
        ? `The program ended; ${did}`
        : `The program repeated task ${taskId}.${exit === undefined ? NO_EXIT : ""}`,
    )
  })

const NO_EXIT = " How it ended in the recording is unknown, so its exit code was not compared."

/** How the task's program ended; undefined if that is unknown, or if several processes recorded it. */
const exitOf = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { timeline } = log
    const events = yield* log.readPage({ timeline, taskId, types: ["TaskClosed", "RecorderJoined"] }, 2)
    const [closed, ...others] = events
    return closed !== undefined && others.length === 0 && is(closed, "TaskClosed") ? closed.payload.exit : undefined
  })

const replayProxied = (
  taskId: string,
  recorder: ProxiedProgram.Proxied,
  words: ReadonlyArray<string>,
  { live, part, allowHost }: ReplayOptions,
  running: Program.Running,
) =>
  Effect.gen(function* () {
    const program = yield* ProxiedProgram.checked(words)
    // Tools that run live may reach any host that they need.
    const isOpen = Option.contains(live, "tools")
    const allowed = yield* ClosedProgram.hostsOf(allowHost)
    const { closed, report: named } = yield* ClosedProgram.closing(allowHost)
    const closing = isOpen ? undefined : { allowed, attempts: closed.attempts }
    const { name: log } = yield* EventLog
    const events = yield* ServedRecording.eventsOf(taskId)
    const begin: Parameters<typeof ProxiedProgram.replay>[2] = (fetch) =>
      ReplayedRun.begin({ log, taskId, fetch, ...given({ live, part }) }, events)
    const ran = yield* ProxiedProgram.replay(program, recorder, begin, running, closing)
    yield* told(ran, taskId, words, live, named, [`--${recorder.means}`])
  })
