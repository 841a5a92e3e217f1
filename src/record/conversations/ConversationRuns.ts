/**
 * Runs of a process that serves many conversations: each conversation is a task of its own. A request belongs to the run that it names,
 * otherwise to the one whose conversation it continues, otherwise to that of its client's session, otherwise to a new one.
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
import * as Bounded from "./Bounded.ts"
import * as Conversations from "./Conversations.ts"
import * as LeftConversations from "./LeftConversations.ts"
import * as Session from "./Session.ts"

/** How conversations are recorded. */
export interface ConversationOptions {
  /** The log's file. */
  readonly log: string
  readonly agent: string
  readonly secrets?: ReadonlyArray<string> | undefined
  readonly gate?: GateConfig | undefined
  readonly subject?: string | undefined
  readonly onLogFailure?: RunLog.OnLogFailure | undefined
  readonly means?: RecorderMeans | undefined
  readonly onLogFailed?: (failed: RunLog.RecordingFailed) => void
  /** Makes the requests of `run.fetch`. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** How long a conversation may be silent until its task is closed, in milliseconds. Default: an hour. */
  readonly idleMs?: number | undefined
  /** A task that is to be continued, which is left open though its process may be gone. */
  readonly continues?: string | undefined
  /** Whether it is a service, which continues the conversations of an earlier one of the same name that was killed. */
  readonly isService?: boolean | undefined
  /** Told each task, when its recording begins in this process. */
  readonly onBegun?: (taskId: string) => void
  /** What was seen of the process and could not be recorded, which the last run to be ended notes. Default: nothing. */
  readonly unseen?: () => ReadonlyArray<Unseen>
}

/** What a caller knows of a request besides its content. */
export interface Belonging {
  /** The run that it names: the id of its task. */
  readonly run?: string | undefined
  /** The run that it belongs to unless it continues another one: what its caller is at work on. */
  readonly within?: string | undefined
  /** The run of what belongs to no conversation. Default: one of its own for all of that. */
  readonly aside?: string | undefined
}

/** The runs of a process. */
export interface ConversationRuns {
  /** Records that a request begins, in the run that it belongs to. */
  readonly exchange: (sent: SentRequest, belonging?: Belonging) => Promise<Placed>
  /** Opens a run that no request has begun yet, or continues one. Rejects with `RunNotOpen` if its task is closed. */
  readonly begin: (goal: string, id?: string) => Promise<RunAtWork.RunAtWork>
  /** Closes the tasks of conversations that were silent for long. It is called with each request, too. */
  readonly closeIdle: () => Promise<void>
  /** Ceases to record: tasks stay open, and a later process continues them, unless they are to be ended. */
  readonly close: (how?: "leave" | RunEnding) => Promise<void>
}

/** How runs are ended. */
export type RunEnding = Parameters<RunAtWork.RunAtWork["end"]>

/** A request with the task in which it is recorded. */
export interface Placed extends Exchange {
  readonly taskId: string
  /** Whether it is a request of a conversation with a model. */
  readonly isConversation: boolean
}

/** The run of a request, and by which rule it was found; undefined where the request names it, or begins it. */
interface Placing {
  readonly run: RunAtWork.RunAtWork | Promise<RunAtWork.RunAtWork>
  readonly by?: ContinuingRule
}

/** A run that is open, and when it was last asked something, by this process's monotonic clock. */
interface OpenRun {
  readonly run: RunAtWork.RunAtWork
  usedAt: number
  /** How many of its requests have no whole answer yet. */
  underWay: number
}

const IDLE_MS = 60 * 60 * 1000

/** Maximum number of runs that are open at once. Beyond it, the one that is silent longest is left; it is continued when it is asked. */
const MOST_OPEN = 2_000

/** Maximum length of a goal, in characters. */
const LONGEST_GOAL = 200

/** Why a silent conversation is closed. */
const SILENT = "the conversation was silent; nobody gave a verdict"

