/**
 * The options that name agents: `--agent` for a JavaScript module, or `--model`, with `--guide`, for an agent with a
 * language model. `NAME=` in front names one of several agents in a task.
 */

import * as fs from "node:fs"
import { Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import * as Agent from "../../agents/Agent.ts"
import type * as Budget from "../../agents/Budget.ts"
import * as Models from "../../agents/models/index.ts"
import { ofPlugin } from "../../agents/models/Models.ts"
import * as PlayedModel from "../../agents/models/PlayedModel.ts"
import type * as KernelAgent from "../../kernel/agents/Agent.ts"
import { AgentName } from "../../kernel/tasks/OpenOptions.ts"
import { defined } from "../../values/defined.ts"
import { groupOf } from "../../worlds/scenario/Cast.ts"
import { conducted } from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import {
  given,
  milliseconds,
  number,
  optionalText,
  positive,
  repeatedText,
  wholeNumber,
} from "../command/CommonOptions.ts"
import * as AgentModule from "./AgentModule.ts"
import * as CassetteOption from "./CassetteOption.ts"

export const modelOptions = {
  model: optionalText("model", "A language model, as provider/model, such as anthropic/claude-sonnet-4-5"),
  guide: optionalText(
    "guide",
    "With --model: the agent's guide, a YAML or JSON file with systemPrompt, memoryPolicy …, or a plugin's guide as plugin/guide",
  ),
  cassette: CassetteOption.cassette,
  maxTokens: wholeNumber("max-tokens", 0).pipe(
    Options.withDescription("With --model: the agent's maximum number of tokens"),
    Options.optional,
  ),
  maxUsd: number("max-usd").pipe(
    Options.withDescription("With --model: the agent's maximum cost in US dollars"),
    Options.optional,
  ),
  hedgeMs: positive("hedge").pipe(
    Options.withDescription(
      "With --model: seconds after which a request without an answer is sent a second time; the first answer counts, and both cost. Default: never",
    ),
    milliseconds,
    Options.optional,
  ),
}

/** @param several what several agents without names mean, if the command takes them */
export const options = (which: string, several = "") => ({
  ...modelOptions,
  agent: repeatedText(
    "agent",
    `A JavaScript module whose default export is ${which}: ${Agent.FORMS}. Each of several agents in one task is NAME=FILE${several === "" ? "" : `. ${several}`}`,
  ),
  model: repeatedText(
    "model",
    `Instead of --agent: a language model, as provider/model, such as anthropic/claude-sonnet-4-5, or NAME=provider/model${several === "" ? "" : `. ${several}`}`,
  ),
})

export interface TypedModel {
  readonly guide: Option.Option<string>
  readonly cassette: Option.Option<string>
  readonly maxTokens: Option.Option<number>
  readonly maxUsd: Option.Option<number>
  readonly hedgeMs: Option.Option<number>
}

export interface TypedAgents extends TypedModel {
  readonly agent: ReadonlyArray<string>
  readonly model: ReadonlyArray<string>
}

/** `live` also loads the model's package and key, so that missing ones fail before anything is recorded. */
type Use = "live" | "replay"

type More = Pick<Agent.ModelAgentOptions, "conversation">

/**
 * The typed agent, or the group of named agents. A scenario of the task conducts it.
 *
 * @param more further options of agents with a model
 */
export const load = (typed: TypedAgents, use: Use, more: More = {}) =>
  Effect.gen(function* () {
    const { named, other } = yield* loadAll(typed, use, more)
    if (Object.keys(named).length === 0) {
      return other === undefined ? yield* notOne("neither") : conducted(other)
    }
    return other === undefined ? conducted(groupOf(named)) : yield* unnamed
  })

/** Several models or agents without names, one by one; otherwise all as typed, which are one agent or one group. */
export const each = <Typed extends TypedAgents>(typed: Typed): ReadonlyArray<Typed> => {
  const parts = [
    ...typed.agent.map((text) => partOf(text, fs.existsSync(text))),
    ...typed.model.map((text) => partOf(text, false)),
  ]
  if (parts.length < 2 || parts.some(({ name }) => name !== undefined)) return [typed]
  const limits = { maxTokens: Option.none(), maxUsd: Option.none(), hedgeMs: Option.none() }
  const none = { guide: Option.none(), cassette: Option.none(), ...limits }
  // The options of models are not for modules, unless there are only these: then they are refused.
  const ofModels = typed.model.length === 0 ? {} : none
  return [
    ...typed.agent.map((text) => ({ ...typed, ...ofModels, agent: [text], model: [] })),
    ...typed.model.map((text) => ({ ...typed, agent: [], model: [text] })),
  ]
}

export const unnamed = new BadInput({
  input: "--agent, --model",
  expected: "a name for each of several agents, as NAME=FILE or NAME=provider/model",
  found: "one without",
})

export const notOne = (found: string) => new BadInput({ input: "--agent, --model", expected: "one of them", found })

export interface LoadedAgents {
  readonly named: { readonly [name: string]: KernelAgent.Agent }
  readonly other: KernelAgent.Agent | undefined
}

export const loadAll = (typed: TypedAgents, use: Use, more: More = {}) =>
  Effect.gen(function* () {
    const programs = typed.agent.map((text) => partOf(text, fs.existsSync(text)))
    const models = typed.model.map((text) => partOf(text, false))
    yield* check(typed, programs, models)
    const named: { [name: string]: KernelAgent.Agent } = {}
    let other: KernelAgent.Agent | undefined
    const cast = (name: string | undefined, agent: KernelAgent.Agent) => {
      if (name === undefined) other = agent
      else named[name] = agent
    }
    for (const { name, text } of programs) cast(name, yield* AgentModule.load(text))
    for (const { name, text } of models) cast(name, yield* loadModel(text, typed, use, more))
    return { named, other } satisfies LoadedAgents
  })

export const loadModel = (model: string, typed: TypedModel, use: Use, more: More = {}) =>
  Effect.flatMap(modelOf(model, typed.cassette, use), (loaded) => fromModel(typed, loaded, more))

interface Part {
  readonly name: string | undefined
  readonly text: string
}

/** Splits `NAME=TEXT` if the part before the first "=" is a valid name. A file name may contain "=" too. */
const partOf = (text: string, isFile: boolean): Part => {
  const equals = text.indexOf("=")
  const name = text.slice(0, Math.max(0, equals))
  return isFile || !Schema.is(AgentName)(name) ? { name: undefined, text } : { name, text: text.slice(equals + 1) }
}

const check = (typed: TypedModel, programs: ReadonlyArray<Part>, models: ReadonlyArray<Part>) =>
  Effect.gen(function* () {
    const { guide, cassette, maxTokens, maxUsd, hedgeMs: hedge } = typed
    const parts = [...programs, ...models]
    if (parts.filter(({ name }) => name === undefined).length > 1) {
      return yield* parts.length > 2 || models.length !== 1 ? unnamed : notOne("both")
    }
    const twice = parts.find(({ name }, index) => parts.findIndex((part) => part.name === name) < index)
    if (twice !== undefined) {
      return yield* new BadInput({ input: `--agent ${twice.name}`, expected: "one agent of each name", found: "two" })
    }
    const [only] = Object.entries(given({ guide, cassette, "max-tokens": maxTokens, "max-usd": maxUsd, hedge }))
    if (only !== undefined && models.length === 0 && programs.length > 0) {
      return yield* new BadInput({ input: `--${only[0]}`, expected: "an agent with --model", found: "--agent" })
    }
  })

export const modelOf = (model: string, cassette: Option.Option<string>, use: "live" | "replay") =>
  Effect.gen(function* () {
    if (Option.isSome(cassette)) return yield* PlayedModel.played(cassette.value, model)
    // A plugin's model is found in its task.
    const plugin = ofPlugin(model)
    if (plugin !== undefined) return plugin
    return use === "live" ? yield* Models.load(model) : yield* Models.lazy(model)
  })

export const fromModel = (
  {
    guide,
    maxTokens,
    maxUsd,
    hedgeMs = Option.none(),
  }: Pick<TypedModel, "guide" | "maxTokens" | "maxUsd"> & Partial<Pick<TypedModel, "hedgeMs">>,
  model: Models.Model,
  more: Pick<Agent.ModelAgentOptions, "conversation" | "onDelta"> = {},
) =>
  Effect.gen(function* () {
    const budget: Budget.Budget = given({ tokens: maxTokens, usd: maxUsd })
    const told = Option.isNone(guide) ? undefined : yield* guideOf(guide.value)
    const hedge = Option.getOrUndefined(Option.map(hedgeMs, (afterMs) => ({ afterMs })))
    return Agent.fromModel({ model, budget, ...more, ...defined({ guide: told, hedge }) })
  })

/** A file if it exists or looks like a file name; else the name of a plugin's guide. */
const guideOf = (typed: string) => {
  const isFile = fs.existsSync(typed) || FILE_NAME.test(typed) || !Schema.is(Agent.Guide.GuideName)(typed)
  return isFile ? Agent.Guide.load(typed) : Effect.succeed(typed)
}

const FILE_NAME = /\.(ya?ml|json)$/i
