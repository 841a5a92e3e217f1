import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/values/Json.ts"
import { event, inTask, sha, type Unplaced, unknownEvent } from "./given.ts"

/** Keys that trip careless code. */
const key = fc.constantFrom("a", "b", "a/b", "~", "__proto__", "constructor", "toString", "0", "")

const plugin = fc.constantFrom("room", "__proto__", "constructor")
const component = fc.constantFrom("room/look", "room/go", "__proto__/constructor", "constructor/__proto__")
const id = fc.constantFrom("1", "2", "__proto__", "hasOwnProperty")

/** JSON values and objects, small ones. */
export const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, -2.5, "", "text"),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
}))
const { value, object } = json

const path = fc
  .array(fc.constantFrom("a", "b", "a~1b", "~0", "__proto__", "0", "1", "-", "length", ""), { maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token}`).join(""))

const operation = fc.oneof(
  fc.record({ op: fc.constantFrom("add" as const, "replace" as const), path, value }),
  fc.record({ op: fc.constant("remove" as const), path }),
)

const priority = fc.integer({ min: -2, max: 2 })
const measure = fc.constantFrom("room/tidy", "tidy", "__proto__")

const manifest = fc.oneof(
  object,
  fc.record({
    metadata: object,
    peas: fc.record({
      sensors: fc.array(fc.record({ name: fc.constantFrom("look", "constructor"), metadata: object }), {
        maxLength: 2,
      }),
      actuators: fc.array(fc.record({ name: fc.constantFrom("go", "__proto__"), priority }), { maxLength: 2 }),
    }),
  }),
)

const rubric = fc.oneof(
  object,
  fc.constant({
    measures: [{ plugin: "room", name: "tidy", rewards: [{ name: "r", weight: 0.5 }] }],
  }),
)

const verdict = fc.record({
  scoreSetId: id,
  measure,
  name: fc.constantFrom("r", "__proto__"),
  weight: fc.constant(0.1),
  amount: fc.constantFrom(0, 0.1, 0.2),
  because: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
})

/** How a call of a language model ended. */
const ends = fc.constantFrom(
  { latencyMs: 1 },
  { latencyMs: 1, usage: { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 0, cachedTokens: 1 } },
  { latencyMs: 1, cost: { usd: 0.1, prices: "__proto__" } },
  { latencyMs: 1, cost: { usd: 1.7e308, prices: "table@1" } },
)

const position = fc.integer({ min: 1, max: 30 })
const word = fc.constantFrom("a", "__proto__", "constructor")

const one: fc.Arbitrary<Unplaced> = fc.oneof(
  fc
    .tuple(component, value)
    .map(([sensor, reading]) => event("SensorRead", { sensor, reading, priority: 0, latencyMs: 1 })),
  component.map((sensor) => event("SensorFailed", { sensor, error: { code: "x", message: "y" } })),
  component.map((sensor) => event("SensorSkipped", { sensor, reason: "late" })),
  fc.tuple(plugin, value).map(([plugin, state]) => event("EnvironmentReset", { plugin, seed: 1, options: {}, state })),
  fc
    .tuple(plugin, fc.array(operation, { maxLength: 3 }))
    .map(([plugin, patch]) => event("EnvironmentChanged", { plugin, patch })),
  fc
    .tuple(id, component, value)
    .map(([commandId, actuator, args]) =>
      event("ActuatorCommanded", { commandId, actuator, args, argsDigest: sha("a"), priority: 0 }),
    ),
  id.map((commandId) => event("CommandAllowed", { commandId, rule: "all" })),
  id.map((commandId) => event("CommandDenied", { commandId, rule: "none", reason: "no" })),
  id.map((commandId) => event("CommandDispatched", { commandId })),
  id.map((commandId) => event("CommandSucceeded", { commandId, result: null, latencyMs: 3 })),
  id.map((commandId) => event("CommandFailed", { commandId, error: { code: "x", message: "y" } })),
  id.map((commandId) => event("CommandOutcomeUnknown", { commandId })),
  fc
    .tuple(id, id)
    .map(([confirmationId, commandId]) =>
      event("ConfirmationRequested", { confirmationId, commandId, argsDigest: sha("a"), shown: {}, expiresAt: 1 }),
    ),
  fc.tuple(id, fc.boolean()).map(([confirmationId, approved]) =>
    event("ConfirmationDecided", {
      confirmationId,
      approved,
      by: "me",
      channel: "cli",
      argsDigest: sha("a"),
      waitedMs: 5,
    }),
  ),
  id.map((confirmationId) => event("ConfirmationExpired", { confirmationId })),
  id.map((confirmationId) => event("ConfirmationWithdrawn", { confirmationId })),
  fc.constant(event("TaskOpened", { goal: "g", measures: [], agent: "me" })),
  fc.constant(event("TaskClosed", { outcome: "achieved", reason: "done" })),
  fc
    .tuple(plugin, plugin)
    .map(([provider, model]) => event("ModelCalled", { provider, model, requestDigest: sha("q"), request: null })),
  ends.map((end) => event("ModelResponded", { response: null, usage: { inputTokens: 1, outputTokens: 2 }, ...end })),
  fc
    .tuple(fc.constantFrom("cancelled" as const, "rate-limited" as const), ends)
    .map(([kind, end]) => event("ModelFailed", { kind, reason: "no", ...end })),
  fc.tuple(id, rubric, fc.array(id, { maxLength: 3 })).map(([scoreSetId, rubric, taskIds]) =>
    event("ScoringStarted", {
      scoreSetId,
      taskIds,
      rubric,
      rubricDigest: sha("r"),
      critic: "rule",
      criticDigest: sha("c"),
      label: "live",
      range: { from: 1, to: 2 },
    }),
  ),
  verdict.map((payload) => event("RewardGiven", payload)),
  verdict.map((payload) => event("PunishmentGiven", payload)),
  id.map((scoreSetId) => event("MeasureUnscored", { scoreSetId, measure: "tidy", name: "r", reason: "no critic" })),
  id.map((scoreSetId) => event("ScoringFinished", { scoreSetId, totals: {} })),
  fc
    .tuple(
      key.filter((each) => each !== ""),
      id,
    )
    .map(([pointer, scoreSetId]) => event("ScoreSetPromoted", { pointer, scoreSetId })),
  fc
    .tuple(plugin, manifest)
    .map(([plugin, manifest]) =>
      event("PluginImported", { plugin, version: "1", manifest, digest: sha("d"), source: ".", grants: {} }),
    ),
  fc.tuple(plugin, manifest).map(([plugin, manifest]) =>
    event("PluginUpdateHeld", {
      plugin,
      version: "2",
      manifest,
      digest: sha("e"),
      source: ".",
      given: { env: ["HOME"] },
      missing: [{ field: "permissions.run", asked: "git", reason: "more" }],
    }),
  ),
  plugin.map((plugin) =>
    event("PluginGranted", { plugin, given: { run: ["git"], runAny: true }, grants: {}, missing: [] }),
  ),
  plugin.map((plugin) => event("PluginGrantRevoked", { plugin, revoked: { run: ["git"] }, grants: {} })),
  plugin.map((plugin) =>
    event("PluginFilesStored", { plugin, digest: "d".repeat(64), part: 1, of: 1, content: "H4sI" }),
  ),
  plugin.map((plugin) => event("PluginRemoved", { plugin })),
  plugin.map((plugin) => event("PluginActivated", { plugin })),
  plugin.map((plugin) => event("PluginDeactivated", { plugin })),
  plugin.map((plugin) => event("PluginQuarantined", { plugin, reason: "crashes" })),
  component.map((component) => event("ComponentDeactivated", { component })),
  fc.tuple(component, priority).map(([component, priority]) => event("PriorityChanged", { component, priority })),
  fc
    .tuple(fc.oneof(plugin, component), value)
    .map(([target, value]) => event("MetadataSet", { target, key: "__proto__", value })),
  fc.oneof(plugin, component).map((target) => event("MetadataUnset", { target, key: "__proto__" })),
  plugin.map((plugin) =>
    event("PluginStarted", { plugin, instance: "__proto__", pid: 7, sandbox: "flags", permissions: [] }),
  ),
  plugin.map((plugin) =>
    event("PluginExited", { plugin, instance: "__proto__", pid: 7, code: 0, signal: null, inFlight: [] }),
  ),
  fc.constant(event("KernelStarted", { version: "0", node: "20", deno: "2", seed: 1, configDigest: sha("k") })),
  fc.tuple(id, position, word).map(([task, moment, text]) => event("NoteAdded", { about: task, text, task, moment })),
  fc
    .tuple(id, position, position)
    .map(([task, moment, replaces]) => event("NoteAdded", { about: task, text: "again", task, moment, replaces })),
  fc.tuple(id, word).map(([task, tag]) => event("TagAdded", { about: task, tag, task })),
  word.map((tag) => event("TagAdded", { about: "its own task", tag })),
  fc.tuple(id, word).map(([task, tag]) => event("TagRemoved", { task, tag })),
  id.map((task) => event("Starred", { task })),
  fc.tuple(id, word).map(([task, measure]) => event("Labelled", { task, measure, value: true })),
  position.map((annotation) => event("AnnotationRemoved", { annotation })),
  fc.constant(unknownEvent()),
)

/** Any events in any order, however little sense they make, of tasks and of none. */
export const arbitraryEvents = (maxLength = 30): fc.Arbitrary<ReadonlyArray<Unplaced>> =>
  fc.array(
    fc
      .tuple(one, fc.constantFrom("1", "2", "__proto__", undefined))
      .map(([each, taskId]) => (taskId === undefined ? each : (inTask(taskId, [each])[0] ?? each))),
    { maxLength },
  )
