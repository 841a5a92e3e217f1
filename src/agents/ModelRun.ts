/** An agent that thinks with a model, at work on one task: its conversation so far, and what it has used up. */

import { Effect } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as Budgets from "./Budget.ts"
import { type GuideUnknown, named, withConfig } from "./Guide.ts"
import type * as Memory from "./Memory.ts"
import { type Settings, withGuide } from "./ModelAgentOptions.ts"
import type { Message } from "./models/Message.ts"

/** An agent at work on one task. */
export interface ModelRun {
  /** With the guide that the task's plugins have under its name. */
  readonly settings: Settings
  /** By the monotonic clock: a budget of time does not follow a clock that is set. */
  readonly beganAt: number
  /** How long it waited for people to say something, in milliseconds. */
  waitedMs: number
  /** Whether the next turn waits for an input. */
  waits: boolean
  messages: ReadonlyArray<Message>
  /** The messages that were not sent yet. */
  unsent: ReadonlyArray<Message>
  summary: Memory.Remembered["summary"]
  tokens: number
  /** Digests of the guide and the tools as the model was last told. */
  guideDigest: string | undefined
  toolsDigest: string | undefined
  used: Omit<Budgets.Used, "wallMs">
  /** Whether the price of the model is known to be known. */
  isPriced: boolean
  /** The events that the next decision is based on. */
  evidence: ReadonlyArray<Event>
}

/** The agent as it begins: it has the goal as its first message. */
export const begin = (settings: Settings, task: AgentTask): Effect.Effect<ModelRun, GuideUnknown | LogError> =>
  Effect.gen(function* () {
    const { guideName } = settings
    const { guides, config } = yield* task.capabilities()
    const own = guideName === undefined ? settings.guide : yield* named(guideName, guides)
    const guide = config === undefined ? own : withConfig(own, config)
    const beganAt = yield* MonotonicClock.now
    const goal: Message = { role: "user", content: [{ type: "text", text: task.goal }] }
    return {
      settings: withGuide(settings, guide),
      beganAt,
      waitedMs: 0,
      waits: false,
      messages: [goal],
      unsent: [goal],
      summary: null,
      tokens: 0,
      guideDigest: undefined,
      toolsDigest: undefined,
      used: { steps: 0, tokens: 0, usd: 0, commands: 0 },
      isPriced: false,
      evidence: [],
    }
  })

/**
 * The first budget that is used up, or will be after some time. The time in which the agent waited for people does
 * not count.
 */
export const exceededIn = ({ budget }: Settings, task: AgentTask, run: ModelRun, afterMs = 0) =>
  Effect.map(workedMsOf(task, run), (workedMs) => Budgets.exceeded(budget, { ...run.used, wallMs: workedMs + afterMs }))

/**
 * How long the agent has worked on its task, in milliseconds: what earlier processes measured and recorded, and what this
 * one measured. The time in which it waited for people to say something does not count.
 */
export const workedMsOf = (task: AgentTask, run: ModelRun): Effect.Effect<number> =>
  Effect.map(MonotonicClock.now, (now) => task.worked() + now - run.beganAt - run.waitedMs)

/** How much is left of the budget of time, in milliseconds: infinite where there is none. */
export const leftMsOf = ({ budget }: Settings, task: AgentTask, run: ModelRun): Effect.Effect<number> =>
  Effect.map(workedMsOf(task, run), (workedMs) => Math.max(0, (budget.wallMs ?? Number.POSITIVE_INFINITY) - workedMs))

/** Adds a message to the conversation, which the model is told in the next turn. */
export const tell = (run: ModelRun, message: Message): void => {
  run.messages = [...run.messages, message]
  run.unsent = [...run.unsent, message]
}

/** The agent as it is recorded: `name@version`. */
export const fullName = ({ agent }: Settings): string => `${agent.name}@${agent.version}`
