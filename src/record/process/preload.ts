/**
 * Loaded before a program with `node --import`, as `hindcast record -- node agent.js` does. Replaces the global `fetch`
 * by one that records or replays, as `ProcessRun` says.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import { isMainThread } from "node:worker_threads"
import { Either } from "effect"
import * as AiSdkTelemetry from "../adapters/AiSdkTelemetry.ts"
import * as ExaminedFetch from "../doctor/ExaminedFetch.ts"
import * as Pinned from "../doctor/Pinned.ts"
import * as ForkedRun from "../fork/ForkedRun.ts"
import * as RecordedFetch from "../http/RecordedFetch.ts"
import * as Redaction from "../http/Redaction.ts"
import * as LiveRun from "../LiveRun.ts"
import type { RecordingFailed } from "../log/RunLog.ts"
import * as ClosedNetwork from "../network/ClosedNetwork.ts"
import * as Unseen from "../network/Unseen.ts"
import type { PlaybackRun } from "../replay/PlaybackRun.ts"
import * as RecordedEvents from "../replay/RecordedEvents.ts"
import * as ReplayedRun from "../replay/ReplayedRun.ts"
import * as Children from "./Children.ts"
import * as ClosedProcess from "./ClosedProcess.ts"
import * as DivergedEnd from "./DivergedEnd.ts"
import * as ObservedProcess from "./ObservedProcess.ts"
import * as ProcessReport from "./ProcessReport.ts"
import * as ProcessRun from "./ProcessRun.ts"
import * as ProcessRuns from "./ProcessRuns.ts"
import * as RecordedHere from "./RecordedHere.ts"
import * as Serving from "./Serving.ts"
import * as UncaughtError from "./UncaughtError.ts"

const told = Children.told()

const here = RecordedHere.begin()

/** Synchronous: the process exits right after it. */
const say = (text: string) => void fs.writeSync(process.stderr.fd, `hindcast: ${text}\n`)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

type Recording = Extract<ProcessRun.ProcessRun, { readonly does: "record" }>
type Replaying = Extract<ProcessRun.ProcessRun, { readonly does: "replay" }>

const outside =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) =>
    ClosedNetwork.outside(() => fetch(input, init))

const recordProcess = async ({ taskId, report, preload, keepOpen, does: _, ...options }: Recording) => {
  const add = ProcessReport.to(report)
  const onLogFailed = ({ reason }: RecordingFailed) => add({ logFailure: reason })
  const unseen = () => Unseen.read(Unseen.fileBeside(report))
  const fetch = outside(globalThis.fetch)
  const tasks: Array<string> = []
  const onTask = (taskId: string) => {
    tasks.push(taskId)
    add({ tasks })
  }
  const isBlind = () => unseen().some(({ what }) => what === CALLS_OF_CHILDREN)
  const redaction = Redaction.make()
  const recorded = { ...options, taskId, redaction, onTask, onLogFailed, unseen, isBlind }
  const runs = await ProcessRuns.begin(recorded, Serving.observe())
  const { exchange } = AiSdkTelemetry.receive(runs, here)
  globalThis.fetch = RecordedFetch.make({ exchange, fetch, assertOpen: () => {} })
  const { log, agent, onLogFailure, workspace } = options
  const hasFiles = workspace === undefined ? {} : ({ hasFiles: true } as const)
  ObservedProcess.observe(exchange, { does: "join", log, agent, taskId, onLogFailure, ...hasFiles, report, preload })
  add({})
  UncaughtError.watch((error) => add({ uncaught: UncaughtError.described(error, redaction.text) }))
  endWith((outcome, code) => {
    here.isEnded = true
    return keepOpen === true ? runs.leave() : runs.end(outcome, undefined, code)
  })
}

/** Only the process that began looks at the directory. From here on, its looks say which call it was only by name. */
const CALLS_OF_CHILDREN = "the files that a child's calls change: by the file's name, if its call is known at all"

type Joining = Extract<ProcessRun.ProcessRun, { readonly does: "join" }>

/** A child records in its parent's task, which the parent ends. */
const joinProcess = async (joining: Joining) => {
  const note = Unseen.to(Unseen.fileBeside(joining.report))
  const onLogFailed = ({ reason }: RecordingFailed) => note("the requests of a child whose log failed", reason)
  const fetch = outside(globalThis.fetch)
  const onCalls = joining.hasFiles && (() => note(CALLS_OF_CHILDREN, path.basename(process.argv[1] ?? "a script")))
  const run = await LiveRun.join({ ...joining, fetch, onCalls }, onLogFailed)
  const { exchange } = AiSdkTelemetry.receive(run, here)
  globalThis.fetch = RecordedFetch.make({ exchange, fetch, assertOpen: () => {} })
  ObservedProcess.observe(exchange, joining)
}

