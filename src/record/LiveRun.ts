/** Entry points for recording: opens a log and a task in it. */

import type { Fetch } from "../agents/models/Fetch.ts"
import type { Unseen } from "../events/vocabulary/Notes.ts"
import type { RecorderMeans } from "../events/vocabulary/Tasks.ts"
import * as KeptAlive from "../platform/recorded/KeptAlive.ts"
import { defined } from "../values/defined.ts"
import * as Redaction from "./http/Redaction.ts"
import * as RunLog from "./log/RunLog.ts"
import * as RecordOptions from "./RecordOptions.ts"
import type { Run } from "./Run.ts"
import * as RunAtWork from "./RunAtWork.ts"
import * as RunFiles from "./RunFiles.ts"

/**
 * Opens a task in a log and returns a run that records the program's calls. Rejects with `InvalidOptions`, which names
 * every mistake in the options, and with the errors of opening a log. Several programs and a kernel can write to one
 * log at the same time.
 *
 * @example
 * const run = await record({ log: "agent.db", goal: "Answer a letter", agent: "clerk" })
 * const openai = new OpenAI({ fetch: run.fetch })
 * await run.end("achieved")
 */
export const record = async (options: RecordOptions.RecordOptions): Promise<Run> => {
  const begun = await begin(options, () => {})
  const {
    exchange: _,
    exchangeRead: _read,
    observedModel: _observed,
    hasOpenCalls: _hasOpenCalls,
    learnKeys: _learn,
    ...run
  } = begun
  return run
}

interface Seen {
  readonly unseen?: () => ReadonlyArray<Unseen>
  /** A directory whose files to record. Default: none. */
  readonly workspace?: string | undefined
}

/** Like `record`, for callers that need to know at once when recording fails. */
export const begin = async (
  options: RecordOptions.RecordOptions,
  onLogFailed: (failed: RunLog.RecordingFailed) => void,
  means?: RecorderMeans,
  { unseen, workspace }: Seen = {},
): Promise<RunAtWork.RunAtWork> => {
  const { log: file, onLogFailure = "go-on", secrets, gate, ...decoded } = RecordOptions.decode(options)
  let hasFailed = () => false
  const redaction = Redaction.make(secrets)
  const goal = redaction.text(decoded.goal)
  // Loads the log's modules with the first run, so that importing `hindcast/record` stays fast.
  const opened = await KeptAlive.during(
    import("./log/OpenedRun.ts").then(({ open }) => open({ ...decoded, goal, means, log: file }, () => hasFailed())),
  )
  const { taskId, stream } = opened
  const log = RunLog.make({ taskId, log: file, onLogFailure, stream, onFailed: onLogFailed })
  hasFailed = log.hasFailed
  const { past, openedBy } = opened
  const directory =
    workspace === undefined ? undefined : await RunFiles.at({ root: workspace, log: file, hasSecret: redaction.isIn })
  const files = directory?.of({ past, openedBy, log })
  await files?.look()
  return RunAtWork.make({
    opened: directory === undefined ? opened : { ...opened, close: () => opened.close().finally(directory.close) },
    log,
    redaction,
    gate,
    fetch: decoded.fetch ?? globalThis.fetch,
    ...defined({ unseen, files }),
  })
}

/** The values by which a further process joins a run. */
export interface Joined {
  readonly log: string
  readonly taskId: string
  readonly agent: string
  readonly onLogFailure: RunLog.OnLogFailure
  readonly fetch: Fetch
  /** Called when this process has made calls, if the other one records a directory's files. */
  readonly onCalls?: (() => void) | undefined
}

/**
 * Records into a task that another process began and will end, for child processes and worker threads. Records nothing
 * about this process itself.
 */
export const join = async (
  { log: file, taskId, agent, onLogFailure, fetch, onCalls }: Joined,
  onLogFailed: (failed: RunLog.RecordingFailed) => void,
): Promise<RunAtWork.RunAtWork> => {
  let hasFailed = () => false
  const opened = await KeptAlive.during(
    import("./log/OpenedLog.ts").then(({ join }) => join(file, { taskId, agent }, () => hasFailed())),
  )
  const log = RunLog.make({ taskId, log: file, onLogFailure, stream: opened.stream, onFailed: onLogFailed })
  hasFailed = log.hasFailed
  const files = onCalls && RunFiles.elsewhere(onCalls)
  return RunAtWork.make({ opened, log, redaction: Redaction.make(), gate: undefined, fetch, ...defined({ files }) })
}
