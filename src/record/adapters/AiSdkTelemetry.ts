/**
 * Records the AI SDK's (`ai`, version 7) reports on Node's diagnostics channel `ai:telemetry`, without the program's
 * knowledge. If a model call's request over HTTP is recorded, the channel adds the tools that the call ran, and when.
 * The channel alone shows models without HTTP.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import diagnostics from "node:diagnostics_channel"
import { textOf } from "../../importing/runs/Untrusted.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import type { Exchange } from "../http/Exchange.ts"
import type { SentRequest } from "../http/HttpMessage.ts"
import type { ObservedModel } from "../ObservedModel.ts"
import type { RunAtWork } from "../RunAtWork.ts"
import type { RunningTool } from "../RunningTool.ts"
import * as Within from "../Within.ts"
import * as AiSdkCalls from "./AiSdkCalls.ts"

export interface TelemetryParts {
  readonly exchange: (sent: SentRequest) => Promise<Exchange>
  readonly observedModel: RunAtWork["observedModel"]
}

/** Counts of the recorded calls. */
export interface Counted {
  models: number
  tools: number
  /** The version of the SDK, once it published anything. */
  sdk?: string | undefined
}

/** A message of the SDK. One object goes through all events of an operation. */
interface Published {
  readonly type: string
  readonly event: unknown
  readonly result?: unknown
  readonly error?: unknown
}

interface ModelCall {
  readonly event: unknown
  readonly askedAt: number
  readonly occurredAt: number
  made?: Pick<Exchange, "runsTool"> | undefined
  /** Set for a call without a request over HTTP, until its answer is recorded. */
  observed?: ObservedModel | undefined
}

interface ToolCall {
  readonly running: RunningTool | undefined
  readonly startedAt: number
}

/** Operations at work, of which the oldest is forgotten. */
const MOST_OPERATIONS = 10_000

const CHANNEL = "ai:telemetry"

/** The SDK's list of receivers that every call tells; a streamed answer goes only there. */
const RECEIVERS = "AI_SDK_TELEMETRY_INTEGRATIONS"

/**
 * Receives from now on, for the life of the process. Returns an `exchange` that also assigns each request to its model
 * call of the SDK.
 */
export const receive = (
  { exchange, observedModel }: TelemetryParts,
  counted: Counted,
): Pick<TelemetryParts, "exchange"> => {
  const current = new AsyncLocalStorage<ModelCall | undefined>()
  /** The last model call of each operation. */
  const operations = new Map<string, ModelCall>()
  const modelCalls = new WeakMap<object, ModelCall>()
  const toolCalls = new WeakMap<object, ToolCall>()

  const beginModel = (message: Published): ModelCall => {
    const call: ModelCall = { event: message.event, askedAt: performance.now(), occurredAt: Date.now() }
    modelCalls.set(message, call)
    const operation = textOf(message.event, "callId") ?? ""
    operations.delete(operation)
    const [oldest] = operations.size < MOST_OPERATIONS ? [] : operations.keys()
    if (oldest !== undefined) operations.delete(oldest)
    operations.set(operation, call)
    return call
  }

  /** The call as recorded: by its request, or else by the channel. */
  const madeOf = (call: ModelCall): Pick<Exchange, "runsTool"> => {
    if (call.made === undefined) {
      call.observed = observedModel(AiSdkCalls.requestOf(call.event), call.occurredAt)
      call.made = call.observed
      counted.models += 1
    }
    return call.made
  }

  const beginTool = (message: Published): ToolCall => {
    const known = toolCalls.get(message)
    if (known !== undefined) return known
    const model = operations.get(textOf(message.event, "callId") ?? "")
    const call = AiSdkCalls.toolCallOf(message.event)
    const running = model === undefined || call === undefined ? undefined : madeOf(model).runsTool(call)
    const begun = { running, startedAt: performance.now() }
    toolCalls.set(message, begun)
    if (running !== undefined) counted.tools += 1
    return begun
  }

  const endModel = (call: ModelCall, message: Published) => {
    const latencyMs = MonotonicClock.elapsedSince(call.askedAt)
    madeOf(call)
    if (message.error !== undefined) call.observed?.failed(message.error, latencyMs)
    else answered(call, message.result)
    if (message.error !== undefined) call.observed = undefined
  }

  const answered = (call: ModelCall, answer: unknown) => {
    const told = AiSdkCalls.answerOf(answer, MonotonicClock.elapsedSince(call.askedAt))
    if (told === undefined) return
    call.observed?.answered(told)
    call.observed = undefined
  }

  const ended = (message: Published) => {
    const model = modelCalls.get(message)
    if (model !== undefined) endModel(model, message)
    const tool = toolCalls.get(message)
    if (tool !== undefined) {
      const end = AiSdkCalls.toolEndOf(message, MonotonicClock.elapsedSince(tool.startedAt))
      if (end !== undefined) tool.running?.ended(end)
    }
    if (WHOLE.has(message.type)) operations.delete(textOf(message.event, "callId") ?? "")
  }

  // The stores of a channel have types of their own.
  const channel = diagnostics.tracingChannel<unknown, Published>(CHANNEL)
  // A tool's own model calls belong to the operation that makes them.
  channel.start.bindStore(current, (message) =>
    message.type === "languageModelCall" ? guarded(() => beginModel(message)) : undefined,
  )
  Within.duringRunsOf(channel.start, (message) =>
    message.type === "executeTool" ? guarded(() => beginTool(message).running?.dispatched) : undefined,
  )
  channel.subscribe({
    start: (message) => {
      counted.sdk ??= textOf((message as Published).event, "aiVersion")
    },
    end: () => {},
    asyncStart: () => {},
    // After an error, too.
    asyncEnd: (message) => guarded(() => ended(message as Published)),
    error: () => {},
  })
  receivers().push({
    onLanguageModelCallEnd: (event: unknown) =>
      guarded(() => {
        const call = operations.get(textOf(event, "callId") ?? "")
        if (call?.observed !== undefined) answered(call, event)
      }),
  })

  return {
    exchange: async (sent) => {
      const call = current.getStore()
      const made = await exchange(sent)
      if (made.isModel) counted.models += 1
      if (call !== undefined && made.isModel) call.made = made
      return made
    },
  }
}

const WHOLE: ReadonlySet<string> = new Set(["generateText", "streamText"])

const receivers = (): Array<object> => {
  const found: unknown = Reflect.get(globalThis, RECEIVERS)
  if (Array.isArray(found)) return found
  const made: Array<object> = []
  Reflect.set(globalThis, RECEIVERS, made)
  return made
}

/** A recorder's own failure must not become the program's: it is reported once, and the program continues. */
const guarded = <A>(does: () => A): A | undefined => {
  try {
    return does()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (!isTold) process.emitWarning(`a call of the AI SDK was not recorded: ${reason}`, { type: "HindcastWarning" })
    isTold = true
    return undefined
  }
}

let isTold = false
