/** Makes a tool of an agent: each call of the tool is a task of its own. */

import { Either, Schema } from "effect"
import { TaskBudget } from "../../events/vocabulary/Tasks.ts"
import { Risk } from "../../plugins/manifest/Manifest.ts"
import { TIMEOUT_MS } from "../../plugins/manifest/schema.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as Agent from "../agents/Agent.ts"
import * as DataSchema from "../program/DataSchema.ts"
import type { ToolFields } from "../program/ProgramOptions.ts"
import type { Tool } from "../program/Tool.ts"
import { AGENT } from "../registry/InProcess.ts"

/** Options of `asTool`. */
export interface AsToolOptions<Args extends DataSchema.DataSchema = DataSchema.DataSchema> {
  /** What calling agents read about it. Default: `Gives a goal to the agent NAME, and returns its answer.` */
  readonly description?: string
  /** The arguments: an object. Needs `goal`. Default: `{ goal }`, a text. */
  readonly args?: Args
  /** The goal of the agent's task, from the decoded arguments. Default: their `goal`. */
  readonly goal?: (args: DataSchema.Described<Args, JsonObject>) => string
  /** The limit of each call, which is never more than the calling task has left. Default: what that task has left. */
  readonly budget?: TaskBudget
  /** Maximum number of steps of each call. Default: 100. */
  readonly maxSteps?: number
  /** The plugins of the agent's tasks. Default: those of the calling task. */
  readonly plugins?: ReadonlyArray<string>
  /**
   * How much harm a call can do. The agent's own commands pass the gate one by one. Default: `none`, so that several
   * calls of an answer run together.
   */
  readonly risk?: Risk
}

const AsToolOptions = Options.of<AsToolOptions>({
  optional: {
    description: Options.Text,
    args: DataSchema.DataSchema,
    goal: Options.callable<NonNullable<AsToolOptions["goal"]>>(),
    budget: TaskBudget,
    maxSteps: Options.wholeNumber(1, 1_000_000_000),
    plugins: Schema.Array(Options.Text),
    risk: Risk,
  },
})

const GOAL = {
  type: "object",
  properties: { goal: { type: "string", minLength: 1, description: "What the agent has to do" } },
  required: ["goal"],
  additionalProperties: false,
} as const

/** The arguments of a tool that names none: `{ goal }`. */
export type GoalArgs = typeof GOAL

/**
 * Makes a tool of an agent, for `tools` of `Hindcast.layer`. A call opens a child task with the goal from its arguments,
 * lets the agent work on it, and returns `{ task, outcome, answer, reason? }`: the answer is the agent's structured
 * answer, otherwise its last words. A child that fails or is abandoned fails the call.
 *
 * The child's id is the command's. Its budget is part of the calling task's, and ends with it: cancelling or pausing that
 * task reaches the child, and a resumed task continues its children. Throws `InvalidOptions`.
 */
export const asTool = <const Args extends DataSchema.DataSchema = GoalArgs>(
  agent: Agent.Agent,
  options: AsToolOptions<Args> = {},
): Tool => {
  const orThrow = Either.getOrThrowWith((invalid: Options.InvalidOptions) => invalid)
  orThrow(Options.decode("asTool", Agent.Agent, agent, ["agent"]))
  const { description, args, goal, budget, maxSteps, plugins, risk } = orThrow(
    Options.decode("asTool", AsToolOptions, options),
  )
  if (args !== undefined && goal === undefined) {
    const problem = { path: "goal", expected: "a function from the arguments to the goal", found: "nothing" }
    throw new Options.InvalidOptions({ of: "asTool", problems: [problem] })
  }
  const fields: ToolFields = {
    description: description ?? `Gives a goal to the agent ${agent.name}, and returns its answer.`,
    args: args ?? GOAL,
    risk: risk ?? "none",
    // A day, the longest: the agent's budget and its caller's limit its work.
    timeout: TIMEOUT_MS,
    metadata: { [AGENT]: Agent.fullName(agent) },
    idempotencyKey: (_, { commandId }) => commandId,
    run: () => Promise.reject(new Error(`the agent ${agent.name} runs only in a kernel`)),
    calls: {
      agent: () => agent,
      goal: (given) => (goal ?? goalIn)(given as never),
      ...defined({ maxSteps, budget, plugins }),
    },
  }
  // As `Tool.make` does: a tool's type hides its fields.
  return fields as unknown as Tool
}

const goalIn = ({ goal }: { readonly goal: string }): string => goal

/** The same tool for another form of its agent. */
export const withAgent = (tool: Tool, agent: () => Agent.Agent): Tool => {
  const { calls, ...fields } = tool as unknown as ToolFields
  return (calls === undefined ? tool : { ...fields, calls: { ...calls, agent } }) as unknown as Tool
}
