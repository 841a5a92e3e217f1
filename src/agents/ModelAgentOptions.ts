/** The options of an agent that thinks with a model, decoded and with their defaults. */

import { Effect, Either, Schema } from "effect"
import type { Agent } from "../kernel/agents/Agent.ts"
import * as Agents from "../kernel/agents/Agent.ts"
import * as DataSchema from "../kernel/program/DataSchema.ts"
import * as ComponentSchemas from "../plugins/schemas/ComponentSchemas.ts"
import { digest } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import { type Json, JsonObject } from "../values/Json.ts"
import * as Options from "../values/Options.ts"
import * as Budgets from "./Budget.ts"
import * as Fallbacks from "./Fallbacks.ts"
import { Guide, GuideName } from "./Guide.ts"
import * as Memory from "./Memory.ts"
import { DEFAULT_RETRIES } from "./models/Backoff.ts"
import type { CacheTime, Model, Reasoning, ServiceTier, ToolChoice } from "./models/Model.ts"
import * as Models from "./models/Models.ts"
import type { AgentDelta } from "./Turns.ts"
import * as OfferedTools from "./team/OfferedTools.ts"

/** Options of `fromModel`. */
export interface ModelAgentOptions {
  /** A model, or its name as `provider/model`, such as `anthropic/claude-sonnet-4-5`. */
  readonly model: string | Model
  /**
   * Models that take over, in this order, when the models before them fail: once the retries are used up, or at once
   * where the next retry would have to wait for more than a minute. Each is a model, its name, or `{ model, on }` with
   * the kinds of failures after which it takes over. The task stays with it. One that cannot fulfil `reasoning` or
   * `serviceTier` is refused. Default: none.
   */
  readonly fallbacks?: ReadonlyArray<string | Model | Fallbacks.Fallback>
  /**
   * A guide, or the name of a plugin's guide, `plugin/guide`, in the version that the task was opened with. Default:
   * only the goal, plugins and environments.
   */
  readonly guide?: Guide | string
  /** Selects the part of a long conversation that the model sees. Default: the guide's, else `full`. */
  readonly memory?: Memory.MemoryPolicy
  /**
   * Recalls memories (`program/recall`) before each turn with a new goal or input, by its words, and shows them to the
   * model. Needs the option `memories` of the kernel. Default: false; the model recalls by its own call.
   */
  readonly recall?: boolean | { readonly limit: number }
  /** The agent's limits for one task. Default: only the run's `maxSteps`. */
  readonly budget?: Budgets.Budget
  /**
   * The schema of a structured answer, an object. The agent then ends its task with one, which is validated; `answerIn`
   * reads it from the log.
   */
  readonly answer?: DataSchema.DataSchema
  /** Whether an answer without calls waits for the next input instead of ending the task. Default: false. */
  readonly conversation?: boolean
  /**
   * The actuators that the model may call, such as `program/lookup`, or all of a plugin, `program/*`. Default: all of the
   * task.
   */
  readonly tools?: ReadonlyArray<string>
  /**
   * Agents from models to which it may hand its task over, by the tool `hand_off`: such an agent continues the
   * conversation with its own model, guide and tools, within the budget with which the task began. A function where
   * agents name each other. Default: none.
   */
  readonly handoffs?: ReadonlyArray<Agent> | (() => ReadonlyArray<Agent>)
  /** What agents that may hand their task over to it read about it. Default: only its name. */
  readonly description?: string
  /** Called with each piece of an answer as it arrives. */
  readonly onDelta?: (delta: AgentDelta) => void
  /** Limit of one answer, in tokens. Default: the provider's. */
  readonly maxOutputTokens?: number
  /**
   * How long the provider caches the beginning of each request for the next one, where it wants to be told (Anthropic).
   * Default: `5m`.
   */
  readonly cache?: CacheTime | "off"
  /** Whether the model must, may or must not call tools, or the tool that it must call. Default: `auto`, it may. */
  readonly toolChoice?: ToolChoice
  /**
   * How much the model reasons: `off`, `minimal`, `low`, `medium`, `high`, `max`, or `{ budgetTokens }`. A request to a
   * provider that has no such option fails. Default: the provider's.
   */
  readonly reasoning?: Reasoning
  /** `standard`, `flex` (slow and cheap) or `priority`, where the provider has tiers. Default: the provider's. */
  readonly serviceTier?: ServiceTier
  /**
   * Options of the provider's AI SDK package, by provider, such as `{ openai: { reasoningSummary: "auto" } }`. They win
   * over `reasoning` and `serviceTier`, and are recorded with each request: put no secrets there.
   */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
  /**
   * Sends each request a second time if its answer is not whole after `afterMs` milliseconds. The first whole answer
   * counts, and the other request is cancelled; both are events, and cost money. `to` sends it to the next of the
   * `fallbacks` instead of to the same model. A replay makes no requests at all. Default: off.
   */
  readonly hedge?: HedgeOptions
  /** Maximum number of retries after a transient failure. Default: 4. */
  readonly retries?: number
  /** The agent's name in the log. Default: the model's, as `provider/model`. */
  readonly name?: string
  /** The agent's version in the log. Default: the first eight digits of its guide's digest. */
  readonly version?: string
}

