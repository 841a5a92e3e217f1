import { Schema } from "effect"
import { Sha256 } from "../../events/vocabulary/EventType.ts"
import { JsonObject } from "../../values/Json.ts"
import { LONGEST } from "./characterChecks.ts"
import { grouped } from "./digits.ts"

/** Where a plugin's manifest stands, in the plugin's directory. */
export const FILE = "looper-plugin.json"

const Text = Schema.NonEmptyString.annotations({ description: "non-empty text" })
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const DurationMs = Schema.Positive.pipe(Schema.annotations({ description: "a number of milliseconds above 0" }))

/** The longest that a call may take: a day, in milliseconds. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000

const TimeoutMs = Schema.Number.pipe(
  Schema.positive(),
  Schema.lessThanOrEqualTo(TIMEOUT_MS),
  Schema.annotations({
    description: `a number of milliseconds above 0, at most ${grouped(TIMEOUT_MS)} (a day)`,
  }),
)

/** How to reward good behaviour, or punish bad: shared by manifests and rubrics. */
export const Reward = Schema.Struct({
  name: Text,
  when: Text.annotations({ description: "non-empty text: the condition, in words" }),
  weight: Schema.Finite.pipe(Schema.between(0, 1), Schema.annotations({ description: "a number from 0 to 1" })),
  rule: optional(Text.annotations({ description: "non-empty text: the condition as a CEL expression" })),
  per: optional(
    Schema.Literal("task", "occurrence").annotations({ description: '"task" (the default) or "occurrence"' }),
  ),
}).annotations({ identifier: "Reward" })

export type Reward = typeof Reward.Type

/** A performance measure. It has at least one reward or punishment, unless it was decoded leniently. */
export const Measure = Schema.Struct({
  name: Text.annotations({ description: "non-empty text: the name that is shown" }),
  description: Text,
  rewards: optional(Schema.Array(Reward)),
  punishments: optional(Schema.Array(Reward)),
  /** A function of the plugin's entry decides what has no rule. */
  critic: optional(
    Schema.Literal("plugin").annotations({ description: '"plugin": a function of the entry judges what has no rule' }),
  ),
  metadata: optional(JsonObject),
}).annotations({ identifier: "Measure" })

export type Measure = typeof Measure.Type

/** A sensor's or actuator's name: the second half of `plugin/component`. */
const ComponentId = Schema.String.pipe(
  Schema.pattern(/^[^\s/\p{Cc}]+$/u),
  Schema.annotations({ description: 'a name without spaces and "/", non-empty' }),
)

const componentFields = {
  name: ComponentId,
  description: Text.annotations({ description: "non-empty text: what agents are told of it" }),
  priority: optional(Schema.Finite.annotations({ description: "a number; higher goes first" })),
  metadata: optional(JsonObject),
  timeout: optional(TimeoutMs),
}

export const Sensor = Schema.Struct({
  ...componentFields,
  reading: optional(JsonObject.annotations({ description: "a JSON Schema: what is read has to fit it" })),
  interval: optional(DurationMs),
}).annotations({ identifier: "Sensor" })

export type Sensor = typeof Sensor.Type

/** How much harm a command can do, as its author says; see `plugins/Risk` for what it counts as. */
export const Risk = Schema.Literal("none", "low", "medium", "high", "irreversible").annotations({
  identifier: "Risk",
  description: '"none", "low", "medium", "high" or "irreversible"',
})

export type Risk = typeof Risk.Type

export const Actuator = Schema.Struct({
  ...componentFields,
  args: optional(JsonObject.annotations({ description: "a JSON Schema: a command's arguments have to fit it" })),
  result: optional(JsonObject.annotations({ description: "a JSON Schema: what it answers has to fit it" })),
  risk: optional(Risk),
  idempotent: optional(Schema.Boolean.annotations({ description: "whether doing it twice is as good as once" })),
}).annotations({ identifier: "Actuator" })

export type Actuator = typeof Actuator.Type

export const Environment = Schema.Struct({
  name: Text,
  description: Text,
  rules: optional(Schema.Array(Text)),
  conventions: optional(Schema.Array(Text)),
  /** A YAML or JSON file in the plugin's directory: the options that the environment is reset with by default. */
  scenario: optional(Text.annotations({ description: "the path of a YAML or JSON file in the plugin's directory" })),
  /**
   * How the world can be brought to an earlier state, for a fork. `snapshot`: the entry's `environment.restore` puts it in a
   * state that it had; `re-execution`: the same commands after the same reset, with the same seed, lead to the same state,
   * and touch nothing else. Default: it cannot.
   */
  rewind: optional(
    Schema.Array(Schema.Literal("snapshot", "re-execution")).annotations({
      description: 'a list of "snapshot" and "re-execution": how the world can be brought to an earlier state',
    }),
  ),
  metadata: optional(JsonObject),
}).annotations({ identifier: "Environment" })