/** Opens a log for conversations, and continues those that an earlier process left in it. */
export const open = async (options: ConversationOptions): Promise<ConversationRuns> => {
  const { log: file, agent, secrets, gate, subject, onLogFailure = "go-on", onLogFailed = () => {}, means } = options
  const { fetch = globalThis.fetch, idleMs = IDLE_MS, onBegun = () => {} } = options
  const redaction = Redaction.make(secrets)
  const conversations = Conversations.make()
  let hasFailed = false
  const { open } = await import("../log/OpenedLog.ts")
  const recall: LeftConversations.Recall = { conversations, means, idleMs }
  const onEnded = (taskId: string) => LeftConversations.recallTask(taskId, recall)
  const inherits = options.isService === true ? { agent, onEnded } : undefined
  const opened = await open({ log: file, isSilent: () => hasFailed, means, continues: options.continues, inherits })

  /** By the ids of their tasks, those last that were used last. */
  const runs = new Map<string, OpenRun>()
  /** The tasks that began in the place of a closed one and have no request yet. */
  const succeeding = new Set<string>()
  const beginning = new Map<string, Promise<RunAtWork.RunAtWork>>()
  /** The task that stands for a name or a session. */
  const aliases = Bounded.make<string>(100_000)
  let others: Promise<RunAtWork.RunAtWork> | undefined
  /** What an earlier process left is looked for when the first request comes that names no run. */
  let recalled: Promise<void> | undefined
  let closing: Promise<unknown> = Promise.resolve()
  let isLast = false
  const unseen = () => (isLast ? (options.unseen?.() ?? []) : [])

  const made = (begun: OpenedLog.BegunRun): RunAtWork.RunAtWork => {
    const { taskId, stream } = begun
    const failed = (failure: RunLog.RecordingFailed) => {
      hasFailed = true
      onLogFailed(failure)
    }
    const log = RunLog.make({ taskId, log: file, onLogFailure, stream, onFailed: failed })
    const run = RunAtWork.make({
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
    return run
  }
  const begin = async (goal: string, id?: string): Promise<RunAtWork.RunAtWork> => {
    const task = { agent, subject, goal: redaction.text(goal) }
    return made(await opened.begin(id === undefined ? task : { ...task, id, continue: true }))
  }
  /** Continues a task. Where it is closed, its conversation goes on in a task of its own, in which a request is recorded whole. */
  const beginAgain = async (goal: string, id: string): Promise<RunAtWork.RunAtWork> => {
    try {
      return await begin(goal, id)
    } catch (error) {
      if (!(error instanceof RunNotOpen)) throw error
      conversations.forget(error.taskId)
      return begin(goal)
    }
  }
  /** The open run of a task, which an earlier process, or this one, may have left. */
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

  /** Closes the tasks of conversations that had been silent for long when an earlier process left them. */
  const closeSilent = async (taskIds: ReadonlyArray<string>): Promise<void> => {
    if (options.isService !== true) return
    for (const taskId of taskIds) {
      conversations.forget(taskId)
      const run = await begin(SILENT, taskId)
      runs.delete(taskId)
      await (run.hasOpenCalls() ? run.end("abandoned", SILENT) : run.end("achieved", SILENT))
    }
  }

  /** The run of a request. Nothing is awaited where it is open: the next request sees that this one continued it. */
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
      // It begins a task: nothing was inferred.
      const placedBy = succeeding.delete(taskId) ? undefined : by
      const used = { run, usedAt: performance.now(), underWay: (runs.get(taskId)?.underWay ?? 0) + 1 }
      runs.delete(taskId)
      runs.set(taskId, used)
      // No request waits for the end of another conversation.
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
        await opened.close()
      }
    },
  }
}

/** Whether a request is one of a conversation with a model. */
const isConversation = ({ asked }: ExchangeEvents.ReadExchange): boolean =>
  asked !== undefined && asked.wire.isConversation !== false

/** An exchange whose end is noticed. */
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

/** What a conversation is about: the first thing that a person says in it. */
const goalOf = ({ asked }: ExchangeEvents.ReadExchange): string => {
  for (const message of asked?.request.messages ?? []) {
    if (message.role !== "user") continue
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join(" ")
    const line = oneLine(plainText(text)).trim()
    if (line !== "") return line.length > LONGEST_GOAL ? `${line.slice(0, LONGEST_GOAL - 1).toWellFormed()}…` : line
  }
  return "A conversation"
}
