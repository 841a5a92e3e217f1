/** The state of a model agent at work on one task: its conversation and its usage so far. */

import { Effect } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { ChildUse } from "../events/vocabulary/Tasks.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import type { Capabilities } from "../kernel/tasks/Capabilities.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
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
  used: Omit<Budgets.Used, "wallMs">
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
      used: { steps: 0, tokens: 0, usd: 0, commands: 0 },
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
  const { steps, commands, tokens, usd } = used ?? { steps: 0, commands: 0, tokens: null, usd: null }
  const { used: before } = run
  run.used = {
    steps: before.steps + steps,
    commands: before.commands + commands,
    tokens: before.tokens === undefined || tokens === null ? undefined : before.tokens + tokens,
    usd: before.usd === undefined || usd === null ? undefined : before.usd + usd,
  }
}

/** What each of several called agents may use of the rest of the budget; undefined without limits. */
export const shareOf = (settings: Settings, task: AgentTask, run: ModelRun, together: number) =>
  Effect.map(leftMsOf(settings, task, run), (leftMs) => {
    return Budgets.share(settings.budget, { ...run.used, wallMs: 0 }, leftMs, together)
  })

/** The first budget that is used up, now or `afterMs` later. Time spent waiting for people does not count. */
export const exceededIn = ({ budget }: Settings, task: AgentTask, run: ModelRun, afterMs = 0) =>
  Effect.map(workedMsOf(task, run), (workedMs) => Budgets.exceeded(budget, { ...run.used, wallMs: workedMs + afterMs }))

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
