/**
 * An agent that thinks with a language model. Each step is one turn: the model is asked, its answer is recorded, and
 * its tool calls go through the gate.
 */

import { Clock, Effect, Either } from "effect"
import type { AppendError, LogError } from "../events/log/EventLog.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import type { AdvancingAgent, AgentTask } from "../kernel/agents/Agent.ts"
import type { TaskClosed } from "../kernel/context/TaskLifecycle.ts"
import type { ModelCallFailed } from "../kernel/tasks/ModelCalls.ts"
import { digest } from "../values/Digest.ts"
import type { Json } from "../values/Json.ts"
import * as Tools from "./AgentTools.ts"
import { type AgentTools, ANSWER } from "./AgentTools.ts"
import * as Budgets from "./Budget.ts"
import { callsIn, type RecordedAnswer, textIn } from "./Conversation.ts"
import { type GuideUnknown, named } from "./Guide.ts"
import * as Memory from "./Memory.ts"
import { type ModelAgentOptions, type Settings, settingsOf, withGuide } from "./ModelAgentOptions.ts"
import { backoffMs } from "./models/Backoff.ts"
import type { Message } from "./models/Message.ts"
import type { Model } from "./models/Model.ts"
import { costOf } from "./models/Prices.ts"
import * as SystemPrompt from "./SystemPrompt.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as Transcript from "./Transcript.ts"
import { type Asked, ask } from "./Turns.ts"

/**
 * An agent that thinks with a model. In each turn the model is told the conversation and the tools: the active
 * actuators, `perceive` where there are sensors, and `answer` where a structured answer is asked for. Its calls are
 * executed together, each through the gate, and each has exactly one result. An answer without calls is a message, and
 * ends the task as achieved.
 *
 * The agent fails, and its task with it, if the model cannot be loaded or does not answer (`ModelCallFailed`), or if the
 * task's plugins have no guide of the name that was given (`GuideUnknown`). If a
 * budget is used up, the task is closed as `truncated`. One agent may work on many tasks at once.
 *
 * Throws `InvalidOptions` where the options are wrong, and `UnknownProvider`. A model that is given by its name is
 * loaded when it is first asked.
 */
export const fromModel = <Answer = unknown, Encoded = Answer>(
  options: ModelAgentOptions<Answer, Encoded>,
): AdvancingAgent => {
  const settings = settingsOf(options)
  const runs = new WeakMap<AgentTask, Run>()
  return {
    ...settings.agent,
    advance: (task) =>
      Effect.gen(function* () {
        const run = runs.get(task) ?? (yield* begin(settings, task))
        runs.set(task, run)
        return yield* turn(run.settings, task, run)
      }),
  }
}

/** An agent at work on one task. */
interface Run {
  /** With the guide that the task's plugins have under its name. */
  readonly settings: Settings
  readonly beganAt: number
  messages: ReadonlyArray<Message>
  /** The messages that were not sent yet. */
  unsent: ReadonlyArray<Message>
  summary: Memory.Remembered["summary"]
  tokens: number
  /** Digests of the guide and the tools as the model was last told. */
  guideDigest: string | undefined
  toolsDigest: string | undefined
  used: Omit<Budgets.Used, "wallMs">
  /** The events that the next decision is based on. */
  evidence: ReadonlyArray<Event>
}

const begin = (settings: Settings, task: AgentTask): Effect.Effect<Run, GuideUnknown | LogError> =>
  Effect.gen(function* () {
    const { guideName } = settings
    const guide =
      guideName === undefined ? settings.guide : yield* named(guideName, (yield* task.capabilities()).guides)
    const beganAt = yield* Clock.currentTimeMillis
    const goal: Message = { role: "user", content: [{ type: "text", text: task.goal }] }
    return {
      settings: withGuide(settings, guide),
      beganAt,
      ...{ messages: [goal], unsent: [goal], summary: null, tokens: 0 },
      ...{ guideDigest: undefined, toolsDigest: undefined },
      used: { steps: 0, tokens: 0, usd: 0, commands: 0 },
      evidence: [],
    }
  })

type TurnError = ModelCallFailed | ToolCalls.ExecuteError | AppendError | LogError

