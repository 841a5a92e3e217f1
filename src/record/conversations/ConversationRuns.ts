/**
 * Runs of a process that serves many conversations, one task each. A request belongs to the first of: the run that it
 * names, the run whose conversation it continues, the run of its client's session, a new run.
 */

import type { Fetch } from "../../agents/models/Fetch.ts"
import type { ContinuingRule } from "../../events/vocabulary/Inference.ts"
import type { Unseen } from "../../events/vocabulary/Notes.ts"
import type { RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import type { GateConfig } from "../../kernel/gate/GateConfig.ts"
import { plainText } from "../../values/Json.ts"
import { oneLine } from "../../values/PlainText.ts"
import type { Exchange } from "../http/Exchange.ts"
import * as ExchangeEvents from "../http/ExchangeEvents.ts"
import type { SentRequest } from "../http/HttpMessage.ts"
import * as Redaction from "../http/Redaction.ts"
import type * as OpenedLog from "../log/OpenedLog.ts"
import * as RunLog from "../log/RunLog.ts"
import { RunNotOpen } from "../Run.ts"
import * as RunAtWork from "../RunAtWork.ts"
import * as RunFiles from "../RunFiles.ts"
import * as BoundedMap from "./BoundedMap.ts"
import * as Conversations from "./Conversations.ts"
import * as LeftConversations from "./LeftConversations.ts"
import * as Session from "./Session.ts"

export interface ConversationOptions {
  readonly log: string
  readonly agent: string
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Default: one that knows the secrets and the environment's keys. */
  readonly redaction?: Redaction.Redaction | undefined
  readonly gate?: GateConfig | undefined
  readonly subject?: string | undefined
  readonly onLogFailure?: RunLog.OnLogFailure | undefined
  readonly means?: RecorderMeans | undefined
  readonly onLogFailed?: (failed: RunLog.RecordingFailed) => void
  /** Makes the requests of `run.fetch`. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Milliseconds without a request after which a conversation's task is closed. Default: an hour. */
  readonly idleMs?: number | undefined
  /** A task to keep open for continuation even if its process is gone. */
  readonly continues?: string | undefined
  /** Whether the process is a service, which continues conversations of a killed service with the same name. */
  readonly isService?: boolean | undefined
  /** Called with each task when recording it begins in this process. */
  readonly onBegun?: (taskId: string) => void
  /** Returns activity of the process that could not be recorded; the last run to end notes it. Default: none. */
  readonly unseen?: () => ReadonlyArray<Unseen>
  /** A directory whose files to record, in each task. Default: none. */
  readonly workspace?: string | undefined
  /** Whether another process may have observed calls of these tasks. Default: no. */
  readonly isBlind?: (() => boolean) | undefined
}

/** A caller's knowledge about a request in addition to its content. */
export interface Belonging {
  /** The task id that the request names. */
  readonly run?: string | undefined
  /** The run of the caller's current work, used unless the request continues another one. */
  readonly within?: string | undefined
  /** The run for requests outside any conversation. Default: one shared run. */
  readonly aside?: string | undefined
}

export interface ConversationRuns {
  /** Records a request in the run that it belongs to. */
  readonly exchange: (sent: SentRequest, belonging?: Belonging) => Promise<Placed>
  /** Opens a run before its first request, or continues one. Rejects with `RunNotOpen` if the task is closed. */
  readonly begin: (goal: string, id?: string) => Promise<RunAtWork.RunAtWork>
  /** Closes the tasks of idle conversations. Each request also triggers it. */
  readonly closeIdle: () => Promise<void>
  /** Stops recording. Tasks stay open for a later process, unless `how` ends them. */
  readonly close: (how?: "leave" | RunEnding) => Promise<void>
}

export type RunEnding = Parameters<RunAtWork.RunAtWork["end"]>

export interface Placed extends Exchange {
  readonly taskId: string
  /** Whether it belongs to a conversation with a model. */
  readonly isConversation: boolean
}

/** The run of a request and the rule that found it; no rule if the request names or begins the run. */
interface Placing {
  readonly run: RunAtWork.RunAtWork | Promise<RunAtWork.RunAtWork>
  readonly by?: ContinuingRule
}

interface OpenRun {
  readonly run: RunAtWork.RunAtWork
  usedAt: number
  underWay: number
}

const IDLE_MS = 60 * 60 * 1000

/** Maximum number of open runs. Above it, the longest-idle one is left, and continued on its next request. */
const MOST_OPEN = 2_000

/** Maximum length of a goal, in characters. */
const LONGEST_GOAL = 200

const SILENT = "the conversation was silent; nobody gave a verdict"

/** Opens a log for conversations and continues those that an earlier process left open. */
export const open = async (options: ConversationOptions): Promise<ConversationRuns> => {
  const { log: file, agent, secrets, gate, subject, onLogFailure = "go-on", onLogFailed = () => {}, means } = options
  const { fetch = globalThis.fetch, idleMs = IDLE_MS, onBegun = () => {} } = options
  const { redaction = Redaction.make(secrets) } = options
  const conversations = Conversations.make()
  let hasFailed = false
  const { open } = await import("../log/OpenedLog.ts")
  const recall: LeftConversations.Recall = { conversations, means, idleMs }
  const onEnded = (taskId: string) => LeftConversations.recallTask(taskId, recall)
  const inherits = options.isService === true ? { agent, onEnded } : undefined
  const opened = await open({ log: file, isSilent: () => hasFailed, means, continues: options.continues, inherits })

  /** By task id, least recently used first. */
  const runs = new Map<string, OpenRun>()
  /** Tasks that replace a closed one and have no request yet. */
  const succeeding = new Set<string>()
  const beginning = new Map<string, Promise<RunAtWork.RunAtWork>>()
  /** The task for a task id that was replaced, or for a session. */
  const aliases = BoundedMap.make<string>(100_000)
  let others: Promise<RunAtWork.RunAtWork> | undefined
  let recalled: Promise<void> | undefined
  let closing: Promise<unknown> = Promise.resolve()
  let isLast = false
  const unseen = () => (isLast ? (options.unseen?.() ?? []) : [])

  const { workspace, isBlind } = options
  const directory =
    workspace === undefined ? undefined : await RunFiles.at({ root: workspace, log: file, hasSecret: redaction.isIn })

  const made = async (begun: OpenedLog.BegunRun): Promise<RunAtWork.RunAtWork> => {
    const { taskId, stream, past, openedBy } = begun
    const failed = (failure: RunLog.RecordingFailed) => {
      hasFailed = true
      onLogFailed(failure)
    }
    const log = RunLog.make({ taskId, log: file, onLogFailure, stream, onFailed: failed })
    const files = directory?.of({ past, openedBy, log, isBlind })
    const run = RunAtWork.make({
      files,
      opened: { ...begun, close: async () => {} },
      log,
      redaction,
      gate,
      fetch,
      conversations,
      unseen,
    })
    runs.set(taskId, { run, usedAt: performance.now(), underWay: 0 })
    onBegun(taskId)
    await files?.look()
    return run
  }
  const begin = async (goal: string, id?: string): Promise<RunAtWork.RunAtWork> => {
    const task = { agent, subject, goal: redaction.text(goal) }
    return made(await opened.begin(id === undefined ? task : { ...task, id, continue: true }))
  }
  /**
   * Continues a task. If the task is closed, the conversation continues in a new one, which records its first request
   * whole.
   */
  const beginAgain = async (goal: string, id: string): Promise<RunAtWork.RunAtWork> => {
    try {
      return await begin(goal, id)
    } catch (error) {
      if (!(error instanceof RunNotOpen)) throw error
      conversations.forget(error.taskId)
      return begin(goal)
    }
  }
  /** The open run of a task that an earlier process or this one may have left. */
  const continued = (taskId: string, goal: string): RunAtWork.RunAtWork | Promise<RunAtWork.RunAtWork> => {
    const alias = aliases.get(`task ${taskId}`) ?? taskId
    const found = runs.get(alias)
    if (found !== undefined) return found.run
    const waiting = beginning.get(alias)
    if (waiting !== undefined) return waiting
    const begun = beginAgain(goal, alias).then((run) => {
      if (run.taskId !== alias) {
        aliases.set(`task ${taskId}`, run.taskId)
        succeeding.add(run.taskId)
      }
      return run
    })
    beginning.set(alias, begun)
    const done = () => beginning.delete(alias)
    begun.then(done, done)
    return begun
  }

  const closeIdle = async (): Promise<void> => {
    const now = performance.now()
    for (const [taskId, { run, usedAt, underWay }] of runs) {
      const isIdle = now - usedAt > idleMs
      if (!isIdle && runs.size <= MOST_OPEN) return
      if (underWay > 0) continue
      runs.delete(taskId)
      if (!isIdle) await run.leave()
      else {
        conversations.forget(taskId)
        await (run.hasOpenCalls() ? run.end("abandoned", SILENT) : run.end("achieved", SILENT))
      }
    }
  }

  /** Closes conversations that were already idle when an earlier process left them. */
  const closeSilent = async (taskIds: ReadonlyArray<string>): Promise<void> => {
    if (options.isService !== true) return
    for (const taskId of taskIds) {
      conversations.forget(taskId)
      const run = await begin(SILENT, taskId)
      runs.delete(taskId)
      await (run.hasOpenCalls() ? run.end("abandoned", SILENT) : run.end("achieved", SILENT))
    }
  }

  /**
   * The run of a request. Synchronous for an open run, so that the next request sees the new state of the conversation.
   */
  const placeOf = (
    read: ExchangeEvents.ReadExchange,
    sent: SentRequest,
    { run: name, within, aside }: Belonging,
  ): Placing => {
    const goal = goalOf(read)
    if (name !== undefined) return { run: continued(name, goal) }
    const request = read.asked?.request
    const isOf = isConversation(read)
    const known = isOf && request !== undefined ? conversations.runOf(request) : undefined
    if (known !== undefined) return { run: continued(known.run, goal), by: known.by }
    if (within !== undefined) return { run: continued(within, goal), by: "caller" }
    if (!isOf && aside !== undefined) return { run: continued(aside, goal), by: "no-conversation" }
    const session = Session.of(sent, read)
    const alias = session === undefined ? undefined : `session ${session}`
    const ofSession = alias === undefined ? undefined : aliases.get(alias)
    if (ofSession !== undefined) return { run: continued(ofSession, goal), by: "session" }
    if (!isOf) {
      others ??= begin("Requests that belong to no conversation")
      return { run: others, by: "no-conversation" }
    }
    const begun = begin(goal)
    if (alias === undefined) return { run: begun }
    const named = begun.then((run) => {
      aliases.set(alias, run.taskId)
      return run
    })
    return { run: named }
  }

  return {
    begin,
    closeIdle,
    exchange: async (sent, belonging = {}) => {
      const read = ExchangeEvents.read(sent, redaction)
      if (belonging.run === undefined) {
        recalled ??= LeftConversations.recall(opened, recall).then((silent) => {
          closing = Promise.all([closing, closeSilent(silent)]).catch(() => {})
        })
        await recalled
      }
      const { run: placed, by } = placeOf(read, sent, belonging)
      const run = placed instanceof Promise ? await placed : placed
      const { taskId } = run
      // The request begins a task, so nothing was inferred.
      const placedBy = succeeding.delete(taskId) ? undefined : by
      const used = { run, usedAt: performance.now(), underWay: (runs.get(taskId)?.underWay ?? 0) + 1 }
      runs.delete(taskId)
      runs.set(taskId, used)
      // In the background: no request waits until another conversation is closed.
      closing = Promise.all([closing, closeIdle()]).catch(() => {})
      const ended = () => {
        const now = runs.get(taskId)
        if (now !== undefined) now.underWay--
      }
      try {
        return {
          ...noticing(await run.exchangeRead({ ...read, placedBy }), ended),
          taskId,
          isConversation: isConversation(read),
        }
      } catch (error) {
        ended()
        throw error
      }
    },
    close: async (how = "leave") => {
      try {
        await Promise.allSettled([closing, ...beginning.values()])
        const open = [...runs.values()]
        for (const [index, { run }] of open.entries()) {
          isLast = index === open.length - 1
          await (how === "leave" ? run.leave() : run.end(...how))
        }
      } finally {
        runs.clear()
        directory?.close()
        await opened.close()
      }
    },
  }
}

const isConversation = ({ asked }: ExchangeEvents.ReadExchange): boolean =>
  asked !== undefined && asked.wire.isConversation !== false

const noticing = (exchange: Exchange, ended: () => void): Exchange => ({
  ...exchange,
  failed: (error) => exchange.failed(error).finally(ended),
  answering: (head) => {
    const body = exchange.answering(head)
    let last: Promise<void> | undefined
    return {
      ...body,
      ended: (how, abortedBy) => {
        last ??= body.ended(how, abortedBy).finally(ended)
        return last
      },
    }
  },
})

/** The first line that a person says in the conversation. */
const goalOf = ({ asked }: ExchangeEvents.ReadExchange): string => {
  for (const message of asked?.request.messages ?? []) {
    if (message.role !== "user") continue
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join(" ")
    const line = oneLine(plainText(text)).trim()
    if (line !== "") return line.length > LONGEST_GOAL ? `${line.slice(0, LONGEST_GOAL - 1).toWellFormed()}…` : line
  }
  return "A conversation"
}
