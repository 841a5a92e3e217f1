/**
 * An agent is a value that decides from a context, or that advances a task step by step. This module also checks agents
 * from outside.
 */

import { Data, Effect, Either, Schema } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import { TaskBudget, TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { findNonJson, type Json, JsonObject, plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { mistakesOf } from "../../values/schema/Mistakes.ts"
import type { CommandOutcome } from "../acting/CommandExecution.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import type { ActuatorCapability, PluginDescription, SensorCapability } from "../tasks/Capabilities.ts"
import type { Input } from "../tasks/Inputs.ts"
import type { ModelCallRequest, ModelCallResponse } from "../tasks/ModelCalls.ts"
import type { Task } from "../tasks/Task.ts"

export type { ActuatorCapability, PluginDescription, SensorCapability } from "../tasks/Capabilities.ts"
export type { Input, InputOptions } from "../tasks/Inputs.ts"
export type { ModelCallRequest, ModelCallResponse } from "../tasks/ModelCalls.ts"

/** The input of a decision. All of it comes from the log or a recorded seed, so that a replay can show it again. */
export interface DecisionContext {
  /** A fork of the task keeps it. */
  readonly taskId: string
  readonly goal: string
  readonly step: number
  /** The newest readings, by `plugin/sensor`. */
  readonly readings: { readonly [sensor: string]: Json }
  /** The agent's inputs since the last decision, oldest first. */
  readonly inputs: ReadonlyArray<Pick<Input, "source" | "content" | "delivery">>
  /** How the last command ended; null before the first. */
  readonly lastOutcome: LastOutcome | null
  /**
   * The agent's earlier decisions in this task, oldest first, with their outcomes: frozen JSON. An agent that keeps its
   * memory here may work on several tasks at once. Empty at the start of a `fresh` fork.
   */
  readonly history: ReadonlyArray<PastDecision>
  /** With their environments' descriptions, rules and conventions. */
  readonly plugins: ReadonlyArray<PluginDescription>
  readonly sensors: ReadonlyArray<SensorCapability>
  /** The commands that the agent can request, with their arguments. */
  readonly actuators: ReadonlyArray<ActuatorCapability>
  /** The scenario's `initial_agent_config`. */
  readonly config?: JsonObject
  /** A number in [0, 1) that follows from the task's seed. */
  readonly random: () => number
  /** `recordedAt` of the newest event in this context, in epoch milliseconds. */
  readonly now: number
  /**
   * Asks a language model by calling `answering` (see `Task.consult`). The log records the response, and a replay
   * returns it without calling `answering`.
   */
  readonly consult: (question: ModelCallRequest, answering: () => Promise<ModelCallResponse>) => Promise<Json>
}

/** An earlier decision. */
export interface PastDecision {
  readonly step: number
  readonly choice: JsonObject
  /** How its command ended; null for a choice without one. */
  readonly outcome: LastOutcome | null
}

/** How a command ended, without its event and id. */
export type LastOutcome = WithoutPlace<CommandOutcome>

/** An outcome as an agent sees it. */
type WithoutPlace<Outcome> = Outcome extends CommandOutcome ? Omit<Outcome, "event" | "commandId"> : never

const OUTCOMES = TaskOutcome.literals.map((outcome) => `"${outcome}"`).join(" | ")

const CHOICES = `a choice { act: "plugin/actuator", args? }, { say: "text", to? } or { done: ${OUTCOMES}, reason? }`

/** A decision: a command, a message, or the end of the task. */
export const Choice = Schema.Union(
  Schema.Struct({
    act: Schema.NonEmptyString,
    args: Schema.optionalWith(JsonObject, { exact: true }),
    rationale: Schema.optionalWith(Schema.String, { exact: true }),
  }),
  Schema.Struct({
    say: Schema.String,
    /** The agents that it addresses, in a task with several. Default: all that listen. */
    to: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
    rationale: Schema.optionalWith(Schema.String, { exact: true }),
  }),
  Schema.Struct({ done: TaskOutcome, reason: Schema.optionalWith(Schema.String, { exact: true }) }),
).annotations({
  identifier: "Choice",
  description: CHOICES,
})

export type Choice = typeof Choice.Type

const isChoice = Schema.is(Choice, { onExcessProperty: "error" })

/** How a run of an agent ended. */
export interface RunResult {
  readonly outcome: TaskOutcome
  readonly reason?: string
  /** Number of decisions, or of calls of `advance`. */
  readonly steps: number
}

/** A task behind something that may end the run, such as a scenario. */
export interface Conducted {
  readonly task: Task
  /** How the run ended, if it did. From then on the task rejects calls. */
  readonly ended: () => RunResult | undefined
}

/** An agent that something may conduct. */
interface Conductable {
  /** Puts a conductor between the agent and its task, in runs, replays, forks and resumed tasks alike. */
  readonly conductedBy?: (task: Task) => Effect.Effect<Conducted, TaskClosed | AppendError | LogError>
}

/** An agent that chooses from a context. The kernel perceives and acts for it. */
export interface DecidingAgent extends Conductable {
  readonly name: string
  readonly version: string
  /** Returns the choice; the kernel does the rest of the step. */
  readonly decide: (context: DecisionContext) => Choice | Promise<Choice> | Effect.Effect<Choice, unknown>
}

/** The task of an agent that works by itself, with randomness and time that a replay reproduces. */
export interface AgentTask extends Task {
  /** A number in [0, 1) that follows from the task's seed. */
  readonly random: () => number
  /** `recordedAt` of the newest event that the agent received, in epoch milliseconds; 0 before the first. */
  readonly now: () => number
}

/** An agent that perceives and acts by itself. */
export interface AdvancingAgent extends Conductable {
  readonly name: string
  readonly version: string
  /** The limits that it keeps to by itself. The tasks that are started below its own get a part of them. Default: none. */
  readonly budget?: TaskBudget
  /** Takes one step with the functions of the task. Returns false to end the run. */
  readonly advance: (task: AgentTask) => Effect.Effect<boolean, unknown>
}

/** Several agents as one. In a fork, agents that decide follow their own recorded decisions. */
export interface GroupAgent extends AdvancingAgent {
  readonly agents: { readonly [agentId: string]: Agent }
  /** Maximum number of rounds, if one was set. The log records it, so that a resumed group keeps it. */
  readonly maxRounds?: number
  /** The same group with other agents or limits. */
  readonly withAgents: (agents: { readonly [agentId: string]: Agent }, limits?: GroupLimits) => GroupAgent
}

/** The limits of a group. */
export interface GroupLimits {
  readonly maxRounds?: number
}

/** An agent is a value: a name, a version and a function. */
export type Agent = DecidingAgent | AdvancingAgent

/** The budget that an agent keeps to by itself; undefined without one. */
export const budgetOf = (agent: Agent): TaskBudget | undefined => {
  // Agents from JavaScript may have any field of this name.
  const budget: unknown = "advance" in agent ? agent.budget : undefined
  return Schema.is(TaskBudget)(budget) && Object.keys(budget).length > 0 ? budget : undefined
}

/** Gives an agent that is written inline the types of its functions. Returns the agent itself. */
export const define = <const Of extends Agent>(agent: Of): Of => agent

/** Whether the kernel records choices of this agent, or of the agents of this group. */
export const decides = (agent: Agent): boolean => "decide" in agent || isGroup(agent)

/** Whether an agent is a group. */
export const isGroup = (agent: Agent): agent is GroupAgent =>
  "agents" in agent && "withAgents" in agent && typeof agent.withAgents === "function"

/** Applies the recorded maximum of rounds to a group that sets none. */
export const withRecordedLimits = (agent: Agent, { maxRounds }: GroupLimits = {}): Agent =>
  maxRounds !== undefined && isGroup(agent) && agent.maxRounds === undefined
    ? agent.withAgents(agent.agents, { maxRounds })
    : agent

/** Schema of `Agent`. It returns the value itself, so that an agent that is a class instance keeps its `this`. */
export const Agent = Options.kind<Agent>(
  "an agent: an object with name, version, and a function decide or advance",
  (value) => Schema.is(AgentShape)(value),
)

/** Options of `fromPolicy`. */
export interface PolicyOptions {
  readonly name: string
  readonly version: string
  /** Maps readings to a choice. Pure. */
  readonly policy: (readings: DecisionContext["readings"]) => Choice
}

/** Schema of `PolicyOptions`. */
export const PolicyOptions = Options.of<PolicyOptions>({
  required: { name: Options.Text, version: Options.Text, policy: Options.callable<PolicyOptions["policy"]>() },
})

/** Whether a value is an agent. */
export const isAgent = (value: unknown): value is Agent => Schema.is(AgentShape)(value)

/** Makes an agent that maps readings to its next choice. Throws `InvalidOptions` for invalid options. */
export const fromPolicy = (options: PolicyOptions): DecidingAgent => {
  const decoded = Options.decode("fromPolicy", PolicyOptions, options)
  const { name, version, policy } = Either.getOrThrowWith(decoded, (invalid) => invalid)
  return { name, version, decide: ({ readings }) => policy(readings) }
}

/** Gives an advancing agent its type. */
export const fromAdvance = (agent: AdvancingAgent): AdvancingAgent => agent

/** The agent threw, or returned something that is not a choice. Fix the agent. */
export class AgentFailed extends Data.TaggedError("AgentFailed")<{ readonly agent: string; readonly reason: string }> {
  override get message() {
    return `Agent ${this.agent} failed: ${this.reason}`
  }
}

/** The two forms of an agent, for messages. */
export const FORMS = "{ name, version, decide(context) } or { name, version, advance(task) }"

/** The module's default export is not an agent. Fix the module. */
export class NotAnAgent extends Data.TaggedError("NotAnAgent")<{ readonly source: string; readonly found: string }> {
  override get message() {
    return `${this.source}: expected a default export ${FORMS}, found ${this.found}`
  }
}

/** `name@version`, as recorded in the log. */
export const fullName = (agent: Agent): string => `${agent.name}@${agent.version}`

/**
 * The agent that a task records as `name@version`: that version among several, otherwise the first of that name;
 * undefined without one. A name may contain an `@`, so the longest that fits counts.
 */
export const recordedAs = (agents: ReadonlyArray<Agent>, recorded: string): Agent | undefined => {
  let found: Agent | undefined
  for (const agent of agents) {
    if (fullName(agent) === recorded) return agent
    if (hasName(agent, recorded) && agent.name.length > (found?.name.length ?? 0)) found = agent
  }
  return found
}

/** Whether an agent has the name of one that is recorded as `name@version`, in any version. */
export const hasName = ({ name }: Pick<Agent, "name">, recorded: string): boolean => recorded.startsWith(`${name}@`)

/** Checks that a value from outside, such as a module's default export, is an agent. */
export const fromUnknown = (source: string, value: unknown): Either.Either<Agent, NotAnAgent> => {
  const decoded = Schema.decodeUnknownEither(AgentShape)(value)
  // Decoding would lose the `this` of a class instance.
  if (Either.isRight(decoded)) return Either.right(value as Agent)
  const [issue] = mistakesOf(decoded.left)
  const found =
    issue === undefined
      ? "something else"
      : issue.path[0] === "decide"
        ? "no function decide or advance"
        : `${issue.path.join(".") || "the export"}: ${issue.message}`
  return Either.left(new NotAnAgent({ source, found }))
}

const Callable = Schema.declare(
  (value): value is (...args: ReadonlyArray<never>) => unknown => typeof value === "function",
  {
    identifier: "Callable",
  },
)

const AgentShape = Schema.Union(
  Schema.Struct({ name: Schema.NonEmptyString, version: Schema.NonEmptyString, decide: Callable }),
  Schema.Struct({ name: Schema.NonEmptyString, version: Schema.NonEmptyString, advance: Callable }),
)

/** Wraps an error that an agent threw. Passes on the `AgentFailed` of an inner agent. */
export const failure = (agent: Agent, cause: unknown): AgentFailed =>
  cause instanceof AgentFailed
    ? cause
    : new AgentFailed({
        agent: fullName(agent),
        reason: plainText(cause instanceof Error ? cause.message : String(cause)),
      })

/** Lets an agent take a step. Passes on its failures. */
export const advance = (agent: AdvancingAgent, task: AgentTask): Effect.Effect<boolean, unknown> =>
  Effect.flatMap(
    Effect.try({ try: (): unknown => agent.advance(task), catch: (cause) => failure(agent, cause) }),
    (step) => {
      if (Effect.isEffect(step)) return step as Effect.Effect<boolean, unknown>
      if (step instanceof Promise) step.catch(() => {})
      const found = step instanceof Promise ? "a promise, which agents of hindcast/promise return" : typeof step
      return failure(agent, `advance: expected an Effect, found ${found}`)
    },
  )

/** Calls the agent, which returns a value, a promise or an effect, and checks its choice. */
export const decide = (agent: DecidingAgent, context: DecisionContext): Effect.Effect<Choice, AgentFailed> =>
  Effect.gen(function* () {
    const failed = (cause: unknown) => failure(agent, cause)
    const answer = yield* Effect.try({ try: () => agent.decide(context), catch: failed })
    const chosen: unknown = Effect.isEffect(answer)
      ? yield* Effect.mapError(answer, failed)
      : yield* Effect.tryPromise({ try: () => Promise.resolve(answer), catch: failed })
    const bad = findNonJson(chosen)
    if (bad !== undefined) return yield* failed(`its choice${bad.path}: expected JSON, found ${bad.found}`)
    if (isChoice(chosen)) return chosen
    return yield* failed(`expected ${CHOICES}, found ${JSON.stringify(chosen)?.slice(0, 200) ?? "nothing"}`)
  })
