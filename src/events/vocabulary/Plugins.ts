/** Event types of the plugin registry, of plugin processes, and of plugins' host requests. */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { ComponentName, eventType, Failure, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"

const plugin = Schema.NonEmptyString.annotations({ description: "The plugin's name" })
const instance = Schema.NonEmptyString.annotations({ description: "`kernel`, or the id of the task it serves" })

const requestRule = Schema.String.annotations({ description: "The gate's rule about requests that decided" })

const Names = optional(Schema.Array(Schema.String))

/** Permissions that a person granted or revoked, by name. Paths are absolute. An absent field grants nothing. */
export const GrantedPermissions = Schema.Struct({
  read: Names,
  write: Names,
  net: Names,
  env: Names,
  run: Names,
  runAny: optional(Schema.Boolean),
}).annotations({ identifier: "Given" })

export type GrantedPermissions = typeof GrantedPermissions.Type

/** A requested permission that was not granted. */
export const MissingGrant = Schema.Struct({
  field: Schema.String.annotations({ description: "The manifest's field, such as `permissions.read`" }),
  asked: Schema.String,
  reason: Schema.String,
  flag: optional(Schema.String.annotations({ description: "The option that grants it; absent where nothing does" })),
}).annotations({ identifier: "MissingGrant" })

export type MissingGrant = typeof MissingGrant.Type

/**
 * A plugin's origin. For Git, `commit` is the commit of `ref` at the import. `in-process`: its components are functions
 * of the embedding program, which is trusted; it has no files, and nothing confines it.
 */
export const Origin = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("directory"), path: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("archive"), path: Schema.String, sha256: Sha256 }),
  Schema.Struct({
    kind: Schema.Literal("git"),
    url: Schema.String,
    ref: Schema.String,
    commit: Schema.String,
    directory: optional(Schema.String.annotations({ description: "The plugin's directory in the repository" })),
  }),
  Schema.Struct({ kind: Schema.Literal("in-process") }),
).annotations({ identifier: "Origin" })

export type Origin = typeof Origin.Type

const release = {
  plugin,
  version: Schema.String,
  manifest: JsonObject,
  digest: Sha256.annotations({ description: "Digest of the plugin's files; in-process, of what it declares" }),
  source: Schema.String.annotations({ description: "Where it was imported from, or `in-process`" }),
  origin: optional(Origin),
  workspace: optional(Schema.String.annotations({ description: 'The workspace that "." in its permissions is' })),
  given: optional(GrantedPermissions.annotations({ description: "What was granted by name with this import" })),
  warnings: optional(Schema.Array(Schema.String)),
}

