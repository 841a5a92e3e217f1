/** Records the run of a program that has an agent of its own: its requests to models, its tools, what it asks of the world. */

import type { Fetch } from "../agents/models/Fetch.ts"
import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as KeptAlive from "../platform/KeptAlive.ts"
import { plainText } from "../values/Json.ts"
import * as Conversations from "./http/Conversations.ts"
import * as Prompts from "./http/Prompts.ts"
import type { PassedBody } from "./http/RecordedBody.ts"
import * as RecordedFetch from "./http/RecordedFetch.ts"
import * as Redaction from "./http/Redaction.ts"
import * as IoCalls from "./IoCalls.ts"
import * as OpenedRun from "./log/OpenedRun.ts"
import * as RunLog from "./log/RunLog.ts"
import * as Names from "./Names.ts"
import * as RecordOptions from "./RecordOptions.ts"
import { type Run, RunEnded } from "./Run.ts"
import * as ToolCalls from "./ToolCalls.ts"

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
export const record = (options: RecordOptions.RecordOptions): Promise<Run> => begin(options, () => {})

/** `record`, for whoever has to know at once that nothing more is recorded. */
export const begin = async (
  options: RecordOptions.RecordOptions,
  onLogFailed: (failed: RunLog.RecordingFailed) => void,
): Promise<Run> => {
  const { log: file, onLogFailure = "go-on", secrets, gate, ...decoded } = RecordOptions.decode(options)
  let hasFailed = () => false
  const opened = await KeptAlive.during(OpenedRun.open({ ...decoded, log: file }, () => hasFailed()))
  const { taskId, stream } = opened
  const log = RunLog.make({ taskId, log: file, onLogFailure, stream, onFailed: onLogFailed })
  hasFailed = log.hasFailed
  return recording({ opened, log, redaction: Redaction.make(secrets), gate, fetch: decoded.fetch ?? globalThis.fetch })
}

/** What a run is made of whose task is open. */
export interface RunParts {
  readonly opened: OpenedRun.OpenedRun
  readonly log: RunLog.RunLog
  readonly redaction: Redaction.Redaction
  readonly gate: GateConfig | undefined
  /** Makes the requests. */
  readonly fetch: Fetch
}

/** The run of a task that is open: its calls are made and recorded. */
export const recording = ({ opened, gate, fetch, ...parts }: RunParts): Run => {
  const { log } = parts
  const { taskId } = opened
  let isEnded = false
  const assertOpen = (call: string) => {
    if (isEnded) throw new RunEnded({ taskId, call })
  }
  const claim = Names.claiming(assertOpen)
  /** A recorded function that refuses to be called after the end. */
  const whileOpen =
    <Args extends ReadonlyArray<unknown>, Answer>(call: string, does: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      assertOpen(call)
      return does(...args)
    }
  const tools = { ...parts, gate, ask: opened.ask }
  const bodies = new Set<PassedBody>()

  return {
    taskId,
    fetch: RecordedFetch.make({
      ...parts,
      conversations: Conversations.make(),
      prompts: Prompts.make(),
      fetch,
      assertOpen,
      open: bodies,
    }),
    tool: (name, does, options) => {
      claim("tool", name)
      return whileOpen(name, ToolCalls.tool(tools, name, does, RecordOptions.toolOptions(options)))
    },
    sensor: (name, reads) => {
      claim("sensor", name)
      return whileOpen(name, IoCalls.sensor(parts, name, reads))
    },
    io: (name, does) => {
      claim("io", name)
      return whileOpen(name, IoCalls.io(parts, name, does))
    },
    now: () => {
      assertOpen("run.now")
      return IoCalls.now(parts)
    },
    random: () => {
      assertOpen("run.random")
      return IoCalls.random(parts)
    },
    end: async (outcome, reason) => {
      assertOpen("run.end")
      const ended = RecordOptions.endOf(outcome, reason)
      isEnded = true
      try {
        for (const body of bodies) await body.leave()
        await log.settled()
        const { outcome, reason } = ended
        const payload = { outcome, ...(reason === undefined ? {} : { reason: plainText(reason) }) }
        await log.tell({ type: "TaskClosed", payload })
      } finally {
        await KeptAlive.during(opened.close())
      }
    },
  }
}
