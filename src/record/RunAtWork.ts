/** A run with an open task: makes and records the program's requests to models, tools and the world. */

import { Effect } from "effect"
import type { Fetch } from "../agents/models/Fetch.ts"
import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Unseen } from "../events/vocabulary/Notes.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import type { PayloadOf } from "../events/vocabulary/Vocabulary.ts"
import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as KeptAlive from "../platform/recorded/KeptAlive.ts"
import type { ModelRequest } from "../providers/WireFormat.ts"
import { defined } from "../values/defined.ts"
import { plainText } from "../values/Json.ts"
import * as ConversationHistory from "./conversations/ConversationHistory.ts"
import * as Conversations from "./conversations/Conversations.ts"
import type { GateParts } from "./GatedCalls.ts"
import * as Batches from "./http/Batches.ts"
import * as Exchange from "./http/Exchange.ts"
import * as ExchangeEvents from "./http/ExchangeEvents.ts"
import type { SentRequest } from "./http/HttpMessage.ts"
import * as HttpMessage from "./http/HttpMessage.ts"
import * as LaterAnswers from "./http/LaterAnswers.ts"
import * as ModelAnswer from "./http/ModelAnswer.ts"
import * as ObservedCalls from "./http/ObservedCalls.ts"
import * as Prompts from "./http/Prompts.ts"
import * as RecordedFetch from "./http/RecordedFetch.ts"
import type * as Redaction from "./http/Redaction.ts"
import * as Retries from "./http/Retries.ts"
import * as IoCalls from "./IoCalls.ts"
import * as AskedPerson from "./log/AskedPerson.ts"
import type * as OpenedRun from "./log/OpenedRun.ts"
import type * as RunLog from "./log/RunLog.ts"
import * as Names from "./Names.ts"
import * as ObservedModel from "./ObservedModel.ts"
import * as RecordOptions from "./RecordOptions.ts"
import { type Run, RunEnded } from "./Run.ts"
import * as RunFiles from "./RunFiles.ts"
import * as ToolCalls from "./ToolCalls.ts"

export interface RunParts {
  readonly opened: Pick<OpenedRun.OpenedRun, "taskId" | "openedBy" | "past" | "ask" | "file" | "identity" | "close">
  readonly log: RunLog.RunLog
  readonly redaction: Redaction.Redaction
  readonly gate: GateConfig | undefined
  readonly fetch: Fetch
  /** Called at the end of the run: returns activity of the program that could not be recorded. Default: none. */
  readonly unseen?: () => ReadonlyArray<Unseen>
  /** The files of the run's directory. Default: none. */
  readonly files?: RunFiles.RunFiles | undefined
  /** Conversations shared by all runs of the process. Default: only this run's. */
  readonly conversations?: Conversations.Conversations
}

/** An exit code, or the name of the signal that ended a process. */
export type ProgramExit = NonNullable<PayloadOf<"TaskClosed">["exit"]>

/** A run for recorders that observe requests other than those of `run.fetch`. */
export interface RunAtWork extends Run {
  /** Records a request, and later its answer. Rejects with `RunEnded` after the end of the run. */
  readonly exchange: (sent: SentRequest) => Promise<Exchange.Exchange>
  /** Like `exchange`, for a request that the caller has read to find its run. */
  readonly exchangeRead: (read: ExchangeEvents.ReadExchange) => Promise<Exchange.Exchange>
  /** Records a model call that telemetry alone shows. Throws `RunEnded` after the end of the run. */
  readonly observedModel: (asked: ModelRequest, occurredAt: number) => ObservedModel.ObservedModel
  /** Ends the run. For a process recorded as a whole, `exit` is its exit code or the signal that ended it. */
  readonly end: (outcome: TaskOutcome, reason?: string, exit?: ProgramExit) => Promise<void>
  readonly hasOpenCalls: () => boolean
  /** Keeps the keys in an environment out of the log from now on. */
  readonly learnKeys: Redaction.Redaction["learnEnvironment"]
}

