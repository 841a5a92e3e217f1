/** The fields that turn a manifest's environment into a world. */

import { Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { JsonObject } from "../../values/Json.ts"
import { SpaceSchema } from "../spaces/SpaceSchema.ts"
import { Text } from "./fields.ts"

const MAX_AGENTS = 10_000

const MAX_NAMED_ACTIONS = 100

const ActionNameText = Schema.String.pipe(
  Schema.pattern(/^[a-z][a-z0-9 _-]{0,39}$/),
  Schema.annotations({
    description: "a name of at most 40 lower-case letters, digits, spaces, - and _ that starts with a letter",
  }),
)

const ActionKey = Schema.String.pipe(
  Schema.pattern(/^(?:[a-pr-z]|left|right|up|down|space)$/),
  Schema.annotations({ description: 'a lower-case letter other than q, "left", "right", "up", "down" or "space"' }),
)

/** An action's name, with the key that takes it if the author chooses one. */
export const NamedAction = Schema.Union(
  ActionNameText,
  Schema.Struct({ name: ActionNameText, key: ActionKey }),
).annotations({ description: "the name of an action in lower-case letters, digits, spaces, - and _, or { name, key }" })

export type NamedAction = typeof NamedAction.Type

/** An environment with `spaces` is a world; the other fields describe it. */
export const worldFields = {
  spaces: optional(
    Schema.Struct({ observation: SpaceSchema, action: SpaceSchema }).annotations({
      description: "the spaces of its observations and its actions",
    }),
  ),
  actions: optional(
    Schema.Array(NamedAction)
      .pipe(Schema.maxItems(MAX_NAMED_ACTIONS))
      .annotations({
        description: `a list of at most ${MAX_NAMED_ACTIONS} names for the actions of its Discrete action space, in order`,
      }),
  ),
  max_agents: optional(
    Schema.Int.pipe(
      Schema.between(1, MAX_AGENTS),
      Schema.annotations({ description: `a whole number from 1 to ${MAX_AGENTS}: the maximum number of agents` }),
    ),
  ),
  time_model: optional(
    Schema.Literal("discrete_steps", "simulated_time", "real_time_ms").annotations({
      description: '"discrete_steps" (the default), "simulated_time" or "real_time_ms"',
    }),
  ),
  max_episode_steps: optional(
    Schema.NullOr(Schema.Positive.pipe(Schema.int())).annotations({
      description: "a whole number above 0, the step that truncates an episode; or null for endless episodes",
    }),
  ),
  conflicts: optional(Text.annotations({ description: "non-empty text: how it resolves actions that conflict" })),
  rewards: optional(Schema.Array(Text).annotations({ description: "the names of its rewards, if it names them" })),
  mask: optional(
    Schema.Union(Schema.Boolean, Schema.Literal("advice")).annotations({
      description:
        'whether a mask marks the legal actions: true if the world refuses others, "advice" if it accepts them, or false',
    }),
  ),
  options: optional(JsonObject.annotations({ description: "a JSON Schema that the options of a reset must match" })),
  configuration: optional(
    Text.annotations({
      description: "the path of a YAML or JSON file in the plugin's directory with the default configuration",
    }),
  ),
}
