/**
 * An agent that thinks with a language model. Each step is one turn: the agent asks the model, records its answer, and
 * sends its tool calls through the gate.
 */

import { Effect, Either } from "effect"
import type { AppendError, LogError } from "../events/log/EventLog.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import type { AdvancingAgent, AgentTask } from "../kernel/agents/Agent.ts"
import type { ModelCallFailed } from "../kernel/tasks/ModelCalls.ts"
import { defined } from "../values/defined.ts"
import type { InvalidOptions } from "../values/Options.ts"
import * as Tools from "./AgentTools.ts"
import { type AgentTools, ANSWER } from "./AgentTools.ts"
import { applyGuide, askModel } from "./AskModel.ts"
import type * as Budgets from "./Budget.ts"
import { callsIn, cutForDecision, interruptedIn, type RecordedAnswer, reasoningIn, textIn } from "./Conversation.ts"
import { isOutOfTime } from "./LimitedTurn.ts"
import { type ModelAgentOptions, remember, type Settings, settingsOf } from "./ModelAgentOptions.ts"
import {
  begin,
  countChild,
  countLost,
  exceededIn,
  fullName,
  learnBelow,
  leftMsOf,
  type ModelRun,
  shareOf,
  tell,
  usedBy,
} from "./ModelRun.ts"
import * as RecalledMemories from "./RecalledMemories.ts"
import * as ReceivedInputs from "./ReceivedInputs.ts"
import * as SystemPrompt from "./SystemPrompt.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as HandOff from "./team/HandOff.ts"
import * as OfferedTools from "./team/OfferedTools.ts"

/**
 * An agent that thinks with a model. In each turn the model sees the conversation and the tools: the active actuators,
 * `perceive` if there are sensors, and `answer` if the options require a structured answer. Its calls pass the gate, in
 * the order of the answer or together (`ToolCalls.isOrdered`), and each has exactly one result. An answer without calls
 * is a message, and ends the task as achieved, unless an input arrived in the meantime or the agent is in a
 * conversation.
 *
 * People's inputs (`InputReceived`) become messages of the user: a queued input once the model is done, a steering one
 * before the next turn. An interrupting one ends the answer in progress; its text so far stays in the conversation, and
 * its calls are not executed.
 *
 * The agent fails, and its task with it, if the model cannot be loaded or does not answer (`ModelCallFailed`), or if no
 * plugin of the task has the named guide (`GuideUnknown`). A budget that is used up closes the task as `truncated`. One
 * agent may work on many tasks at once.
 *
 * Throws `InvalidOptions` and `UnknownProvider`. A named model is loaded at its first request.
 */
export const fromModel = (options: ModelAgentOptions): AdvancingAgent => {
  const settings = settingsOf(options)
  const runs = new WeakMap<AgentTask, ModelRun>()
  if (Array.isArray(settings.handoffs)) HandOff.among(settings)
  const agent: AdvancingAgent = {
    ...settings.agent,
    budget: settings.budget,
    advance: (task) =>
      Effect.gen(function* () {
        const run = runs.get(task) ?? (yield* begin(settings, task))
        runs.set(task, run)
        return yield* turn(run.settings, task, run)
      }),
  }
  return remember(agent, settings)
}

type TurnError = InvalidOptions | ModelCallFailed | ToolCalls.ExecuteError | AppendError | LogError

const turn = (settings: Settings, task: AgentTask, run: ModelRun): Effect.Effect<boolean, TurnError> =>
  Effect.gen(function* () {
    countLost(task, run)
    yield* learnBelow(settings, task, run)
    const before = yield* exceededIn(settings, task, run)
    if (before !== undefined) return yield* endByBudget(settings, task, before)
    ReceivedInputs.hear(run, yield* run.waits ? ReceivedInputs.awaitNext(task, run) : ReceivedInputs.takeUrgent(task))
    run.waits = false
    const capabilities = yield* task.capabilities()
    yield* RecalledMemories.check(settings, capabilities.actuators)
    const offered = { ...capabilities, actuators: OfferedTools.of(settings.tools, capabilities.actuators) }
    const tools = Tools.of(offered, settings.answer?.jsonSchema, yield* HandOff.tool(settings))
    const system = SystemPrompt.of(settings.guide, capabilities.plugins)
    yield* applyGuide(settings, task, run, system)
    yield* RecalledMemories.show(settings, task, run)
    const asked = yield* Effect.either(askModel(settings, task, run, system, tools))
    if (Either.isLeft(asked)) {
      if (asked.left._tag === "ModelCallFailed" && asked.left.kind === "interrupted") {
        run.messages = [...run.messages, ...interruptedIn(asked.left.response)]
        return true
      }
      const { wallMs } = settings.budget
      // A request is not repeated once the budget is used up.
      const wasLate = asked.left._tag === "ModelCallFailed" && isOutOfTime(asked.left)
      const exceeded =
        (yield* exceededIn(settings, task, run)) ??
        (wasLate ? yield* exceededIn(settings, task, run, wallMs) : undefined)
      if (exceeded === undefined || asked.left._tag !== "ModelCallFailed") return yield* Effect.fail(asked.left)
      return yield* endByBudget(settings, task, exceeded)
    }
    const { answer, tokens } = asked.right
    run.messages = [...run.messages, { role: "assistant", content: answer.parts }]
    run.tokens = tokens
    return yield* follow(settings, task, run, tools, answer)
  })