export type Environment = typeof Environment.Type

export const Permissions = Schema.Struct({
  read: Schema.Array(Text).annotations({ description: 'a list of directories; "." is the workspace' }),
  run: Schema.Array(Text).annotations({ description: 'a list of commands; "." is any command' }),
  write: optional(Schema.Array(Text).annotations({ description: "a list of directories" })),
  net: optional(Schema.Array(Text).annotations({ description: "a list of hosts" })),
  env: optional(Schema.Array(Text).annotations({ description: "a list of environment variables" })),
}).annotations({ identifier: "Permissions" })

/** Bytes that the plugin's files determine and that take long to compute: the host keeps them. */
export const Precomputed = Schema.Struct({
  module: Text.annotations({
    description: "the path of a TypeScript module in the plugin's directory, which answers with the bytes",
  }),
  sha256: Sha256.annotations({ description: "the SHA-256 of the bytes, 64 hexadecimal digits" }),
}).annotations({ identifier: "Precomputed" })

export type Precomputed = typeof Precomputed.Type

const PluginName = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9._-]*$/),
  Schema.annotations({ description: "a name of a-z, 0-9, '.', '_' and '-' that starts with a letter or digit" }),
)

/** Whether text can be a plugin's name. */
export const isPluginName = (text: string): boolean => Schema.is(PluginName)(text) && text.length <= LONGEST.name

/**
 * A plugin's manifest, `looper-plugin.json`. Its encoded form is its decoded form.
 * `decode` also checks what a schema of one field cannot say: that names are unique and measures are not empty.
 */
export const Manifest = Schema.Struct({
  name: PluginName,
  description: Text.annotations({ description: "non-empty text: what agents are told of the plugin" }),
  version: Text.annotations({ description: "non-empty text: the plugin's version" }),
  entry: Text.annotations({ description: "the path of the TypeScript entry in the plugin's directory" }),
  permissions: Permissions,
  peas: Schema.Struct({
    performance: Schema.Array(Measure),
    environment: optional(Environment),
    actuators: optional(Schema.Array(Actuator)),
    sensors: optional(Schema.Array(Sensor)),
  }),
  precomputed: optional(Precomputed),
  variables: optional(Schema.Array(JsonObject).annotations({ description: "a list of objects of key-value pairs" })),
  metadata: optional(JsonObject),
  instance: optional(Schema.Literal("task", "kernel").annotations({ description: '"task" or "kernel"' })),
  concurrent: optional(Schema.Boolean.annotations({ description: "whether commands may run at the same time" })),
  /** Where editors find the JSON Schema of this file; nothing else looks at it. */
  $schema: optional(Text.annotations({ description: "the place of a JSON Schema, for editors" })),
}).annotations({ identifier: "Manifest", title: FILE })

export type Manifest = typeof Manifest.Type

/** The sensors that a manifest declares. */
export const sensorsOf = (manifest: Manifest): ReadonlyArray<Sensor> => manifest.peas.sensors ?? []

/** The actuators that a manifest declares. */
export const actuatorsOf = (manifest: Manifest): ReadonlyArray<Actuator> => manifest.peas.actuators ?? []

/** The measures that a function of the entry judges. */
export const judgedOf = ({ peas }: Manifest): ReadonlyArray<Measure> =>
  peas.performance.filter(({ critic }) => critic === "plugin")

/** What a plugin has one process for: each task, where it declares an environment, else the kernel; or as it says. */
export const instanceOf = (manifest: Manifest): "task" | "kernel" =>
  manifest.instance ?? (manifest.peas.environment === undefined ? "kernel" : "task")

/**
 * The manifest's variables as one object. An item is either `{ "key": …, "value": … }` or any object of pairs; where
 * two say the same key, the later one counts.
 */
export const variablesOf = (manifest: Manifest): JsonObject =>
  Object.fromEntries((manifest.variables ?? []).flatMap((item) => pairsOf(item)))

const pairsOf = (item: JsonObject) => {
  const { key, value, ...rest } = item
  const isPair = typeof key === "string" && value !== undefined && Object.keys(rest).length === 0
  return isPair ? [[key, value] as const] : Object.entries(item)
}
