/**
 * The options that name an agent: `--agent` for the default export of a JavaScript module, or `--model`, with
 * `--guide`, for an agent that thinks with a language model.
 */

import * as fs from "node:fs"
import { Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import * as Agent from "../../agents/Agent.ts"
import type * as Budget from "../../agents/Budget.ts"
import * as Models from "../../agents/models/index.ts"
import { conducted } from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import { given, number, optionalText, wholeNumber } from "../command/CommonOptions.ts"
import * as AgentModule from "./AgentModule.ts"
import * as CassetteOption from "./CassetteOption.ts"

/** The options of a command that takes an agent. */
export const options = (which: string) => ({
  agent: optionalText("agent", `A JavaScript module whose default export is ${which}: ${Agent.FORMS}`),
  model: optionalText(
    "model",
    "Instead of --agent: a language model, as provider/model, such as anthropic/claude-sonnet-4-5",
  ),
  guide: optionalText(
    "guide",
    "What an agent with --model is told: a YAML or JSON file with systemPrompt, memoryPolicy …, or a plugin's guide as plugin/guide",
  ),
  cassette: CassetteOption.cassette,
  maxTokens: wholeNumber("max-tokens", 0).pipe(
    Options.withDescription("Of an agent with --model: the tokens that it may use up"),
    Options.optional,
  ),
  maxUsd: number("max-usd").pipe(
    Options.withDescription("Of an agent with --model: what it may cost, in US dollars"),
    Options.optional,
  ),
})

/** What was typed for these options. */
export interface TypedAgent {
  readonly agent: Option.Option<string>
  readonly model: Option.Option<string>
  readonly guide: Option.Option<string>
  readonly cassette: Option.Option<string>
  readonly maxTokens: Option.Option<number>
  readonly maxUsd: Option.Option<number>
}

/**
 * The agent that was typed, conducted by the scenario of its task if that has one.
 *
 * @param use `live` also loads the model, so that a missing package or key is found before anything is recorded
 * @param more what else an agent with a model is made with
 */
export const load = (
  typed: TypedAgent,
  use: "live" | "replay",
  more: Pick<Agent.ModelAgentOptions, "conversation"> = {},
) =>
  Effect.gen(function* () {
    const { agent, model, guide, cassette, maxTokens, maxUsd } = typed
    if (Option.isSome(agent) === Option.isSome(model)) {
      const found = Option.isSome(agent) ? "both" : "neither"
      return yield* new BadInput({ input: "--agent, --model", expected: "one of them", found })
    }
    if (Option.isNone(model)) {
      const [only] = Object.entries(given({ guide, cassette, "max-tokens": maxTokens, "max-usd": maxUsd }))
      if (only !== undefined) {
        return yield* new BadInput({ input: `--${only[0]}`, expected: "an agent with --model", found: "--agent" })
      }
      return conducted(yield* AgentModule.load(Option.getOrThrow(agent)))
    }
    return conducted(yield* fromModel(typed, yield* modelOf(model.value, cassette, use), more))
  })

/** The model of a name: as a cassette has it, or the provider's. */
export const modelOf = (model: string, cassette: Option.Option<string>, use: "live" | "replay") =>
  Effect.gen(function* () {
    if (Option.isSome(cassette)) return yield* CassetteOption.play(cassette.value, model)
    return use === "live" ? yield* Models.load(model) : yield* Models.lazy(model)
  })

/**
 * An agent that thinks with a model, with the guide and the budget that were typed.
 *
 * @param more what else it is made with
 */
export const fromModel = (
  { guide, maxTokens, maxUsd }: Pick<TypedAgent, "guide" | "maxTokens" | "maxUsd">,
  model: Models.Model,
  more: Pick<Agent.ModelAgentOptions, "conversation" | "onDelta"> = {},
) =>
  Effect.gen(function* () {
    const budget: Budget.Budget = given({ tokens: maxTokens, usd: maxUsd })
    const told = Option.isNone(guide) ? undefined : yield* guideOf(guide.value)
    return Agent.fromModel({ ...{ model, budget, ...more }, ...(told === undefined ? {} : { guide: told }) })
  })

/** A file, where there is one or the name is that of a file; else the name of a plugin's guide. */
const guideOf = (typed: string) => {
  const isFile = fs.existsSync(typed) || FILE_NAME.test(typed) || !Schema.is(Agent.Guide.GuideName)(typed)
  return isFile ? Agent.Guide.load(typed) : Effect.succeed(typed)
}

const FILE_NAME = /\.(ya?ml|json)$/i