/** One turn. Returns whether to continue. */
const turn = (settings: Settings, task: AgentTask, run: Run): Effect.Effect<boolean, TurnError> =>
  Effect.gen(function* () {
    const before = yield* exceededIn(settings, run)
    if (before !== undefined) return yield* endByBudget(settings, task, before)
    const capabilities = yield* task.capabilities()
    const tools = Tools.of(capabilities, settings.answer?.jsonSchema)
    const system = SystemPrompt.of(settings.guide, capabilities.plugins)
    yield* applyGuide(settings, task, run, system)
    const asked = yield* Effect.either(askModel(settings, task, run, system, tools))
    if (Either.isLeft(asked)) {
      // A request is not made again once the budget is used up.
      const exceeded = yield* exceededIn(settings, run)
      if (exceeded === undefined || asked.left._tag !== "ModelCallFailed") return yield* Effect.fail(asked.left)
      return yield* endByBudget(settings, task, exceeded)
    }
    const { answer, tokens } = asked.right
    run.messages = [...run.messages, { role: "assistant", content: answer.parts }]
    run.tokens = tokens
    run.used = { ...run.used, steps: run.used.steps + 1 }
    return yield* follow(settings, task, run, tools, answer)
  })

/** The first budget that is used up, or will be after some time. */
const exceededIn = ({ budget }: Settings, run: Run, afterMs = 0) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    Budgets.exceeded(budget, { ...run.used, wallMs: now + afterMs - run.beganAt }),
  )

const endByBudget = (settings: Settings, task: AgentTask, { reason, ...payload }: Budgets.Exceeded) =>
  Effect.zipRight(task.record(fullName(settings), { type: "BudgetExceeded", payload }), end(task, "truncated", reason))

/** Records the guide, before the first turn and whenever it changed. */
const applyGuide = (settings: Settings, task: AgentTask, run: Run, system: string) =>
  Effect.suspend(() => {
    const { temperature, initialMemories = [] } = settings.guide
    const guide = {
      systemPrompt: system,
      ...(temperature === undefined ? {} : { temperature }),
      memoryPolicy: { ...settings.memory },
      initialMemories,
    }
    const guideDigest = digest(guide)
    if (run.guideDigest === guideDigest) return Effect.void
    run.guideDigest = guideDigest
    return task.record(fullName(settings), { type: "GuideApplied", payload: { digest: guideDigest, ...guide } })
  })

