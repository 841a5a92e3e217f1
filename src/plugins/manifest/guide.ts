/** Guides in a manifest: instructions for a model-driven agent before it begins. */
import { Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { ComponentId, Text } from "./fields.ts"

/** A model's sampling temperature. */
export const Temperature = Schema.Finite.pipe(
  Schema.between(0, 2),
  Schema.annotations({ description: "a number from 0 to 2" }),
)

const Count = Schema.Int.pipe(
  Schema.greaterThanOrEqualTo(1),
  Schema.annotations({ description: "a whole number, 1 or more" }),
)

const Full = Schema.Struct({ name: Schema.Literal("full") })

const SlidingWindow = Schema.Struct({ name: Schema.Literal("sliding-window"), turns: optional(Count) })

const Summary = Schema.Struct({
  name: Schema.Literal("summary"),
  maxTokens: optional(Count),
  keepTurns: optional(Count),
})

const NAMES = ["full", "sliding-window", "summary"] as const

/** A memory policy's name, or the policy with its settings. */
export const MemoryPolicy = Schema.Union(Schema.Literal(...NAMES), Full, SlidingWindow, Summary).annotations({
  identifier: "MemoryPolicy",
  description: `${NAMES.map((name) => `"${name}"`).join(", ")}, or an object with such a name and its settings`,
})

/**
 * - `full`: the whole conversation. The request fails once that is too long for the model.
 * - `sliding-window`: the opening and the last `turns` turns (default: 20).
 * - `summary`: once a turn has used more than `maxTokens` tokens (default: 100 000), a summary replaces all turns but
 *   the last `keepTurns` (default: 4).
 */
export type MemoryPolicy = typeof MemoryPolicy.Type

/**
 * A guide, called `plugin/name`. Its system prompt is text or a file; loading replaces the file's path by its text, so
 * that the log holds it.
 */
export const Guide = Schema.Struct({
  name: ComponentId,
  description: Text.annotations({ description: "non-empty text: the description that people see" }),
  systemPrompt: optional(Text.annotations({ description: "non-empty text: the system prompt" })),
  file: optional(Text.annotations({ description: "the path of a file in the plugin's directory: its system prompt" })),
  temperature: optional(Temperature),
  memoryPolicy: optional(MemoryPolicy),
  initialMemories: optional(
    Schema.Array(Text).annotations({ description: "a list of memories that the agent begins with" }),
  ),
}).annotations({ identifier: "Guide" })

export type Guide = typeof Guide.Type