const endByBudget = (settings: Settings, task: AgentTask, { reason, ...payload }: Budgets.Exceeded) =>
  Effect.zipRight(task.record(fullName(settings), { type: "BudgetExceeded", payload }), end(task, "truncated", reason))

const follow = (settings: Settings, task: AgentTask, run: ModelRun, tools: AgentTools, answer: RecordedAnswer) =>
  Effect.gen(function* () {
    const calls = callsIn(answer)
    const text = textIn(answer)
    const given = calls.find(({ tool }) => tool === ANSWER)
    const structured =
      given === undefined || settings.answer === undefined
        ? undefined
        : calls.length > 1
          ? Either.left("expected an answer alone, found other calls beside it; give it once they are done")
          : yield* Effect.either(settings.answer.decode(given.args))
    const handOff = yield* HandOff.decided(settings, task, run, calls)
    const isAnswered = structured !== undefined && Either.isRight(structured)
    const isOver = calls.length === 0 && settings.answer === undefined
    const waits = calls.length === 0 && settings.conversation
    const next = isOver && !waits ? yield* ReceivedInputs.take(task) : undefined
    const isDone = isAnswered || (isOver && !waits && next === undefined)
    const own = [...(settings.answer === undefined ? [] : [ANSWER]), ...(handOff === undefined ? [] : [Tools.HAND_OFF])]
    const others = calls.filter(({ tool }) => !own.includes(tool))
    const left = (settings.budget.commands ?? Number.POSITIVE_INFINITY) - usedBy(run).commands
    // If a command follows at once, its commit brings the decision. After refused calls alone, the agent may wait long.
    const actsAtOnce =
      left > 0 &&
      others.some((call) => ToolCalls.actuatorOf(tools, call) !== undefined) &&
      given === undefined &&
      handOff === undefined &&
      !others.some(({ tool }) => tool === Tools.PERCEIVE)
    const decide = actsAtOnce || text !== "" ? task.deciding : decidedNow(task)
    const decision = yield* decide({
      agent: fullName(settings),
      choice: {
        calls: calls.map(({ callId, tool, args }) => ({ callId, tool, args })),
        ...(ToolCalls.isOrdered(tools, others) ? { order: IN_ORDER } : {}),
        ...(text === "" ? {} : { say: text }),
        ...(isDone ? { done: outcomeOf(answer) } : {}),
        ...(waits ? { waits: "input" } : {}),
        ...(isAnswered && given !== undefined ? { answer: given.args } : {}),
      },
      basedOn: run.evidence,
      ...defined({
        rationale: calls.length === 0 || text === "" ? undefined : cutForDecision(text),
        reasoning: reasoningIn(answer),
      }),
    })
    if (text !== "") yield* (actsAtOnce ? task.saying : task.say)(text, { causationId: decision.id })
    if (isDone) return yield* end(task, outcomeOf(answer), reasonOf(answer))
    run.evidence = []
    ReceivedInputs.hear(run, next)
    run.waits = waits
    if (waits || next !== undefined) return true
    if (calls.length === 0) {
      tell(run, { role: "user", content: [{ type: "text", text: `Give your answer by calling the tool ${ANSWER}.` }] })
      return true
    }
    if (handOff !== undefined && Either.isRight(handOff)) {
      yield* HandOff.to(handOff.right, settings, task, run)
      return true
    }
    const { results, evidence, commands, wasLate } = yield* ToolCalls.execute(task, tools, others, {
      causationId: decision.id,
      // A replay follows the recorded order: an earlier release ran all calls together.
      ordered: decision.choice.order === IN_ORDER,
      mostCommands: left,
      longResults: run.longResults,
      leftMs: leftMsOf(settings, task, run),
      shareOf: (together) => shareOf(settings, task, run, together),
      count: (child) => countChild(run, child),
    })
    if (commands > 0) run.passedBy = new Set()
    run.evidence = evidence
    run.used = { ...run.used, commands: run.used.commands + commands }
    const exceeded = wasLate ? yield* exceededIn(settings, task, run, settings.budget.wallMs) : undefined
    if (exceeded !== undefined) return yield* endByBudget(settings, task, exceeded)
    const refused = structured !== undefined && Either.isLeft(structured) ? structured : handOff
    const refusal = refused !== undefined && Either.isLeft(refused) ? refused.left : undefined
    tell(run, { role: "tool", content: ToolCalls.inOrder(calls, results, refusal) })
    return true
  })

const IN_ORDER = "one-by-one"

const decidedNow =
  (task: AgentTask): AgentTask["deciding"] =>
  (decision) =>
    Effect.map(task.decided(decision), (event) => ({
      id: event.id,
      choice: is(event, "DecisionMade") ? event.payload.choice : decision.choice,
    }))

/** An answer that reached its limit of tokens is incomplete. */
const outcomeOf = ({ finish }: RecordedAnswer): TaskOutcome => (finish === "length" ? "truncated" : "achieved")

const reasonOf = ({ finish }: RecordedAnswer): string | undefined =>
  finish === "length" ? "its model's answer reached the limit of tokens" : undefined

const end = (task: AgentTask, outcome: TaskOutcome, reason: string | undefined) =>
  Effect.as(task.close(outcome, reason), false)
