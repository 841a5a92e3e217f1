/** The schema of a plugin's manifest, and accessors for its parts. */
import { Schema } from "effect"
import { optional, Sha256 } from "../../events/vocabulary/EventType.ts"
import { JsonObject } from "../../values/Json.ts"
import { View } from "../../views/View.ts"
import { grouped } from "./digits.ts"
import { ComponentId, PluginName, PythonVersion, Risk, Text } from "./fields.ts"
import { Guide } from "./guide.ts"
import { FILE } from "./ManifestFile.ts"
import { Provider } from "./models/Provider.ts"
import { policyFields } from "./policies/ToolPolicies.ts"
import { worldFields } from "./worldFields.ts"

export { ComponentId, isPluginName, Risk } from "./fields.ts"

const DurationMs = Schema.Positive.pipe(Schema.annotations({ description: "a number of milliseconds above 0" }))

/** The longest time-out of a call, in milliseconds: a day. */
export const TIMEOUT_MS = 24 * 60 * 60 * 1_000

/** A call's time-out, in milliseconds. */
export const TimeoutMs = Schema.Number.pipe(
  Schema.positive(),
  Schema.lessThanOrEqualTo(TIMEOUT_MS),
  Schema.annotations({
    description: `a number of milliseconds above 0, at most ${grouped(TIMEOUT_MS)} (a day)`,
  }),
)

/** A reward or punishment. Manifests and rubrics share it. */
export const Reward = Schema.Struct({
  name: Text,
  when: Text.annotations({ description: "non-empty text: the condition, in words" }),
  weight: Schema.Finite.pipe(Schema.between(0, 1), Schema.annotations({ description: "a number from 0 to 1" })),
  rule: optional(Text.annotations({ description: "non-empty text: the condition as a CEL expression" })),
  per: optional(
    Schema.Literal("task", "occurrence", "step").annotations({
      description: '"task" (the default), "occurrence" or "step": each occurrence, divided by the number of commands',
    }),
  ),
}).annotations({ identifier: "Reward" })

export type Reward = typeof Reward.Type

/** A performance measure. Strict decoding requires a reward or punishment. */
export const Measure = Schema.Struct({
  name: Text.annotations({ description: "non-empty text: the displayed name" }),
  description: Text,
  rewards: optional(Schema.Array(Reward)),
  punishments: optional(Schema.Array(Reward)),
  critic: optional(
    Schema.Literal("plugin").annotations({
      description: '"plugin": a function of the entry judges rewards and punishments without a rule',
    }),
  ),
  metadata: optional(JsonObject),
}).annotations({ identifier: "Measure" })

export type Measure = typeof Measure.Type

const componentFields = {
  name: ComponentId,
  description: Text.annotations({ description: "non-empty text: the description that agents see" }),
  priority: optional(Schema.Finite.annotations({ description: "a number; higher goes first" })),
  metadata: optional(JsonObject),
  timeout: optional(TimeoutMs),
}

/** A sensor; `interval` is the time between readings, in milliseconds. */
export const Sensor = Schema.Struct({
  ...componentFields,
  reading: optional(JsonObject.annotations({ description: "a JSON Schema that readings must match" })),
  interval: optional(DurationMs),
}).annotations({ identifier: "Sensor" })

export type Sensor = typeof Sensor.Type

/** An actuator in a manifest. */
export const Actuator = Schema.Struct({
  ...componentFields,
  args: optional(JsonObject.annotations({ description: "a JSON Schema that a command's arguments must match" })),
  result: optional(JsonObject.annotations({ description: "a JSON Schema that results must match" })),
  risk: optional(Risk),
  idempotent: optional(
    Schema.Boolean.annotations({ description: "whether repeating a command has no further effect" }),
  ),
  concurrent: optional(
    Schema.Boolean.annotations({ description: "whether it may run concurrently with other calls of the same turn" }),
  ),
  ...policyFields,
}).annotations({ identifier: "Actuator" })

export type Actuator = typeof Actuator.Type

/** The environment in a manifest. */
export const Environment = Schema.Struct({
  name: Text,
  description: Text,
  rules: optional(Schema.Array(Text)),
  conventions: optional(Schema.Array(Text)),
  /** The default options of a reset. */
  scenario: optional(Text.annotations({ description: "the path of a YAML or JSON file in the plugin's directory" })),
  /**
   * The `environment_type` of the scenarios that the environment plays. With it, the options are a whole scenario;
   * without it, they are a scenario's `configuration`: its rooms, things and agents.
   */
  scenarioType: optional(
    Text.annotations({ description: "the environment_type of the scenarios that it accepts as options" }),
  ),
  /**
   * The ways back to an earlier state, for a fork or a resumed task. Default: none.
   *
   * - `snapshot`: the entry's `environment.restore` restores a state.
   * - `re-execution`: after the same reset with the same seed, the same commands lead to the same state and have no
   *   other effect.
   * - `stateless`: its process keeps nothing that matters later; any process will do.
   */
  rewind: optional(
    Schema.Array(Schema.Literal("snapshot", "re-execution", "stateless")).annotations({
      description: 'a list of "snapshot", "re-execution" and "stateless": the ways to restore an earlier state',
    }),
  ),
  ...worldFields,
  /** Draws the environment's state document, also for past moments. */
  view: optional(View),
  /** Draws the environment in Studio, for people who allow its code. */
  viewHtml: optional(
    Text.annotations({
      description: "the path of an HTML file in the plugin's directory with code that draws it in Studio",
    }),
  ),
  metadata: optional(JsonObject),
}).annotations({ identifier: "Environment" })

export type Environment = typeof Environment.Type

