/** Records the run of a program that has an agent of its own: opens its log and its task. */

import type { Fetch } from "../agents/models/Fetch.ts"
import type { Unseen } from "../events/vocabulary/Notes.ts"
import type { RecorderMeans } from "../events/vocabulary/Tasks.ts"
import * as KeptAlive from "../platform/KeptAlive.ts"
import { defined } from "../values/defined.ts"
import * as Redaction from "./http/Redaction.ts"
import * as RunLog from "./log/RunLog.ts"
import * as RecordOptions from "./RecordOptions.ts"
import type { Run } from "./Run.ts"
import * as RunAtWork from "./RunAtWork.ts"

/**
 * Opens a log and a task in it, and records what a program does by the calls of the run. The promise is rejected with
 * `InvalidOptions`, which names every mistake in the options, and with the errors of opening a log. Any number of
 * programs record to one log at once, also while a kernel is at work on it.
 *
 * @example
 * const run = await record({ log: "agent.db", goal: "Answer a letter", agent: "clerk" })
 * const openai = new OpenAI({ fetch: run.fetch })
 * await run.end("achieved")
 */
export const record = async (options: RecordOptions.RecordOptions): Promise<Run> => {
  const { exchange: _, exchangeRead: _read, hasOpenCalls: _hasOpenCalls, ...run } = await begin(options, () => {})
  return run
}

/** `record`, for whoever has to know at once that nothing more is recorded. */
export const begin = async (
  options: RecordOptions.RecordOptions,
  onLogFailed: (failed: RunLog.RecordingFailed) => void,
  means?: RecorderMeans,
  unseen?: () => ReadonlyArray<Unseen>,
): Promise<RunAtWork.RunAtWork> => {
  const { log: file, onLogFailure = "go-on", secrets, gate, ...decoded } = RecordOptions.decode(options)
  let hasFailed = () => false
  const redaction = Redaction.make(secrets)
  const goal = redaction.text(decoded.goal)
  // What opens a log is loaded with the first run, so that a program which imports this starts at once.
  const opened = await KeptAlive.during(
    import("./log/OpenedRun.ts").then(({ open }) => open({ ...decoded, goal, means, log: file }, () => hasFailed())),
  )
  const { taskId, stream } = opened
  const log = RunLog.make({ taskId, log: file, onLogFailure, stream, onFailed: onLogFailed })
  hasFailed = log.hasFailed
  return RunAtWork.make({
    opened,
    log,
    redaction,
    gate,
    fetch: decoded.fetch ?? globalThis.fetch,
    ...defined({ unseen }),
  })
}

/** What a further process of a run is told of it. */
export interface Joined {
  readonly log: string
  readonly taskId: string
  readonly agent: string
  readonly onLogFailure: RunLog.OnLogFailure
  readonly fetch: Fetch
}

/**
 * Records in the task of another process, which began the run and ends it: as a child or a worker thread of that process does. Nothing
 * is recorded of the process itself.
 */
export const join = async (
  { log: file, taskId, agent, onLogFailure, fetch }: Joined,
  onLogFailed: (failed: RunLog.RecordingFailed) => void,
): Promise<RunAtWork.RunAtWork> => {
  let hasFailed = () => false
  const opened = await KeptAlive.during(
    import("./log/OpenedLog.ts").then(({ join }) => join(file, { taskId, agent }, () => hasFailed())),
  )
  const log = RunLog.make({ taskId, log: file, onLogFailure, stream: opened.stream, onFailed: onLogFailed })
  hasFailed = log.hasFailed
  return RunAtWork.make({ opened, log, redaction: Redaction.make(), gate: undefined, fetch })
}
