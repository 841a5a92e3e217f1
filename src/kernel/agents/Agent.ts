/**
 * What an agent is: a value that decides from a view, or that advances a task step by step. It also checks agents
 * from outside.
 */

import { Data, Effect, Either, Schema } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
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

/**
 * What an agent sees when it decides. All of it is in the log or follows from a recorded seed, so that a replay can
 * show it again.
 */
export interface View {
  /** The task's id. A fork of the task has the same. */
  readonly taskId: string
  readonly goal: string
  /** Decisions made before this one. */
  readonly step: number
  /** The newest readings, by `plugin/sensor`. */
  readonly readings: { readonly [sensor: string]: Json }
  /** What was said to the agent since the decision before, oldest first. */
  readonly inputs: ReadonlyArray<Pick<Input, "source" | "content" | "delivery">>
  /** How the last command ended; null before the first. */
  readonly lastOutcome: LastOutcome | null
  /**
   * The agent's decisions in this task so far, oldest first, with their outcomes. They are JSON, and frozen. An agent
   * that remembers by them may work on several tasks at once. A `fresh` fork begins without any.
   */
  readonly history: ReadonlyArray<PastDecision>
  /** The plugins, with their environments' descriptions, rules and conventions. */
  readonly plugins: ReadonlyArray<PluginDescription>
  /** The sensors that the readings come from. */
  readonly sensors: ReadonlyArray<SensorCapability>
  /** The commands that are possible, with their arguments. */
  readonly actuators: ReadonlyArray<ActuatorCapability>
  /** What a scenario gives the agent to begin with: its `initial_agent_config`. */
  readonly config?: JsonObject
  /** A number in [0, 1) that follows from the task's seed. */
  readonly random: () => number
  /** `recordedAt` of the newest event in this view, in epoch milliseconds. */
  readonly now: number
  /**
   * Asks a language model by calling `answering`; see `Task.consult`. The response is recorded, and a replay returns
   * it without calling `answering`.
   */
  readonly consult: (question: ModelCallRequest, answering: () => Promise<ModelCallResponse>) => Promise<Json>
}

/** A decision of the past. */
export interface PastDecision {
  /** Decisions made before it. */
  readonly step: number
  /** The choice, without its rationale. */
  readonly choice: JsonObject
  /** How its command ended; null if it chose no command. */
  readonly outcome: LastOutcome | null
}

/** How a command ended, without its event and id. */
export type LastOutcome = WithoutPlace<CommandOutcome>

/** An outcome without the ids of its events, as an agent sees it. */
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
    /** The agents that it is said to, in a task with several. Default: whoever listens. */
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
  /** Decisions made, or calls of `advance`. */
  readonly steps: number
}

/** A task as an agent works on it, with something in between that may end the run: a scenario. */
export interface Conducted {
  readonly task: Task
  /** How the run ended, once it did. From then on the task answers nothing. */
  readonly ended: () => RunResult | undefined
}

/** An agent that may be conducted. */
interface Conductable {
  /** Begins to stand between the agent and its task. Runs, replays, forks and resumptions do it alike. */
  readonly conductedBy?: (task: Task) => Effect.Effect<Conducted, TaskClosed | AppendError | LogError>
}

/** An agent that is shown a view and chooses. The kernel perceives and acts for it. */
export interface DecidingAgent extends Conductable {
  readonly name: string
  readonly version: string
  /** Decides by what it is shown; the kernel does the rest of the step. */
  readonly decide: (view: View) => Choice | Promise<Choice> | Effect.Effect<Choice, unknown>
}

/** A task for an agent that works by itself, with randomness and time that a replay can reproduce. */
export interface AgentTask extends Task {
  /** A number in [0, 1) that follows from the task's seed. */
  readonly random: () => number
  /** `recordedAt` of the newest event that the agent received, in epoch milliseconds; 0 before the first. */
  readonly now: () => number
}

/** An agent that perceives and acts by itself. Each call is one step, and returns whether to continue. */
export interface AdvancingAgent extends Conductable {
  readonly name: string
  readonly version: string
  /** Takes one step by the functions of the task. Returns whether it goes on: false ends the run. */
  readonly advance: (task: AgentTask) => Effect.Effect<boolean, unknown>
}

