import { Schema } from "effect"
import { ComponentName, eventType, Failure, Milliseconds, optional, SHREDDED, Sha256 } from "../EventType.ts"
import { Json, JsonObject } from "../Json.ts"

const plugin = Schema.NonEmptyString.annotations({ description: "The plugin's name" })
const instance = Schema.NonEmptyString.annotations({ description: "`kernel`, or the id of the task it serves" })

/** The registry's life: what was imported, switched and set, and which processes ran. */
export const pluginEvents = [
  eventType("PluginImported", "A plugin was imported, or updated to another digest.", {
    plugin,
    version: Schema.String,
    manifest: JsonObject,
    digest: Sha256.annotations({ description: "Digest of the plugin's files" }),
    source: Schema.String.annotations({ description: "Where it was imported from" }),
    grants: JsonObject.annotations({ description: "What the person who imported it granted" }),
    warnings: optional(Schema.Array(Schema.String)),
  }),
  eventType("PluginRemoved", "A plugin was removed from the registry.", { plugin }),
  eventType("PluginActivated", "A plugin's active components take part again.", { plugin }),
  eventType("PluginDeactivated", "None of a plugin's components take part until it is activated.", { plugin }),
  eventType("ComponentActivated", "One component takes part again.", { component: ComponentName }),
  eventType("ComponentDeactivated", "One component no longer takes part.", { component: ComponentName }),
  eventType("PriorityChanged", "A component's priority was set; higher goes first.", {
    component: ComponentName,
    priority: Schema.Finite,
  }),
  eventType("MetadataSet", "A key of a plugin's or component's metadata was set.", {
    target: Schema.NonEmptyString.annotations({ description: "`plugin` or `plugin/component`" }),
    key: Schema.NonEmptyString,
    value: Json,
  }),
  eventType("MetadataUnset", "A key of a plugin's or component's metadata was removed.", {
    target: Schema.NonEmptyString.annotations({ description: "`plugin` or `plugin/component`" }),
    key: Schema.NonEmptyString,
  }),
  eventType("PluginStarted", "A plugin's process answered the handshake.", {
    plugin,
    instance,
    pid: Schema.Int,
    sandbox: Schema.String.annotations({ description: "The sandbox tier, such as `flags`" }),
    permissions: Schema.Array(Schema.String).annotations({ description: "The permission flags it runs under" }),
  }),
  eventType("PluginExited", "A plugin's process ended.", {
    plugin,
    instance,
    pid: Schema.Int,
    code: Schema.NullOr(Schema.Int),
    signal: Schema.NullOr(Schema.String),
    inFlight: Schema.Array(Schema.String).annotations({ description: "Calls that had no answer yet" }),
    reason: optional(Schema.String),
  }),
  eventType("PluginQuarantined", "A plugin is not started again until a person lifts the quarantine.", {
    plugin,
    reason: Schema.String,
  }),
  eventType(
    "PluginLogged",
    "A plugin wrote a line: by its log, its console, or bare to an output.",
    {
      plugin,
      level: Schema.Literal("debug", "info", "warn", "error"),
      message: Schema.String,
    },
    { personal: { message: SHREDDED } },
  ),
  eventType(
    "BrokerRequested",
    "A plugin asked the host to do something outside its sandbox.",
    {
      plugin,
      requestId: Schema.NonEmptyString,
      method: Schema.Literal("run", "readFile", "writeFile"),
      request: JsonObject.annotations({ description: "What it asked for; contents as size and digest only" }),
    },
    { personal: { request: {} } },
  ),
  eventType(
    "BrokerAnswered",
    "The host did what a plugin asked for, or refused.",
    {
      plugin,
      requestId: Schema.NonEmptyString,
      answer: optional(JsonObject.annotations({ description: "Contents as size and digest only" })),
      error: optional(Failure),
      latencyMs: Milliseconds,
    },
    { personal: { answer: {}, error: { code: "shredded", message: SHREDDED } } },
  ),
] as const