export const make = ({ opened, gate, fetch, ...parts }: RunParts): RunAtWork => {
  const { log } = parts
  const { taskId } = opened
  let isEnded = false
  const assertOpen = (call: string) => {
    if (isEnded) throw new RunEnded({ taskId, call })
  }
  const claim = Names.claiming(assertOpen)
  const whileOpen =
    <Args extends ReadonlyArray<unknown>, Answer>(call: string, does: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      assertOpen(call)
      return does(...args)
    }
  let over: (why: string) => void = () => {}
  const whenOver = new Promise<string>((resolve) => {
    over = resolve
  })
  // Whoever would make the call has ended the run.
  const gone = Effect.promise(() => whenOver)
  const ask: GateParts["ask"] = (question) =>
    opened.ask(question, gone, (requested) => AskedPerson.note(opened.file, requested))
  const tools = { ...parts, gate, ask, openedBy: opened.openedBy }
  const bodies = new Set<Exchange.AnswerBody>()
  /** Names of tools that the program itself records. */
  const recorded = new Set<string>()
  const { files } = parts
  const observed = ObservedCalls.make((tool) => recorded.has(tool))
  const calls = files === undefined ? observed : RunFiles.watching(observed, files, log)
  const conversations = (parts.conversations ?? Conversations.make()).of(taskId)
  ConversationHistory.recall(conversations, opened.past)
  calls.recall(opened.past)
  const exchanges = {
    ...parts,
    conversations,
    calls,
    prompts: Prompts.make(opened.past),
    attempts: Retries.make(),
    later: LaterAnswers.make(),
    batches: Batches.make(),
    open: bodies,
  }
  exchanges.later.recall(opened.past, ({ asked }, response) =>
    ModelAnswer.read(exchanges, asked, {
      ...response,
      body: HttpMessage.joinedText(response.chunks),
      end: response.end === "clean" ? "clean" : "cut",
    }),
  )

  const redacted = ({ what, target, count }: Unseen): Unseen => ({
    what,
    count,
    target: plainText(parts.redaction.text(target)),
  })
  /** Waits for all pending writes, then records the last events. */
  const ending = async (
    last: () => readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>],
    isClosing = false,
  ): Promise<void> => {
    isEnded = true
    over("its run ended")
    try {
      for (const body of bodies) await body.ended("open")
      await log.settled()
      await files?.look()
      files?.leave()
      for (const { call, sofar, askedAt } of isClosing ? exchanges.later.left() : [])
        await ModelAnswer.tell(exchanges, call, sofar, MonotonicClock.elapsedSince(askedAt))
      const unseen = parts.unseen?.() ?? []
      const noted: CoreNewEvent = { type: "CaptureNoted", payload: { unseen: unseen.map(redacted) } }
      await (unseen.length === 0 ? log.tell(...last()) : log.tell(noted, ...last()))
    } finally {
      await KeptAlive.during(opened.close())
    }
  }

  const exchangeRead: RunAtWork["exchangeRead"] = whileOpen("a request", (read) => Exchange.begin(exchanges, read))
  const exchange: RunAtWork["exchange"] = async (sent) => exchangeRead(ExchangeEvents.read(sent, parts.redaction))

  return {
    taskId,
    exchange,
    exchangeRead,
    observedModel: (asked, occurredAt) => {
      assertOpen("a model call")
      return ObservedModel.begin(exchanges, asked, occurredAt)
    },
    hasOpenCalls: calls.areOpen,
    learnKeys: parts.redaction.learnEnvironment,
    fetch: RecordedFetch.make({ exchange, fetch, assertOpen }),
    tool: (name, does, options) => {
      claim("tool", name)
      recorded.add(name)
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
    leave: () => {
      assertOpen("run.leave")
      const { identity } = opened
      return ending(() => [{ type: "RecorderLeft", payload: identity === undefined ? {} : { identity } }])
    },
    end: async (outcome, reason, exit) => {
      assertOpen("run.end")
      const ended = RecordOptions.endOf(outcome, reason)
      await ending(() => {
        const why = ended.reason === undefined ? {} : { reason: plainText(parts.redaction.text(ended.reason)) }
        const closed: CoreNewEvent = {
          type: "TaskClosed",
          payload: { outcome: ended.outcome, ...why, ...defined({ exit }) },
        }
        const [first = closed, ...others] = [...calls.left(), closed]
        return [first, ...others]
      }, true)
    },
  }
}
