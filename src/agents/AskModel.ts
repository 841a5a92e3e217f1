/** Asks an agent's model for its next turn: records the guide, and shortens a conversation that is too long. */

import { Effect, Either } from "effect"
import type { AppendError } from "../events/log/EventLog.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import type { TaskClosed } from "../kernel/context/TaskLifecycle.ts"
import { costOf } from "../kernel/pricing/Prices.ts"
import type { ModelCallFailed } from "../kernel/tasks/ModelCalls.ts"
import * as Transcript from "../projections/request/Transcript.ts"
import * as Spending from "../projections/tree/Spending.ts"
import { digest } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import type { AgentTools } from "./AgentTools.ts"
import { textIn } from "./Conversation.ts"
import { nameOf } from "./Fallbacks.ts"
import { wasUnasked } from "./LimitedTurn.ts"
import * as Memory from "./Memory.ts"
import type { Settings } from "./ModelAgentOptions.ts"
import { exceededIn, fullName, leftMsOf, type ModelRun, workedMsOf } from "./ModelRun.ts"
import { backoffMs } from "./models/Backoff.ts"
import type { Message } from "./models/Message.ts"
import type { Model } from "./models/Model.ts"
import { type Asked, type Asking, ask } from "./Turns.ts"

export const applyGuide = (settings: Settings, task: AgentTask, run: ModelRun, system: string) =>
  Effect.suspend(() => {
    const { temperature, initialMemories = [] } = settings.guide
    const guide = {
      systemPrompt: system,
      ...defined({ temperature }),
      memoryPolicy: { ...settings.memory },
      ...(settings.conversation ? { conversation: true as const } : {}),
      initialMemories,
    }
    const guideDigest = digest(guide)
    if (run.guideDigest === guideDigest) return Effect.void
    run.guideDigest = guideDigest
    return task.record(fullName(settings), { type: "GuideApplied", payload: { digest: guideDigest, ...guide } })
  })

/** Summarizes a conversation that is too long first, if the memory policy says so. */
export const askModel = (
  settings: Settings,
  task: AgentTask,
  run: ModelRun,
  system: string,
  tools: AgentTools,
): Effect.Effect<Asked, ModelCallFailed | TaskClosed | AppendError> => {
  const { memory, guide, maxOutputTokens, cache = "5m", toolChoice, reasoning, serviceTier, providerOptions } = settings
  const chosen = typeof toolChoice === "object" ? { tool: toolNameOf(tools, toolChoice.tool) } : toolChoice
  const toolsDigest = digest(tools.descriptions as unknown as Json)
  const request = Effect.suspend(() => {
    const changed = toolsDigest === run.toolsDigest ? {} : { tools: tools.descriptions as unknown as Json }
    const options = defined({ toolChoice: chosen, reasoning, serviceTier, providerOptions })
    const recorded = Object.keys(options).length === 0 ? {} : { options: options as JsonObject }
    const first = { messages: run.unsent as unknown as Json, ...changed, ...recorded }
    return ask(
      task,
      {
        ...asking(settings, task, run),
        hints: cache === "off" ? {} : { cache },
        ...defined({ hedge: settings.hedge }),
      },
      {
        system,
        messages: Memory.select(memory, run),
        tools: tools.descriptions,
        ...defined({ temperature: guide.temperature, maxOutputTokens }),
        ...options,
      },
      { first, again: { messages: [], ...recorded } },
    ).pipe(
      // A failed request was recorded too, with its messages.
      Effect.ensuring(
        Effect.sync(() => {
          run.unsent = []
          run.toolsDigest = toolsDigest
        }),
      ),
    )
  })
  return Effect.gen(function* () {
    yield* summarize(settings, task, run, Memory.toSummarize(memory, run))
    return yield* request.pipe(
      Effect.catchTag("ModelCallFailed", (failure) => {
        const tooLong = failure.kind === "context-too-long" ? Memory.toSummarize(memory, run, true) : undefined
        if (tooLong === undefined) return Effect.fail(failure)
        return Effect.zipRight(summarize(settings, task, run, tooLong), request)
      }),
    )
  })
}

