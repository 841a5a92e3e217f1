/** Bounds the cost of a judging model: requests, tokens and money, for each task and for all tasks of a kernel. */

import { Cause, Effect, Schema } from "effect"
import { type ModelCost, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as Options from "../../values/Options.ts"
import { inWords } from "../../values/time/Wait.ts"
import * as Model from "../critics/Model.ts"
import { costOf } from "../pricing/Prices.ts"
import { failureOf } from "../program/ProgramCalls.ts"
import { isMetered } from "../tasks/ModelCalls.ts"

/** The most that judging may use. Each request is counted when it has ended, so the last one may exceed a limit. */
export interface JudgeLimit {
  readonly calls?: number
  readonly tokens?: number
  readonly usd?: number
}

/** The budgets of a judge. */
export interface JudgeBudget {
  /** For each task. Default: 30 requests. */
  readonly perTask?: JudgeLimit
  /** For all tasks that this kernel judges. Default: 3,000 requests. */
  readonly perKernel?: JudgeLimit
}

const Limit = Options.of<JudgeLimit>({
  optional: {
    calls: Options.wholeNumber(1),
    tokens: Options.wholeNumber(1),
    usd: Schema.Positive.pipe(Schema.finite()),
  },
})

/** Schema of `JudgeBudget`. */
export const JudgeBudget = Options.of<JudgeBudget>({ optional: { perTask: Limit, perKernel: Limit } })

const PER_TASK: JudgeLimit = { calls: 30 }
const PER_KERNEL: JudgeLimit = { calls: 3_000 }

/** The use so far. Undefined tokens or money are unknown. */
interface Used {
  calls: number
  tokens: number | undefined
  usd: number | undefined
}

const isUsage = Schema.is(ModelUsage)

/** Of what a model threw, in characters. */
const LONGEST_REASON = 500

const nothing = (): Used => ({ calls: 0, tokens: 0, usd: 0 })

/** A model within budgets. */
export interface BoundedModel {
  readonly model: Model.Model
  /** Counts a request that an earlier process made for a task. */
  readonly count: (taskId: string, usage: ModelUsage | undefined, cost: ModelCost | undefined) => void
  /** Forgets a task that has been judged. */
  readonly forget: (taskId: string) => void
}

/**
 * A model that fails once a budget is used up, without a request: the rewards in question stay unscored, with the
 * reason. With a budget of tokens or money, an answer of unknown use or price is the last one.
 */
export const bounded = (
  model: Model.Model,
  { perTask = PER_TASK, perKernel = PER_KERNEL }: JudgeBudget,
  timeoutMs: number,
): BoundedModel => {
  const { provider, model: name } = model
  const ofKernel = nothing()
  const ofTasks = new Map<string, Used>()
  const ofTask = (taskId: string): Used => {
    const used = ofTasks.get(taskId) ?? nothing()
    ofTasks.set(taskId, used)
    return used
  }
  const failed = (reason: string) => new Model.ModelFailed({ provider, model: name, reason })
  const count: BoundedModel["count"] = (taskId, usage, cost) => {
    for (const used of [ofKernel, ofTask(taskId)]) {
      used.calls += 1
      const tokens = usage !== undefined && isMetered(usage) ? usage.inputTokens + usage.outputTokens : undefined
      used.tokens = used.tokens === undefined || tokens === undefined ? undefined : used.tokens + tokens
      const isPriced = cost !== undefined && Number.isFinite(cost.usd) && cost.usd >= 0
      used.usd = used.usd === undefined || !isPriced ? undefined : used.usd + cost.usd
    }
  }
  /** A program's own model may answer anything. */
  const answer = (...question: Parameters<Model.Model["ask"]>) =>
    Effect.gen(function* () {
      const response = yield* Effect.suspend(() => model.ask(...question))
      if (!isUsage(response.usage)) return yield* failed("expected an answer with its usage of tokens, found another")
      const cost = response.cost ?? (yield* costOf(provider, name, response.usage)) ?? undefined
      return { response, cost }
    })
  return {
    count,
    forget: (taskId) => ofTasks.delete(taskId),
    model: {
      ...model,
      ask: (question, requestDigest) =>
        Effect.gen(function* () {
          const taskId = question.task.id
          const over = exceeded("task", perTask, ofTask(taskId)) ?? exceeded("kernel", perKernel, ofKernel)
          if (over !== undefined) return yield* failed(over)
          const { response, cost } = yield* answer(question, requestDigest).pipe(
            Effect.catchAllDefect((defect) => failed(`it threw ${wordsOf(defect)}`)),
            Effect.timeoutFail({
              duration: timeoutMs,
              onTimeout: () => failed(`no answer within ${inWords(timeoutMs)}`),
            }),
            // A failed request may have cost something.
            Effect.tapError(() => Effect.sync(() => count(taskId, undefined, undefined))),
          )
          count(taskId, response.usage, cost)
          return { ...response, ...(cost === undefined ? {} : { cost }) }
        }),
    },
  }
}

const wordsOf = (defect: unknown): string => {
  const { code, message } = failureOf(Cause.die(defect))
  return `${code}: ${message}`.slice(0, LONGEST_REASON)
}

const exceeded = (of: "task" | "kernel", limit: JudgeLimit, used: Used): string | undefined => {
  const budget = of === "task" ? "the budget for judging this task" : "the kernel's budget for judging"
  for (const [field, unit] of [
    ["calls", "requests"],
    ["tokens", "tokens"],
    ["usd", "US dollars"],
  ] as const) {
    const [most, so] = [limit[field], used[field]]
    if (most === undefined) continue
    if (so === undefined) return `${budget} is ${most} ${unit}, and it is unknown how much was used`
    if (so >= most) return `${budget} is used up (${most} ${unit})`
  }
  return undefined
}
