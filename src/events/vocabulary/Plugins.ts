/** Event types of the plugin registry, of plugin processes, and of plugins' host requests. */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { ComponentName, eventType, Failure, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"

const plugin = Schema.NonEmptyString.annotations({ description: "The plugin's name" })
const instance = Schema.NonEmptyString.annotations({ description: "`kernel`, or the id of the task it serves" })

const requestRule = Schema.String.annotations({ description: "The gate rule that decided" })

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
  flag: optional(Schema.String.annotations({ description: "The option that grants it; absent if nothing does" })),
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
  workspace: optional(Schema.String.annotations({ description: 'The workspace that "." in its permissions means' })),
  given: optional(GrantedPermissions.annotations({ description: "Permissions granted by name with this import" })),
  warnings: optional(Schema.Array(Schema.String)),
}

export const pluginEvents = [
  eventType("PluginImported", "A person imported a plugin, or updated it to another digest.", {
    ...release,
    grants: JsonObject.annotations({ description: "The grants of the person who imported it" }),
  }),
  eventType("PluginUpdateHeld", "An update asks for more than its grants. It waits, and the installed version stays.", {
    ...release,
    missing: Schema.Array(MissingGrant),
  }),
  eventType("PluginGranted", "A person granted a plugin something by name.", {
    plugin,
    given: GrantedPermissions,
    grants: JsonObject.annotations({ description: "The installed version's grants from now on" }),
    missing: optional(Schema.Array(MissingGrant).annotations({ description: "What a waiting update still lacks" })),
  }),
  eventType("PluginGrantRevoked", "A person revoked a grant.", {
    plugin,
    revoked: GrantedPermissions,
    grants: JsonObject.annotations({ description: "The installed version's grants from now on" }),
    missing: optional(Schema.Array(MissingGrant).annotations({ description: "What a waiting update now lacks" })),
  }),
  eventType(
    "PluginFilesStored",
    "A log on a server has the files of a plugin, for machines without a copy. Each digest is stored once.",
    {
      plugin,
      digest: Sha256.annotations({ description: "Digest of the plugin's files" }),
      part: Schema.Int.pipe(Schema.positive()).annotations({ description: "The number of this piece of the archive" }),
      of: Schema.Int.pipe(Schema.positive()).annotations({ description: "The number of pieces" }),
      content: Schema.String.annotations({ description: "Bytes of a tar file with gzip, in Base64" }),
    },
  ),
  eventType("PluginRemoved", "A person removed a plugin from the registry.", { plugin }),
  eventType("PluginActivated", "A plugin's active components take part again.", { plugin }),
  eventType("PluginDeactivated", "No component of a plugin takes part until somebody activates it.", { plugin }),
  eventType("ComponentActivated", "One component takes part again.", { component: ComponentName }),
  eventType("ComponentDeactivated", "One component no longer takes part.", { component: ComponentName }),
  eventType("PriorityChanged", "A component has a new priority; higher goes first.", {
    component: ComponentName,
    priority: Schema.Finite,
  }),
  eventType("MetadataSet", "A key of a plugin's or component's metadata has a new value.", {
    target: Schema.NonEmptyString.annotations({ description: "`plugin` or `plugin/component`" }),
    key: Schema.NonEmptyString,
    value: Json,
  }),
  eventType("MetadataUnset", "A plugin or component lost a key of its metadata.", {
    target: Schema.NonEmptyString.annotations({ description: "`plugin` or `plugin/component`" }),
    key: Schema.NonEmptyString,
  }),
  eventType(
    "SandboxConsentGiven",
    "A person consented to start a version of a plugin that only Deno's permissions confine.",
    {
      plugin,
      version: Schema.String,
      digest: Sha256.annotations({ description: "Digest of the plugin's files; the consent covers only these files" }),
      by: Schema.NonEmptyString.annotations({ description: "The machine's user who consented" }),
      how: Schema.Literal("option", "prompt").annotations({
        description: "By an option, such as `--sandbox flags`, or by an answer to a question",
      }),
      platform: Schema.String.annotations({ description: "The operating system and processor, such as `linux-x64`" }),
      machine: Schema.NullOr(Sha256).annotations({
        description:
          "Digest of the ids of machine and user; the consent covers only this user on this machine. null if the machine has no id",
      }),
    },
  ),
  eventType("PluginStartRefused", "The host did not start a plugin's process.", {
    plugin,
    instance,
    digest: Sha256.annotations({ description: "Digest of the plugin's files, as it was imported" }),
    code: Schema.NonEmptyString.annotations({
      description: "The kind of reason: `SandboxConsentMissing`, `CopyChanged`",
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
          "The boot, clock tick and PID namespace of its start, as `boot/tick/namespace`, which tells it from another process with its id. Without the namespace before 0.3.1",
      }),
    ),
    kernel: optional(
      Schema.UUID.annotations({ description: "The identity of the kernel that started it. Absent before 0.3.1" }),
    ),
    sandbox: Schema.String.annotations({ description: "The sandbox tier: `namespaces` or `flags`" }),
    layer: optional(
      Schema.String.annotations({
        description: "The system's additional confinement: `bubblewrap`, `unshare`, `user` or `none`",
      }),
    ),
    permissions: Schema.Array(Schema.String).annotations({ description: "The permission flags it runs under" }),
    limits: optional(JsonObject.annotations({ description: "Limits of the operating system and V8, by name" })),
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
      inFlight: Schema.Array(Schema.String).annotations({ description: "Calls without an answer yet" }),
      reason: optional(Schema.String),
      kernel: optional(
        Schema.UUID.annotations({ description: "The identity of the kernel that had started it. Absent before 0.3.1" }),
      ),
    },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "PluginMisbehaved",
    "A plugin's process sent frames that do not fit the request.",
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
  eventType("PluginQuarantined", "A plugin does not start again until a person lifts the quarantine.", {
    plugin,
    reason: Schema.String,
  }),
  eventType(
    "PluginLogged",
    "A plugin wrote a line: to its log, its console, or directly to an output.",
    {
      plugin,
      level: Schema.Literal("debug", "info", "warn", "error"),
      message: Schema.String,
      dropped: optional(Schema.NonNegativeInt.annotations({ description: "Number of lines dropped before" })),
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
      request: JsonObject.annotations({ description: "The request, with contents as size and digest only" }),
    },
    { personal: { request: {} } },
  ),
  eventType("BrokerAllowed", "The gate allowed a request to the host.", {
    plugin,
    requestId: Schema.NonEmptyString,
    rule: requestRule,
  }),
  eventType(
    "BrokerDenied",
    "The gate denied a request to the host, which did not run.",
    { plugin, requestId: Schema.NonEmptyString, rule: requestRule, reason: Schema.String },
    { personal: { reason: SHREDDED } },
  ),
  eventType(
    "BrokerAnswered",
    "The host did a plugin's request, or refused it.",
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

const mcpServer = Schema.NonEmptyString.annotations({ description: "The name under which its calls are recorded" })
const toolNames = Schema.Array(Schema.String)

/** Events of the tools of MCP servers, which a gateway pins. */
export const foreignToolEvents = [
  eventType(
    "ToolsPinned",
    "These definitions of a server's tools are pinned: the first ones that Hindcast saw, or ones that a person approved.",
    {
      server: mcpServer,
      tools: Schema.Record({ key: Schema.String, value: Sha256 }).annotations({
        description: "Digests of whole definitions, by the tool's name",
      }),
      confirmationId: optional(
        Schema.NonEmptyString.annotations({ description: "The confirmation that approved them; absent for the first" }),
      ),
    },
  ),
  eventType(
    "ToolsChanged",
    "A server offers tools that differ from the pinned ones. New and changed tools wait for a person.",
    {
      server: mcpServer,
      added: toolNames,
      changed: toolNames,
      removed: toolNames,
      toolsDigest: Sha256.annotations({ description: "Digests of the definitions that are new or changed" }),
    },
  ),
] as const