/** The name of an actuator, such as `program/lookup`, as the model has it. */
const toolNameOf = ({ actuators }: AgentTools, name: string): string =>
  [...actuators].find(([, actuator]) => actuator === name)?.[0] ?? name

const asking = (settings: Settings, task: AgentTask, run: ModelRun) => ({
  models: run.models,
  retries: settings.retries,
  interruptible: true,
  // The check of a structured answer or of a hand-off may take long.
  soon: settings.answer === undefined && settings.handoffs === undefined,
  backoffMs,
  costOf: pricedBy,
  ...defined({ onDelta: settings.onDelta }),
  mayAsk: (afterMs: number) =>
    Effect.map(exceededIn(settings, task, run, afterMs), (exceeded) => exceeded === undefined),
  refusal: (model: Model) => refusalOf(settings, run, model),
  leftMs: leftMsOf(settings, task, run),
  workedMs: workedMsOf(task, run),
  ...defined({ reserved: reservedBy(settings, run) }),
  countAnswer: (answer: Parameters<typeof Spending.answered>[1]) => {
    run.used = Spending.answered(run.used, answer)
    run.longestAnswer = Math.max(run.longestAnswer, answer.usage.outputTokens)
  },
  countFailure: (failure: Parameters<typeof Spending.failed>[1]) => {
    const used = Spending.failed(run.used, failure)
    run.used = wasUnasked(failure) ? { ...used, usd: undefined } : used
  },
})

/** By the model's own prices, or by the table. */
const pricedBy = (of: Model, usage: ModelUsage) =>
  of.costOf === undefined ? costOf(of.provider, of.model, usage) : Effect.succeed(of.costOf(usage))

/** Tokens of an answer whose length no option limits, until a longer one has come. */
const ESTIMATED_ANSWER = 1_000

/** A request may use at least what the last one did, whose conversation it continues, and as much as its answer may have. */
const reservedBy = ({ budget, maxOutputTokens }: Settings, run: ModelRun): Asking["reserved"] =>
  budget.tokens === undefined && budget.usd === undefined
    ? undefined
    : (model, tokens) =>
        Effect.gen(function* () {
          const inputTokens = Math.max(tokens(), run.tokens)
          const outputTokens = maxOutputTokens ?? Math.max(run.longestAnswer, ESTIMATED_ANSWER)
          const cost = budget.usd === undefined ? null : yield* pricedBy(model, { inputTokens, outputTokens })
          return { tokens: inputTokens + outputTokens, ...(cost === null ? {} : { usd: cost.usd }) }
        })

/** With a budget of money, a model of unknown price is not asked. */
const refusalOf = ({ budget }: Settings, run: ModelRun, of: Model) =>
  budget.usd === undefined || run.priced.has(nameOf(of))
    ? Effect.succeed(undefined)
    : Effect.map(pricedBy(of, { inputTokens: 1, outputTokens: 1 }), (cost) => {
        if (cost !== null) run.priced.add(nameOf(of))
        return cost !== null
          ? undefined
          : `nothing was asked: its budget is ${budget.usd} US dollars, and its price is unknown`
      })

const summarize = (settings: Settings, task: AgentTask, run: ModelRun, until: number | undefined) =>
  Effect.gen(function* () {
    if (until === undefined || (yield* exceededIn(settings, task, run)) !== undefined) return
    const told = Memory.select(settings.memory, { ...run, messages: run.messages.slice(0, until) })
    const messages: ReadonlyArray<Message> = [Transcript.question(told)]
    const request = { summarize: until }
    const { onDelta: _, ...loud } = asking(settings, task, run)
    const silent = { ...loud, interruptible: false, soon: false }
    const asked = yield* Effect.either(
      ask(task, silent, { system: "", messages, tools: [] }, { first: request, again: request }),
    )
    // The log records the failure, and the next request carries the whole conversation.
    if (Either.isLeft(asked) && asked.left._tag === "ModelCallFailed") return
    const { answer } = yield* asked
    const summary = textIn(answer)
    yield* task.record(fullName(settings), {
      type: "MemoryCompacted",
      payload: { policy: settings.memory.name, messages: until, summary },
    })
    run.summary = { messages: until, text: summary }
    run.tokens = 0
  })