/** Asks the model for the next turn. A conversation that is too long is summarized first, if the memory policy does that. */
const askModel = (
  settings: Settings,
  task: AgentTask,
  run: Run,
  system: string,
  tools: AgentTools,
): Effect.Effect<Asked, ModelCallFailed | TaskClosed | AppendError> => {
  const { memory, guide, maxOutputTokens } = settings
  const toolsDigest = digest(tools.descriptions as unknown as Json)
  const request = Effect.suspend(() => {
    const changed = toolsDigest === run.toolsDigest ? {} : { tools: tools.descriptions as unknown as Json }
    const first = { messages: run.unsent as unknown as Json, ...changed }
    return ask(
      task,
      asking(settings, run),
      {
        system,
        messages: Memory.select(memory, run),
        tools: tools.descriptions,
        ...(guide.temperature === undefined ? {} : { temperature: guide.temperature }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      },
      { first, again: { messages: [] } },
    ).pipe(
      // A request that failed was recorded as well: its messages are known.
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

const asking = (settings: Settings, run: Run) => ({
  model: settings.model,
  retries: settings.retries,
  ...{
    backoffMs,
    costOf: (model: Model, usage: Parameters<typeof costOf>[2]) => costOf(model.provider, model.model, usage),
  },
  ...(settings.onDelta === undefined ? {} : { onDelta: settings.onDelta }),
  mayAsk: (afterMs: number) => Effect.map(exceededIn(settings, run, afterMs), (exceeded) => exceeded === undefined),
  count: ({ usage, cost }: { readonly usage: ModelUsage; readonly cost: { readonly usd: number } | null }) => {
    const { usd, tokens } = run.used
    const used = usage.inputTokens + usage.outputTokens
    run.used = {
      ...run.used,
      // A provider that says nothing is recorded as 0.
      tokens: tokens === undefined || used === 0 ? undefined : tokens + used,
      usd: usd === undefined || cost === null ? undefined : usd + cost.usd,
    }
  },
})

const SUMMARIZE =
  "Summarize the conversation below, which is yours, for yourself: what was asked, what you did and found, what is decided and what is left to do. Keep names, paths and numbers exactly. Answer with the summary alone."

/** Lets the model summarize the first messages of the conversation, and records the summary. */
const summarize = (settings: Settings, task: AgentTask, run: Run, until: number | undefined) =>
  Effect.gen(function* () {
    if (until === undefined || (yield* exceededIn(settings, run)) !== undefined) return
    const told = Memory.select(settings.memory, { ...run, messages: run.messages.slice(0, until) })
    const content = [{ type: "text", text: `${SUMMARIZE}\n\n${Transcript.of(told)}` }] as const
    const messages: ReadonlyArray<Message> = [{ role: "user", content }]
    const request = { summarize: until }
    const { onDelta: _, ...silent } = asking(settings, run)
    const asked = yield* Effect.either(
      ask(task, silent, { system: "", messages, tools: [] }, { first: request, again: request }),
    )
    // Without a summary, which is on record as failed, the next request has the whole conversation.
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

/** Does what an answer says: sends its text, executes its calls, and ends the task if it is done. */
const follow = (settings: Settings, task: AgentTask, run: Run, tools: AgentTools, answer: RecordedAnswer) =>
  Effect.gen(function* () {
    const calls = callsIn(answer)
    const text = textIn(answer)
    const given = calls.find(({ tool }) => tool === ANSWER)
    const structured =
      given === undefined || settings.answer === undefined
        ? undefined
        : calls.length > 1
          ? Either.left({
              message: "expected an answer alone, found other calls beside it; give it once they are done",
            })
          : settings.answer.decode(given.args)
    const isAnswered = structured !== undefined && Either.isRight(structured)
    const isDone = isAnswered || (calls.length === 0 && settings.answer === undefined)
    const decision = yield* task.decided({
      agent: fullName(settings),
      choice: {
        calls: calls.map(({ callId, tool, args }) => ({ callId, tool, args })),
        ...(text === "" ? {} : { say: text }),
        ...(isDone ? { done: outcomeOf(answer) } : {}),
        ...(isAnswered && given !== undefined ? { answer: given.args } : {}),
      },
      basedOn: run.evidence,
    })
    if (text !== "") yield* task.say(text, { causationId: decision.id })
    if (isDone) return yield* end(task, outcomeOf(answer), reasonOf(answer))
    if (calls.length === 0) {
      run.evidence = []
      tell(run, { role: "user", content: [{ type: "text", text: `Give your answer by calling the tool ${ANSWER}.` }] })
      return true
    }
    const others = settings.answer === undefined ? calls : calls.filter(({ tool }) => tool !== ANSWER)
    const left = (settings.budget.commands ?? Number.POSITIVE_INFINITY) - run.used.commands
    const { results, evidence, commands } = yield* ToolCalls.execute(task, tools, others, decision.id, left)
    run.evidence = evidence
    run.used = { ...run.used, commands: run.used.commands + commands }
    const refusal = structured !== undefined && Either.isLeft(structured) ? structured.left.message : undefined
    tell(run, { role: "tool", content: ToolCalls.inOrder(calls, results, refusal) })
    return true
  })

/** An answer that reached its limit of tokens did not come to its end. */
const outcomeOf = ({ finish }: RecordedAnswer): TaskOutcome => (finish === "length" ? "truncated" : "achieved")

const reasonOf = ({ finish }: RecordedAnswer): string | undefined =>
  finish === "length" ? "its model's answer reached the limit of tokens" : undefined

const tell = (run: Run, message: Message): void => {
  run.messages = [...run.messages, message]
  run.unsent = [...run.unsent, message]
}

/** Closes the task. The agent does not continue. */
const end = (task: AgentTask, outcome: TaskOutcome, reason: string | undefined) =>
  Effect.as(task.close(outcome, reason), false)

const fullName = ({ agent }: Settings): string => `${agent.name}@${agent.version}`