/** Several agents as one. In a fork, those that decide are led by their own recorded decisions. */
export interface GroupAgent extends AdvancingAgent {
  /** The agents by their names in the task. */
  readonly agents: { readonly [agentId: string]: Agent }
  /** Most rounds, where that was said. It is recorded, so that a group that goes on has the same. */
  readonly maxRounds?: number
  /** The same group of other agents, or of other limits. */
  readonly withAgents: (agents: { readonly [agentId: string]: Agent }, limits?: GroupLimits) => GroupAgent
}

/** The limits of a group. */
export interface GroupLimits {
  readonly maxRounds?: number
}

/** An agent is a value: a name, a version and a function. */
export type Agent = DecidingAgent | AdvancingAgent

/** Whether the kernel records the choices of an agent, or of agents of a group. */
export const decides = (agent: Agent): boolean => "decide" in agent || isGroup(agent)

/** Whether an agent is a group. */
export const isGroup = (agent: Agent): agent is GroupAgent =>
  "agents" in agent && "withAgents" in agent && typeof agent.withAgents === "function"

/** The agent with the most rounds that are recorded, if it is a group for which none was said. */
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
  /** The choice for these readings. Pure. */
  readonly policy: (readings: View["readings"]) => Choice
}

/** Schema of `PolicyOptions`. */
export const PolicyOptions = Options.of<PolicyOptions>({
  required: { name: Options.Text, version: Options.Text, policy: Options.callable<PolicyOptions["policy"]>() },
})

/** An agent that maps the readings to its next choice. Throws `InvalidOptions` where the options are wrong. */
export const fromPolicy = (options: PolicyOptions): DecidingAgent => {
  const decoded = Options.decode("fromPolicy", PolicyOptions, options)
  const { name, version, policy } = Either.getOrThrowWith(decoded, (invalid) => invalid)
  return { name, version, decide: ({ readings }) => policy(readings) }
}

/** Types an agent that advances by itself. */
export const fromAdvance = (agent: AdvancingAgent): AdvancingAgent => agent

/** Fix the agent: it threw, or returned something that is not a choice. */
export class AgentFailed extends Data.TaggedError("AgentFailed")<{ readonly agent: string; readonly reason: string }> {
  override get message() {
    return `Agent ${this.agent} failed: ${this.reason}`
  }
}

/** The two forms of an agent, for messages. */
export const FORMS = "{ name, version, decide(view) } or { name, version, advance(task) }"

/** Fix the module: its default export is not an agent. */
export class NotAnAgent extends Data.TaggedError("NotAnAgent")<{ readonly source: string; readonly found: string }> {
  override get message() {
    return `${this.source}: expected a default export ${FORMS}, found ${this.found}`
  }
}

/** `name@version`, as recorded in the log. */
export const fullName = (agent: Agent): string => `${agent.name}@${agent.version}`

/** Checks that a value from outside, such as a module's default export, is an agent. */
export const fromUnknown = (source: string, value: unknown): Either.Either<Agent, NotAnAgent> => {
  const decoded = Schema.decodeUnknownEither(AgentShape)(value)
  // The functions are called on the original value, so that an agent that is a class instance keeps its `this`.
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

/** An `AgentFailed` for what an agent threw. One that an inner agent failed with is passed through. */
export const failure = (agent: Agent, cause: unknown): AgentFailed =>
  cause instanceof AgentFailed
    ? cause
    : new AgentFailed({
        agent: fullName(agent),
        reason: plainText(cause instanceof Error ? cause.message : String(cause)),
      })

/** Lets an agent take a step. Whatever it fails with is passed on. */
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

/** Lets an agent decide, by a value, a promise or an effect, and checks its choice. */
export const decide = (agent: DecidingAgent, view: View): Effect.Effect<Choice, AgentFailed> =>
  Effect.gen(function* () {
    const failed = (cause: unknown) => failure(agent, cause)
    const answer = yield* Effect.try({ try: () => agent.decide(view), catch: failed })
    const chosen: unknown = Effect.isEffect(answer)
      ? yield* Effect.mapError(answer, failed)
      : yield* Effect.tryPromise({ try: () => Promise.resolve(answer), catch: failed })
    const bad = findNonJson(chosen)
    if (bad !== undefined) return yield* failed(`its choice${bad.path}: expected JSON, found ${bad.found}`)
    if (isChoice(chosen)) return chosen
    return yield* failed(`expected ${CHOICES}, found ${JSON.stringify(chosen)?.slice(0, 200) ?? "nothing"}`)
  })