/** When a request is hedged, and to which model. */
export interface HedgeOptions {
  readonly afterMs: number
  /** Default: `same`. */
  readonly to?: "same" | "fallback"
}

const ModelKind = Options.kind<Model>(
  "a model: an object with provider and model, which are names, and a function turn",
  (value) =>
    Options.has("provider", "model", "turn")(value) &&
    isText(Reflect.get(Object(value), "provider")) &&
    isText(Reflect.get(Object(value), "model")) &&
    typeof Reflect.get(Object(value), "turn") === "function",
)

const isText = Schema.is(Options.Text)

const GuideOrName = Schema.Union(Guide, GuideName).annotations({
  description: "an object with systemPrompt, temperature, memoryPolicy or initialMemories, or a name as plugin/guide",
})

const ModelOrName = Schema.Union(Options.Text, ModelKind)

const MOST_RETRIES = 100

const MOST_RECALLED = 50

const ModelAgentOptions = Options.of<ModelAgentOptions>({
  required: { model: ModelOrName },
  optional: {
    fallbacks: Fallbacks.schemaOf(ModelOrName),
    guide: GuideOrName,
    memory: Memory.MemoryPolicy,
    recall: Schema.Union(Schema.Boolean, Schema.Struct({ limit: Options.wholeNumber(1, MOST_RECALLED) })),
    budget: Budgets.Budget,
    answer: DataSchema.DataSchema,
    conversation: Schema.Boolean,
    tools: Schema.Array(OfferedTools.Name),
    handoffs: Schema.Union(Schema.Array(Agents.Agent), Options.callable<() => ReadonlyArray<Agent>>()).annotations({
      description: "a list of agents, or a function that returns one",
    }),
    description: Options.Text,
    onDelta: Options.callable<(delta: AgentDelta) => void>(),
    maxOutputTokens: Options.wholeNumber(1),
    cache: Schema.Literal("5m", "1h", "off"),
    toolChoice: Schema.Union(Schema.Literal("auto", "required", "none"), Schema.Struct({ tool: Options.Text })),
    reasoning: Schema.Union(
      Schema.Literal("off", "minimal", "low", "medium", "high", "max"),
      Schema.Struct({ budgetTokens: Options.wholeNumber(1) }),
    ),
    serviceTier: Schema.Literal("standard", "flex", "priority"),
    providerOptions: Schema.Record({ key: Schema.String, value: JsonObject }),
    hedge: Options.of<HedgeOptions>({
      required: { afterMs: Options.wholeNumber(1) },
      optional: { to: Schema.Literal("same", "fallback") },
    }),
    retries: Options.wholeNumber(0, MOST_RETRIES),
    name: Options.Name,
    version: Options.Name,
  },
})

export interface Settings
  extends Omit<ModelAgentOptions, "model" | "fallbacks" | "guide" | "memory" | "answer" | "name" | "version"> {
  readonly model: Model
  readonly candidates: ReadonlyArray<Fallbacks.Candidate>
  readonly agent: { readonly name: string; readonly version: string }
  /** The guide; empty before the start of a task if it was given by name. */
  readonly guide: Guide
  /** The name of a plugin's guide; undefined if the guide itself was given. */
  readonly guideName: string | undefined
  readonly memory: Memory.CompletePolicy
  /** The caller's policy, which overrides the guide's. */
  readonly givenMemory: Memory.MemoryPolicy | undefined
  readonly budget: Budgets.Budget
  readonly retries: number
  readonly conversation: boolean
  readonly answer: StructuredAnswer | undefined
}

interface StructuredAnswer {
  readonly jsonSchema: JsonObject
  /** Fails for a schema with mistakes that only the validator finds, which is loaded once a kernel runs. */
  readonly check: Effect.Effect<void, Options.InvalidOptions>
  readonly decode: (value: Json) => Effect.Effect<unknown, string>
}

