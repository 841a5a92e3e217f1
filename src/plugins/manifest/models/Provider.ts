/** The provider of language models in a manifest. Agents use its models by name, as `plugin/model`. */
import { Schema } from "effect"
import { optional } from "../../../events/vocabulary/EventType.ts"
import { Text } from "../fields.ts"

/** The names of the providers that ship with Hindcast. A plugin with a provider cannot take them. */
export const BUILT_IN = ["anthropic", "openai", "google", "ollama", "openai-compatible"] as const

/** The name of a provider that ships with Hindcast. */
export type BuiltIn = (typeof BUILT_IN)[number]

const UsdPerMillion = Schema.NonNegative.pipe(
  Schema.finite(),
  Schema.annotations({ description: "US dollars for a million tokens, 0 or more" }),
)

/** Prices of a model, for a million tokens. Without them, its cost is unknown. */
export const Price = Schema.Struct({
  input: UsdPerMillion,
  output: UsdPerMillion,
  /** Default: `input`. */
  cached: optional(UsdPerMillion),
}).annotations({ identifier: "ModelPrice" })

/** Prices of a model. */
export type Price = typeof Price.Type

/** The second half of `plugin/model`. Slashes are allowed, as in `acme/org/large`. */
const ModelId = Schema.String.pipe(
  Schema.pattern(/^[^\s\p{Cc}]+$/u),
  Schema.annotations({ description: "a name without spaces, non-empty" }),
)

/** A model of a provider. */
export const ProviderModel = Schema.Struct({
  name: ModelId,
  description: optional(Text.annotations({ description: "non-empty text: the description that people see" })),
  price: optional(Price),
}).annotations({ identifier: "ProviderModel" })

/** A model of a provider. */
export type ProviderModel = typeof ProviderModel.Type

/** Longest silence, in milliseconds: a day. */
const LONGEST_SILENCE_MS = 24 * 60 * 60 * 1_000

/**
 * A provider. The entry exports it as `provider`. `timeout` is its longest silence, in milliseconds: before the answer,
 * and between two pieces of it.
 */
export const Provider = Schema.Struct({
  description: Text.annotations({ description: "non-empty text: the description that people see" }),
  models: Schema.Array(ProviderModel).pipe(
    Schema.minItems(1),
    Schema.annotations({ description: "a list of models, at least one" }),
  ),
  timeout: optional(
    Schema.Number.pipe(
      Schema.positive(),
      Schema.lessThanOrEqualTo(LONGEST_SILENCE_MS),
      Schema.annotations({ description: "a number of milliseconds above 0, at most a day" }),
    ),
  ),
}).annotations({ identifier: "Provider" })

/** A provider in a manifest. */
export type Provider = typeof Provider.Type
