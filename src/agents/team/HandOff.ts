/** Hand-offs: another agent from a model continues the task, with the conversation so far. */

import { Effect, Either, Schema } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import type { AgentTask } from "../../kernel/agents/Agent.ts"
import type { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { describe } from "../../values/schema/Mistakes.ts"
import { HAND_OFF } from "../AgentTools.ts"
import * as Fallbacks from "../Fallbacks.ts"
import { behind, type Settings } from "../ModelAgentOptions.ts"
import { fullName, guidedBy, type ModelRun, tell } from "../ModelRun.ts"
import type { CallPart } from "../models/Message.ts"
import type { ToolDescription } from "../models/Model.ts"

/** Maximum number of hand-offs in one task. */
const MOST = 20

/** The agents that an agent may hand its task over to, by name. Throws `InvalidOptions`. */
export const among = ({ handoffs = [] }: Settings): ReadonlyMap<string, Settings> => {
  const given: ReadonlyArray<unknown> = typeof handoffs === "function" ? handoffs() : handoffs
  const found = new Map<string, Settings>()
  const problems: Array<Options.Problem> = []
  for (const [index, agent] of (Array.isArray(given) ? given : [given]).entries()) {
    const path = `handoffs.${index}`
    const settings = typeof agent === "object" && agent !== null ? behind(agent) : undefined
    if (settings === undefined) {
      problems.push({ path, expected: "an agent that thinks with a model (`fromModel`)", found: wordsOf(agent) })
    } else if (found.has(settings.agent.name)) {
      problems.push({ path, expected: "agents with different names", found: `another ${settings.agent.name}` })
    } else found.set(settings.agent.name, settings)
  }
  if (problems.length > 0) throw new Options.InvalidOptions({ of: "fromModel", problems })
  return found
}

const wordsOf = (agent: unknown): string =>
  typeof agent === "object" && agent !== null && "name" in agent
    ? `${String(agent.name)}, which is none`
    : (JSON.stringify(agent) ?? typeof agent)

/** The tool `hand_off`; undefined for an agent that hands nothing over. Fails if the agents are invalid. */
export const tool = (settings: Settings): Effect.Effect<ToolDescription | undefined, Options.InvalidOptions> =>
  Effect.map(agentsOf(settings), (agents) => {
    if (agents.size === 0) return undefined
    const words = [...agents.values()].map(({ agent: { name }, description }) => {
      return description === undefined ? name : `${name} (${description})`
    })
    return {
      name: HAND_OFF,
      description: `Hands the task over to another agent, which continues the conversation. Call it alone. The agents are: ${words.join("; ")}.`,
      args: {
        type: "object",
        properties: { to: { type: "string", enum: [...agents.keys()] }, reason: { type: "string" } },
        required: ["to"],
        additionalProperties: false,
      },
    }
  })

const agentsOf = (settings: Settings): Effect.Effect<ReadonlyMap<string, Settings>, Options.InvalidOptions> =>
  settings.handoffs === undefined
    ? Effect.succeed(new Map())
    : Effect.try({
        try: () => among(settings),
        catch: (thrown) =>
          thrown instanceof Options.InvalidOptions
            ? thrown
            : new Options.InvalidOptions({
                of: "fromModel",
                problems: [{ path: "handoffs", expected: "a function that returns agents", found: String(thrown) }],
              }),
      })

/** A hand-off that is due. */
export interface Decided {
  readonly call: CallPart
  readonly settings: Settings
  readonly models: Fallbacks.ModelsInTurn
  readonly reason: string | undefined
}

const Args = Schema.Struct({ to: Schema.String, reason: optional(Schema.String) })

/**
 * The hand-off that an answer asks for, or why it is refused; undefined for an answer without one. A hand-off in a circle
 * is refused: the other agent handed the task over itself, and since then no command ended and nobody said anything.
 */
export const decided = (
  settings: Settings,
  task: AgentTask,
  run: ModelRun,
  calls: ReadonlyArray<CallPart>,
): Effect.Effect<Either.Either<Decided, string> | undefined, Options.InvalidOptions | LogError> =>
  Effect.gen(function* () {
    const call = calls.find(({ tool }) => tool === HAND_OFF)
    const agents = yield* agentsOf(settings)
    if (call === undefined || agents.size === 0) return undefined
    if (calls.length > 1) return Either.left("expected a hand-off alone, found other calls beside it; do them first")
    const args = yield* Effect.either(Schema.decodeUnknown(Args)(call.args))
    if (Either.isLeft(args)) return Either.left(describe(args.left))
    const { to, reason } = args.right
    const next = agents.get(to)
    if (next === undefined)
      return Either.left(`there is no agent ${to}; the agents are: ${[...agents.keys()].join(", ")}`)
    if (next.agent.name === settings.agent.name) return Either.left(`${to} has the task already`)
    if (run.passedBy.has(next.agent.name)) {
      return Either.left(
        `a hand-off in a circle: ${to} handed the task over itself, and nothing was done since. Continue yourself`,
      )
    }
    if (run.handOffs >= MOST) return Either.left(`the task was handed over ${MOST} times, the most. Continue yourself`)
    const guided = yield* Effect.either(guidedBy(next, yield* task.capabilities()))
    if (Either.isLeft(guided)) return Either.left(`${to} cannot continue: ${guided.left.message}`)
    const models = yield* Fallbacks.inTask(task, next).pipe(
      Effect.map((found) => Either.right(found)),
      Effect.catchTag("UnknownProvider", (unknown) => Effect.succeed(Either.left(unknown))),
    )
    if (Either.isLeft(models)) return Either.left(`${to} cannot continue: ${models.left.message}`)
    return Either.right({ call, settings: guided.right, models: models.right, reason })
  })

/** Records a hand-off, and lets the other agent continue within the budget with which the task began. */
export const to = (
  { call: { callId, tool }, settings: next, models, reason }: Decided,
  settings: Settings,
  task: AgentTask,
  run: ModelRun,
): Effect.Effect<void, TaskClosed | AppendError> =>
  Effect.gen(function* () {
    yield* task.record(fullName(settings), {
      type: "TaskHandedOff",
      payload: { from: fullName(settings), to: fullName(next), ...defined({ reason }) },
    })
    run.settings = { ...next, budget: settings.budget }
    run.models = models
    run.handOffs += 1
    run.passedBy = new Set([...run.passedBy, settings.agent.name])
    tell(run, { role: "tool", content: [{ callId, tool, isError: false, content: { handedOverTo: next.agent.name } }] })
  })
