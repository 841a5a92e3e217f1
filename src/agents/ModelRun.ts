/** The state of a model agent at work on one task: its conversation and its usage so far. */

import { Effect } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { ChildUse, UseBelow } from "../events/vocabulary/Tasks.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import type { Capabilities } from "../kernel/tasks/Capabilities.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import * as Spending from "../projections/tree/Spending.ts"
import { smaller } from "../projections/tree/TaskTree.ts"
import type { InvalidOptions } from "../values/Options.ts"
import * as Budgets from "./Budget.ts"
import * as Fallbacks from "./Fallbacks.ts"
import { type GuideUnknown, named, withConfig } from "./Guide.ts"
import * as LongResults from "./LongResults.ts"
import type * as Memory from "./Memory.ts"
import { type Settings, withGuide } from "./ModelAgentOptions.ts"
import type { Message } from "./models/Message.ts"
import type { UnknownProvider } from "./models/UnusableModel.ts"
import * as OfferedTools from "./team/OfferedTools.ts"

export interface ModelRun {
  /** A hand-off changes them. */
  settings: Settings
  /** By the monotonic clock, so that setting the clock does not change a budget of time. */
  readonly beganAt: number
  /** Milliseconds spent waiting for inputs. */
  waitedMs: number
  waits: boolean
  messages: ReadonlyArray<Message>
  unsent: ReadonlyArray<Message>
  summary: Memory.Remembered["summary"]
  tokens: number
  /** Digests of the guide and tools in the last request. */
  guideDigest: string | undefined
  toolsDigest: string | undefined
  used: Spending.Spending
  /** The number of lost requests that are counted in `used`. */
  lost: number
  /** Tokens of the longest answer so far. */
  longestAnswer: number
  /** The use of the tasks that a program started below this one, with what they reserve. */
  below: UseBelow | undefined
  /** The names of models whose prices are known. */
  readonly priced: Set<string>
  models: Fallbacks.ModelsInTurn
  /** The number of hand-offs so far. */
  handOffs: number
  /** The agents that handed the task over since a command ended or an input came. */
  passedBy: ReadonlySet<string>
  evidence: ReadonlyArray<Event>
  /** The goal and inputs for which the agent has not recalled memories yet. */
  questions: ReadonlyArray<string>
  readonly longResults: LongResults.LongResults
}

export const begin = (
  settings: Settings,
  task: AgentTask,
): Effect.Effect<ModelRun, GuideUnknown | UnknownProvider | InvalidOptions | LogError> =>
  Effect.gen(function* () {
    const guided = yield* guidedBy(settings, yield* task.capabilities())
    const models = yield* Fallbacks.inTask(task, settings)
    const beganAt = yield* MonotonicClock.now
    const goal: Message = { role: "user", content: [{ type: "text", text: task.goal }] }
    return {
      settings: { ...guided, budget: smaller(settings.budget, task.budget) ?? {} },
      beganAt,
      waitedMs: 0,
      waits: false,
      messages: [goal],
      unsent: [goal],
      summary: null,
      tokens: 0,
      guideDigest: undefined,
      toolsDigest: undefined,
      used: Spending.none,
      lost: 0,
      longestAnswer: 0,
      below: undefined,
      priced: new Set(),
      models,
      handOffs: 0,
      passedBy: new Set(),
      evidence: [],
      questions: [task.goal],
      longResults: LongResults.none(),
    }
  })

/** The settings with the guide and the tools of a task. Fails if the task lacks one that they name. */
export const guidedBy = (
  settings: Settings,
  { guides, config, actuators }: Capabilities,
): Effect.Effect<Settings, GuideUnknown | InvalidOptions> =>
  Effect.gen(function* () {
    if (settings.answer !== undefined) yield* settings.answer.check
    yield* OfferedTools.check(settings.tools, actuators)
    const { guideName } = settings
    const own = guideName === undefined ? settings.guide : yield* named(guideName, guides)
    return withGuide(settings, config === undefined ? own : withConfig(own, config))
  })

/** Counts what a called agent used, as its own. */
export const countChild = (run: ModelRun, { used }: ChildUse): void => {
  run.used = Spending.plus(run.used, Spending.ofUse(used ?? { steps: 0, commands: 0, tokens: null, usd: null }))
}

/** Counts the requests that the end of an earlier kernel cut off. */
export const countLost = (task: AgentTask, run: ModelRun): void => {
  const lost = task.lost()
  for (const call of lost.slice(run.lost)) {
    run.used = "end" in call ? Spending.failed(run.used, call.end) : Spending.lost(run.used, call.reserves)
  }
  run.lost = lost.length
}

/**
 * Learns what the tasks use that a program started below this one. If only what open ones reserve is left of the budget,
 * waits until one of them has ended: then the rest of its part is free again.
 */
export const learnBelow = (settings: Settings, task: AgentTask, run: ModelRun) =>
  Effect.gen(function* () {
    if (!COUNTED.some((limit) => settings.budget[limit] !== undefined)) return
    run.below = yield* task.below()
    while ((run.below?.open ?? 0) > 0) {
      const own = Budgets.exceeded(settings.budget, { ...run.used, wallMs: 0 })
      const all = Budgets.exceeded(settings.budget, { ...usedBy(run), wallMs: 0 })
      if (own !== undefined || all === undefined) return
      const before = run.below
      run.below = yield* task.below({ after: before, withinMs: yield* leftMsOf(settings, task, run) })
      if (run.below === before) return
    }
  })

const COUNTED = ["steps", "commands", "tokens", "usd"] as const

/** The use of the agent, and of the tasks that a program started below its own. */
export const usedBy = ({ used, below }: ModelRun): Spending.Spending =>
  below === undefined ? used : Spending.plus(used, Spending.ofUse(below))

/** What each of several called agents may use of the rest of the budget; undefined without limits. */
export const shareOf = (settings: Settings, task: AgentTask, run: ModelRun, together: number) =>
  Effect.map(leftMsOf(settings, task, run), (leftMs) => {
    return Budgets.share(settings.budget, { ...usedBy(run), wallMs: 0 }, leftMs, together)
  })

/** The first budget that is used up, now or `afterMs` later. Time spent waiting for people does not count. */
export const exceededIn = ({ budget }: Settings, task: AgentTask, run: ModelRun, afterMs = 0) =>
  Effect.map(workedMsOf(task, run), (workedMs) =>
    Budgets.exceeded(budget, { ...usedBy(run), wallMs: workedMs + afterMs }),
  )

/**
 * Milliseconds that the agent has worked on its task, in earlier processes too. Time spent waiting for people does not
 * count.
 */
export const workedMsOf = (task: AgentTask, run: ModelRun): Effect.Effect<number> =>
  Effect.map(MonotonicClock.now, (now) => task.worked() + now - run.beganAt - run.waitedMs)

/** The rest of the budget of time, in milliseconds; infinite without one. */
export const leftMsOf = ({ budget }: Settings, task: AgentTask, run: ModelRun): Effect.Effect<number> =>
  Effect.map(workedMsOf(task, run), (workedMs) => Math.max(0, (budget.wallMs ?? Number.POSITIVE_INFINITY) - workedMs))

export const tell = (run: ModelRun, message: Message): void => {
  run.messages = [...run.messages, message]
  run.unsent = [...run.unsent, message]
}

export const fullName = ({ agent }: Settings): string => `${agent.name}@${agent.version}`