export const pluginEvents = [
  eventType("PluginImported", "A plugin was imported, or updated to another digest.", {
    ...release,
    grants: JsonObject.annotations({ description: "What the person who imported it granted" }),
  }),
  eventType("PluginUpdateHeld", "An update asks for more than was granted: it waits, the version before it stays.", {
    ...release,
    missing: Schema.Array(MissingGrant),
  }),
  eventType("PluginGranted", "A person granted a plugin something by name.", {
    plugin,
    given: GrantedPermissions,
    grants: JsonObject.annotations({ description: "What the installed version may do from now on" }),
    missing: optional(
      Schema.Array(MissingGrant).annotations({ description: "What the update that waits still lacks, where one does" }),
    ),
  }),
  eventType("PluginGrantRevoked", "A person took something back that a plugin was granted.", {
    plugin,
    revoked: GrantedPermissions,
    grants: JsonObject.annotations({ description: "What the installed version may do from now on" }),
    missing: optional(
      Schema.Array(MissingGrant).annotations({ description: "What the update that waits now lacks, where one does" }),
    ),
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
  eventType(
    "SandboxConsentGiven",
    "A person consented to starting a version of a plugin where nothing but Deno's permissions confines it.",
    {
      plugin,
      version: Schema.String,
      digest: Sha256.annotations({ description: "Digest of the plugin's files: the consent is for no others" }),
      by: Schema.NonEmptyString.annotations({ description: "The user of the machine who said so" }),
      how: Schema.Literal("option", "prompt").annotations({
        description: "By an option, such as `--sandbox flags`, or by an answer to a question",
      }),
      platform: Schema.String.annotations({ description: "The operating system and processor, such as `linux-x64`" }),
      machine: Schema.NullOr(Sha256).annotations({
        description:
          "Digest of the machine's id and the user's: it counts there alone; null where the machine has no id",
      }),
    },
  ),
  eventType("PluginStartRefused", "A plugin's process was not started.", {
    plugin,
    instance,
    digest: Sha256.annotations({ description: "Digest of the plugin's files, as it was imported" }),
    code: Schema.NonEmptyString.annotations({
      description: "What kind of reason: `SandboxConsentMissing`, `CopyChanged`",
    }),
    reason: Schema.String,
  }),
  eventType(
    "PrecomputeStarted",
    "The host is about to run a plugin's `precomputed` module, in the plugin's sandbox and without grants.",
    {
      plugin,
      module: Schema.NonEmptyString,
      sha256: Sha256.annotations({ description: "Digest that its bytes must have" }),
    },
  ),
  eventType("PluginStarted", "A plugin's process answered the handshake.", {
    plugin,
    instance,
    pid: Schema.Int,
    birth: optional(
      Schema.String.annotations({
        description:
          "The boot, clock tick and PID namespace it was started in, as `boot/tick/namespace`: tells it from another with its id. Without the namespace before 0.3.1",
      }),
    ),
    kernel: optional(
      Schema.UUID.annotations({ description: "The identity of the kernel that started it. Absent before 0.3.1" }),
    ),
    sandbox: Schema.String.annotations({ description: "The sandbox tier: `namespaces` or `flags`" }),
    layer: optional(
      Schema.String.annotations({
        description: "What of the system confines it besides: `bubblewrap`, `unshare`, `user` or `none`",
      }),
    ),
    permissions: Schema.Array(Schema.String).annotations({ description: "The permission flags it runs under" }),
    limits: optional(JsonObject.annotations({ description: "What the operating system and V8 hold it to, by name" })),
  }),
  eventType(
    "PluginExited",
    "A plugin's process ended.",
    {
      plugin,
      instance,
      pid: Schema.Int,
      code: Schema.NullOr(Schema.Int),
      signal: Schema.NullOr(Schema.String),
      inFlight: Schema.Array(Schema.String).annotations({ description: "Calls that had no answer yet" }),
      reason: optional(Schema.String),
      kernel: optional(
        Schema.UUID.annotations({ description: "The identity of the kernel that had started it. Absent before 0.3.1" }),
      ),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "PluginMisbehaved",
    "A plugin's process did what no sound one does: its frames do not fit what was asked.",
    {
      plugin,
      instance,
      pid: Schema.Int,
      code: Schema.Literal(
        ...(["LateAnswer", "SecondAnswer", "UnaskedAnswer", "UnaskedCall", "UndeclaredSensor"] as const),
        ...(["UnawaitedReadings", "UnawaitedPages", "RepeatedHandshake", "BrokenFrame", "FrameTooLong"] as const),
      ),
      reason: Schema.String,
    },
    { personal: { reason: SHREDDED } },
  ),
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
      dropped: optional(Schema.NonNegativeInt.annotations({ description: "How many lines were left out before" })),
    },
    { personal: { message: SHREDDED } },
  ),
  eventType(
    "BrokerRequested",
    "A plugin asked the host to do something outside its sandbox.",
    {
      plugin,
      requestId: Schema.NonEmptyString,
      method: Schema.Literal("run", "readFile", "writeFile", "fetch"),
      request: JsonObject.annotations({ description: "What it asked for; contents as size and digest only" }),
    },
    { personal: { request: {} } },
  ),
  eventType("BrokerAllowed", "The gate let a request to the host pass.", {
    plugin,
    requestId: Schema.NonEmptyString,
    rule: requestRule,
  }),
  eventType(
    "BrokerDenied",
    "The gate refused a request to the host; it was not carried out.",
    { plugin, requestId: Schema.NonEmptyString, rule: requestRule, reason: Schema.String },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "BrokerAnswered",
    "The host did what a plugin asked for, or refused.",
    {
      plugin,
      requestId: Schema.NonEmptyString,
      answer: optional(JsonObject.annotations({ description: "Contents as size and digest only" })),
      error: optional(Failure),
      latencyMs: optional(Milliseconds),
    },
    { personal: { answer: {}, error: { code: "shredded", message: SHREDDED } } },
  ),
] as const