/**
 * Ends a run when the program has nothing left to do. After `process.exit`, the parent command closes the task instead.
 */
const endWith = (end: (outcome: "achieved" | "failed", code: number) => Promise<unknown>) =>
  process.once("beforeExit", (code) => {
    end(code === 0 ? "achieved" : "failed", code).catch((error) => {
      process.emitWarning(`the end of the run was not recorded: ${messageOf(error)}`, { type: "HindcastWarning" })
    })
  })

/**
 * Installs a playback's `fetch` and reports at exit whether the program acted as recorded. Returns a function that
 * returns the fault so far.
 */
const install = ({ run, playback }: PlaybackRun, closed: ProcessRun.Closed, add: ProcessReport.Add) => {
  globalThis.fetch = run.fetch
  const ended = () => {
    const found = playback.ended()
    if (found !== undefined || !fs.existsSync(closed.attempts)) return found
    const now = "an attempt to reach it (see above)"
    return playback.diverge("a connection", null, { where: "the network", recorded: "no connection", now })
  }
  DivergedEnd.watch(playback.divergence)
  // Shows that the program is about to start.
  add({})
  process.on("exit", () => {
    const found = ended()
    const told = found === undefined ? null : { tag: found._tag, message: found.message }
    add({ compared: { found: told, ...playback.counts() } })
  })
  return ended
}

const replayProcess = async ({ does: _, closed, report, events, ...recorded }: Replaying) => {
  const known = events === undefined ? undefined : RecordedEvents.kept(events)
  const replaying = await ReplayedRun.begin({ ...recorded, fetch: outside(globalThis.fetch) }, known)
  install(replaying, closed, ProcessReport.to(report))
  // Tools called for real may use the network.
  await ClosedProcess.close(closed, { fetch: replaying.run.fetch, isClosed: () => recorded.live !== "tools" })
}

type Examining = Extract<ProcessRun.ProcessRun, { readonly does: "examine" }>

const examineProcess = async ({ log, taskId, closed, clock, tick, seed, order, told, events: file }: Examining) => {
  const events = file === undefined ? await RecordedEvents.eventsOf(log, taskId) : RecordedEvents.kept(file)
  globalThis.fetch = ExaminedFetch.make(events, Redaction.make(), order, (asked) => {
    fs.appendFileSync(told, `${JSON.stringify(asked)}\n`)
  })
  await ClosedProcess.close(closed, { fetch: globalThis.fetch })
  Pinned.pin({ clock, tick, seed })
  // Tells the doctor that the program was started.
  fs.writeFileSync(told, "")
}

type Forking = Extract<ProcessRun.ProcessRun, { readonly does: "fork" }>

const forkProcess = async ({ report, does: _, closed, ...options }: Forking) => {
  const add = ProcessReport.to(report)
  const onLogFailed = ({ reason }: RecordingFailed) => add({ logFailure: reason })
  const forking = await ForkedRun.begin({ ...options, fetch: outside(globalThis.fetch), onLogFailed })
  const ended = install(forking, closed, add)
  await ClosedProcess.close(closed, { fetch: forking.run.fetch, isClosed: forking.playback.isPast })
  UncaughtError.watch((error) => add({ uncaught: UncaughtError.described(error, Redaction.make().text) }))
  // The log then has the divergence as the reason.
  endWith(async (outcome) => {
    ended()
    await forking.close(outcome)
  })
}

/** A worker thread without instructions. */
const isLeftAlone = !isMainThread && told === undefined

const begin = async (run: ProcessRun.ProcessRun) => {
  if (run.does === "record") return await recordProcess(run)
  if (run.does === "join") return await joinProcess(run)
  if (run.does === "replay") return await replayProcess(run)
  if (run.does === "examine") return await examineProcess(run)
  if (run.does === "fork") return await forkProcess(run)
  ClosedProcess.follow(run)
}

try {
  if (!isLeftAlone) await begin(Either.getOrThrow(ProcessRun.read(told)))
} catch (error) {
  say(`the program was not started: ${messageOf(error)}`)
  process.exit(ProcessRun.NOT_STARTED)
}