const answerSchema = (schema: DataSchema.DataSchema): StructuredAnswer => {
  const refused = (problems: ReadonlyArray<Options.Problem>) =>
    new Options.InvalidOptions({ of: "fromModel", problems })
  const refuse = (found: string) =>
    refused([{ path: "answer", expected: "a schema of an object that JSON Schema can express", found }])
  const jsonSchema = Either.getOrThrowWith(DataSchema.jsonSchemaOf(schema, "received"), refuse)
  if (!Schema.is(JsonObject)(jsonSchema) || jsonSchema.type !== "object") throw refuse(JSON.stringify(jsonSchema))
  return {
    jsonSchema,
    check: Effect.suspend(() => {
      const problems = DataSchema.mistakes(schema, "received").map(({ keys, expected, found }) => {
        return { path: ["answer", ...keys].join("."), expected, found }
      })
      return problems.length === 0 ? Effect.void : refused(problems)
    }),
    decode: DataSchema.isJsonSchema(schema) ? validateBy(jsonSchema) : DataSchema.decodeBy(schema),
  }
}

const validateBy =
  (schema: JsonObject) =>
  (value: Json): Effect.Effect<unknown, string> =>
    Effect.suspend(() => {
      const wrong = ComponentSchemas.validationError("answer", schema, value)
      return wrong === undefined ? Effect.succeed(value) : Effect.fail(wrong)
    })

export const withGuide = (settings: Settings, guide: Guide): Settings => ({
  ...settings,
  guide,
  memory: memoryOf(settings.givenMemory, guide),
})

const memoryOf = (given: Memory.MemoryPolicy | undefined, guide: Guide): Memory.CompletePolicy =>
  Memory.complete(given ?? guide.memoryPolicy ?? "full")

const loaded = (model: string | Model): Model =>
  typeof model === "string" ? Either.getOrThrowWith(Models.lazy(model), (unknown) => unknown) : model

/** A model has a function; a fallback is an object with a model. */
const isFallback = (given: Model | Fallbacks.Fallback): given is Fallbacks.Fallback => !("turn" in given)

/** A fallback that fails each request would be found out only when it is needed. */
const refuseUnfulfilled = (
  candidates: ReadonlyArray<Fallbacks.Candidate>,
  { reasoning, serviceTier }: Pick<ModelAgentOptions, "reasoning" | "serviceTier">,
): void => {
  const wishes = defined({ reasoning, serviceTier })
  const problems = candidates.flatMap(({ model }, index) => {
    const found = model.unfulfilled?.(wishes)
    if (found === undefined) return []
    return [{ path: `fallbacks.${index}`, expected: "a model that takes reasoning and serviceTier", found }]
  })
  if (problems.length > 0) throw new Options.InvalidOptions({ of: "fromModel", problems })
}

/** The settings of each agent from a model, for hand-offs. */
const known = new WeakMap<object, Settings>()

/** Remembers the settings behind an agent. */
export const remember = <Of extends Agent>(agent: Of, settings: Settings): Of => {
  known.set(agent, settings)
  return agent
}

/** The settings behind an agent; undefined if it is not from a model. */
export const behind = (agent: Agent): Settings | undefined => known.get(agent)

export const settingsOf = (options: ModelAgentOptions): Settings => {
  const decoded = Either.getOrThrowWith(Options.decode("fromModel", ModelAgentOptions, options), (invalid) => invalid)
  const guideName = typeof decoded.guide === "string" ? decoded.guide : undefined
  const guide = typeof decoded.guide === "object" ? decoded.guide : {}
  const model = loaded(decoded.model)
  const memory = memoryOf(decoded.memory, guide)
  // A guide given by name is unknown here, so its name stands for it.
  const versioned =
    guideName === undefined
      ? { ...(guide as JsonObject), memory: { ...memory } }
      : { guide: guideName, memory: { ...memory } }
  const { fallbacks = [], ...others } = decoded
  const candidates = fallbacks.map((given) =>
    typeof given === "object" && isFallback(given)
      ? Fallbacks.candidate(loaded(given.model), given.on)
      : Fallbacks.candidate(loaded(given), undefined),
  )
  refuseUnfulfilled(candidates, decoded)
  if (decoded.hedge?.to === "fallback" && candidates.length === 0) {
    const problem = { path: "hedge.to", expected: "fallbacks to send the second request to", found: "none" }
    throw new Options.InvalidOptions({ of: "fromModel", problems: [problem] })
  }
  return {
    ...others,
    model,
    candidates,
    guide,
    guideName,
    memory,
    budget: decoded.budget ?? {},
    retries: decoded.retries ?? DEFAULT_RETRIES,
    givenMemory: decoded.memory,
    conversation: decoded.conversation ?? false,
    agent: {
      name: decoded.name ?? `${model.provider}/${model.model}`,
      version: decoded.version ?? digest(versioned).slice(0, 8),
    },
    answer: decoded.answer === undefined ? undefined : answerSchema(decoded.answer),
  }
}