/** The permissions that a manifest requests. */
export const Permissions = Schema.Struct({
  read: Schema.Array(Text).annotations({ description: 'a list of directories; "." is the workspace' }),
  run: Schema.Array(Text).annotations({ description: 'a list of commands; "." is any command' }),
  write: optional(Schema.Array(Text).annotations({ description: "a list of directories" })),
  net: optional(Schema.Array(Text).annotations({ description: "a list of hosts" })),
  env: optional(Schema.Array(Text).annotations({ description: "a list of environment variables" })),
}).annotations({ identifier: "Permissions" })

/** Bytes that follow from the plugin's files and take long to compute. The host computes and caches them once. */
export const Precomputed = Schema.Struct({
  module: Text.annotations({
    description: "the path of a TypeScript module in the plugin's directory, which returns the bytes",
  }),
  sha256: Sha256.annotations({ description: "the SHA-256 of the bytes, 64 hexadecimal digits" }),
}).annotations({ identifier: "Precomputed" })

export type Precomputed = typeof Precomputed.Type

/** A listener: a function of the entry that reads the signals of a webhook's requests. The host opens the port. */
export const PluginListener = Schema.Struct({
  name: ComponentId,
  description: Text.annotations({ description: "non-empty text: the signals that it brings in" }),
  /** Default: none, which only the loopback allows. */
  signature: optional(
    Schema.Struct({
      scheme: Schema.Literal("github", "standard").annotations({
        description: '"github", or "standard" for Standard Webhooks',
      }),
      secret: Schema.String.pipe(
        Schema.pattern(/^[A-Z][A-Z0-9_]*$/),
        Schema.annotations({
          description: "the name of the host's environment variable with the secret, such as GITHUB_WEBHOOK_SECRET",
        }),
      ),
    }).annotations({ description: "an object with scheme and secret" }),
  ),
  maxBytes: optional(
    Schema.Int.pipe(
      Schema.between(1, 4 * 1024 * 1024),
      Schema.annotations({ description: "the longest body in bytes, at most 4,194,304; 1,048,576 if absent" }),
    ),
  ),
  timeout: optional(TimeoutMs),
}).annotations({ identifier: "Listener" })

export type PluginListener = typeof PluginListener.Type

/** A plugin's manifest. Its encoded and decoded forms are equal. `decode` also checks rules that span fields. */
export const Manifest = Schema.Struct({
  name: PluginName,
  description: Text.annotations({ description: "non-empty text: the description that agents see" }),
  version: Text.annotations({ description: "non-empty text: the plugin's version" }),
  entry: Text.annotations({
    description: "the path of the TypeScript entry in the plugin's directory, or a module and a class of Python",
  }),
  /**
   * Default: Deno runs the entry. `mcp`: the entry is a JSON file that names a server (`plugins/mcp/ServerEntry`).
   * `python`: the entry is `module:Class`, an environment with the methods of `gymnasium.Env`.
   */
  runtime: optional(
    Schema.Literal("mcp", "python").annotations({
      description:
        '"mcp": the entry is a JSON file that names a server of the Model Context Protocol; "python": it is the module and class of an environment, module:Class',
    }),
  ),
  python: optional(PythonVersion),
  permissions: Permissions,
  peas: Schema.Struct({
    performance: Schema.Array(Measure),
    environment: optional(Environment),
    actuators: optional(Schema.Array(Actuator)),
    sensors: optional(Schema.Array(Sensor)),
  }),
  guides: optional(Schema.Array(Guide)),
  listeners: optional(Schema.Array(PluginListener)),
  provider: optional(Provider),
  precomputed: optional(Precomputed),
  variables: optional(Schema.Array(JsonObject).annotations({ description: "a list of objects of key-value pairs" })),
  metadata: optional(JsonObject),
  instance: optional(Schema.Literal("task", "kernel").annotations({ description: '"task" or "kernel"' })),
  concurrent: optional(Schema.Boolean.annotations({ description: "whether commands may run concurrently" })),
  /** For editors; Hindcast ignores it. */
  $schema: optional(Text.annotations({ description: "the URL or path of a JSON Schema, for editors" })),
}).annotations({ identifier: "Manifest", title: FILE })

export type Manifest = typeof Manifest.Type

/** The sensors that a manifest declares. */
export const sensorsOf = (manifest: Manifest): ReadonlyArray<Sensor> => manifest.peas.sensors ?? []

/** The actuators that a manifest declares. */
export const actuatorsOf = (manifest: Manifest): ReadonlyArray<Actuator> => manifest.peas.actuators ?? []

/** The guides that a manifest declares. */
export const guidesOf = ({ guides }: Manifest): ReadonlyArray<Guide> => guides ?? []

/** The listeners that a manifest declares. */
export const listenersOf = ({ listeners }: Manifest): ReadonlyArray<PluginListener> => listeners ?? []

/** The measures that a function of the entry judges. */
export const judgedOf = ({ peas }: Manifest): ReadonlyArray<Measure> =>
  peas.performance.filter(({ critic }) => critic === "plugin")

/** Whether each task or each kernel gets a process of its own. Default: each task, if the plugin has an environment. */
export const instanceOf = (manifest: Manifest): "task" | "kernel" =>
  manifest.instance ?? (manifest.peas.environment === undefined ? "kernel" : "task")

/**
 * The variables as one object. An item is `{ "key": …, "value": … }` or an object of pairs; the last value of a key
 * counts.
 */
export const variablesOf = (manifest: Manifest): JsonObject =>
  Object.fromEntries((manifest.variables ?? []).flatMap((item) => pairsOf(item)))

const pairsOf = (item: JsonObject) => {
  const { key, value, ...rest } = item
  const isPair = typeof key === "string" && value !== undefined && Object.keys(rest).length === 0
  return isPair ? [[key, value] as const] : Object.entries(item)
}
