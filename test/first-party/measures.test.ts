import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandOf } from "../../plugins/text-room/command.ts"
import { begin, document, step } from "../../plugins/text-room/world.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { judge } from "../../src/kernel/critics/rules/RuleCritic.ts"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import * as JsonPatch from "../../src/projections/patch/JsonPatch.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { commandIn, SOLUTION, textRoom, theLostKey } from "./text-room/playing.ts"

const directory = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const workspace = directory("plugins/workspace")
const stricter = directory("examples/rubrics/stricter.yaml")

/** The events of one task, in order, from types and payloads. */
const events = (...facts: ReadonlyArray<readonly [type: string, payload: JsonObject]>): ReadonlyArray<Event> =>
  facts.map(([type, payload], index) => ({
    position: index + 1,
    id: `00000000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`,
    timeline: "main",
    stream: "task/t",
    version: index + 1,
    type,
    schemaVersion: 1,
    taskId: "t",
    causationId: null,
    actor: "kernel",
    occurredAt: index,
    recordedAt: index,
    payload,
    hash: "0".repeat(64),
  }))

const opened = ["TaskOpened", { goal: "Retrieve the document", measures: [], agent: "somebody@1" }] as const
const closed = (outcome: string) => ["TaskClosed", { outcome }] as const

/** What a task in the text room leaves in the log that its measures look at. */
const taskOf = (outcome: string, ...lines: ReadonlyArray<string>): ReadonlyArray<Event> => {
  let world = begin(theLostKey)
  const reset = { plugin: "text-room", seed: 1, options: {}, state: document(theLostKey, world) }
  const changes = lines.map((line) => {
    const before = document(theLostKey, world)
    world = step(theLostKey, world, commandIn(line)).world
    const patch = JsonPatch.diff(before, document(theLostKey, world)).map((operation) => ({ ...operation }))
    return ["EnvironmentChanged", { plugin: "text-room", patch }] as const
  })
  return events(opened, ["EnvironmentReset", reset], ...changes, closed(outcome))
}

/** What was given and taken, by name. */
const verdicts = (rubric: Rubric.Rubric, task: ReadonlyArray<Event>) =>
  Object.fromEntries(
    judge(rubric, "t", task).map((judgement) => [
      judgement.name,
      judgement.kind === "unscored"
        ? judgement.reason
        : judgement.kind === "reward"
          ? judgement.amount
          : -judgement.amount,
    ]),
  )

const rubricOf = (plugin: string) => Effect.map(Manifest.load(plugin), ({ manifest }) => Rubric.ofManifests([manifest]))

const waste = (commands: number) => Array.from({ length: commands }, () => "examine desk")

describe("the first-party manifests", () => {
  it.effect.each([textRoom, workspace])("%s loads strictly, without a warning", (plugin) =>
    Effect.gen(function* () {
      const { warnings, manifest } = yield* Manifest.load(plugin)
      expect(warnings).toEqual([])
      expect(Rubric.ruleIssues(Rubric.ofManifests([manifest]))).toEqual([])
    }),
  )

  it.effect.each([textRoom, workspace])("%s gives every reward and punishment a rule", (plugin) =>
    Effect.gen(function* () {
      const { measures } = yield* rubricOf(plugin)
      const all = measures.flatMap(({ rewards = [], punishments = [] }) => [...rewards, ...punishments])
      expect(all.filter(({ rule }) => rule === undefined)).toEqual([])
    }),
  )

  it.effect("the text room declares an actuator for every verb", () =>
    Effect.gen(function* () {
      const { manifest } = yield* Manifest.load(textRoom)
      const names = (manifest.peas.actuators ?? []).map(({ name }) => name)
      expect(names).toEqual(["look", "examine", "go", "take", "drop", "open", "close", "use", "read"])
      expect(commandOf("use", { item: "The Key", on: "Desk" })).toEqual({ verb: "use", thing: "key", on: "desk" })
    }),
  )
})

describe("the text room's measures", () => {
  it.effect("reward a win by the shortest way, and punish nothing", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(textRoom)
      expect(verdicts(rubric, taskOf("achieved", ...SOLUTION))).toEqual({
        won: 1,
        "found the key": 0.3,
        "within nine commands": 0.5,
      })
    }),
  )

  it.effect("reward finding the key alone where the document stays in the desk", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(textRoom)
      expect(verdicts(rubric, taskOf("abandoned", ...SOLUTION.slice(0, 3)))).toEqual({ "found the key": 0.3 })
    }),
  )

  it.effect("punish each command after the ninth, and no earlier one", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(textRoom)
      expect(verdicts(rubric, taskOf("achieved", ...waste(2), ...SOLUTION))).toMatchObject({
        "within nine commands": 0.5,
      })
      const slow = verdicts(rubric, taskOf("achieved", ...waste(5), ...SOLUTION))
      expect(slow).toEqual({ won: 1, "found the key": 0.3, "one command more": -0.15 })
    }),
  )

  it.effect("punish trying again what was refused, not the first refusal", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(textRoom)
      const once = verdicts(rubric, taskOf("abandoned", "open desk", "close desk"))
      expect(once).toEqual({})
      const thrice = verdicts(rubric, taskOf("abandoned", "open desk", "open desk", "open desk"))
      expect(thrice).toEqual({ "tried again": -0.4 })
    }),
  )

  it.effect("punish an outcome that the world does not bear out", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(textRoom)
      expect(verdicts(rubric, taskOf("achieved", "open desk"))).toEqual({ "claimed too much": -1 })
      expect(verdicts(rubric, taskOf("failed", ...SOLUTION))).toMatchObject({ "did not notice": -0.5 })
      expect(verdicts(rubric, taskOf("truncated", ...SOLUTION))).not.toHaveProperty("did not notice")
    }),
  )

  it.effect("punish losing", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(textRoom)
      expect(verdicts(rubric, taskOf("failed", ...waste(200)))).toEqual({ lost: -0.5, "one command more": -9.55 })
    }),
  )

  it.effect("say that they could not be scored where the task had no text room", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(textRoom)
      const found = verdicts(rubric, events(opened, closed("achieved")))
      expect(found.won).toMatch(/^the path state\.environment\["text-room"\]\.won existed at no moment of the task/)
    }),
  )
})

describe("the workspace's measures", () => {
  const commanded = (commandId: string, actuator: string) =>
    ["ActuatorCommanded", { commandId, actuator, args: {}, argsDigest: "0".repeat(64), priority: 0 }] as const
  const succeeded = (commandId: string, result: JsonObject[string]) =>
    ["CommandSucceeded", { commandId, result, latencyMs: 1 }] as const
  const failed = (commandId: string) =>
    ["CommandFailed", { commandId, error: { code: "RunNotGranted", message: "no" } }] as const
  const git = (reading: JsonObject) =>
    ["SensorRead", { sensor: "workspace/git", reading, priority: 4, latencyMs: 1 }] as const
  const written = { path: "a.txt", bytes: 1, digest: "ca97" }
  const ran = (code: number | null) => ({ code, signal: null, stdout: "", stderr: "" })

  it.effect("reward a written file once, and punish each command that failed or ended badly", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(workspace)
      const task = events(
        opened,
        commanded("write", "workspace/write_file"),
        commanded("run", "workspace/run"),
        commanded("other", "elsewhere/run"),
        succeeded("write", written),
        succeeded("write", written),
        failed("write"),
        failed("run"),
        failed("other"),
        succeeded("run", ran(0)),
        succeeded("run", ran(1)),
        succeeded("run", ran(null)),
        succeeded("other", ran(1)),
        closed("achieved"),
      )
      expect(verdicts(rubric, task)).toEqual({ "wrote a file": 0.5, "command failed": -0.2, "ended badly": -0.1 })
    }),
  )

  it.effect("are not led astray by the results of other plugins", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(workspace)
      const task = events(
        opened,
        ...["done", 3, null, [], { path: "x" }, { code: 1 }].map((result) => succeeded("c", result)),
        closed("failed"),
      )
      expect(verdicts(rubric, task)).toEqual({})
    }),
  )

  it.effect("look at git's last reading when the task is closed", () =>
    Effect.gen(function* () {
      const rubric = yield* rubricOf(workspace)
      const clean = git({ repository: true, entries: [] })
      const dirty = git({ repository: true, entries: [{ path: "a.txt", status: "??" }] })
      const none = git({ repository: false, reason: "fatal: not a git repository" })
      expect(verdicts(rubric, events(opened, dirty, clean, closed("achieved")))).toEqual({ "left clean": 0.5 })
      expect(verdicts(rubric, events(opened, clean, dirty, closed("achieved")))).toEqual({ "left changes": -0.3 })
      expect(verdicts(rubric, events(opened, none, closed("achieved")))).toEqual({})
    }),
  )
})

describe("the rubric stricter.yaml", () => {
  it.effect("is a rubric, and speaks of measures that the text room has", () =>
    Effect.gen(function* () {
      const { name, measures } = yield* Rubric.load(stricter)
      const known = (yield* rubricOf(textRoom)).measures.map(Rubric.measureName)
      expect(name).toBe("stricter")
      expect(measures.filter((measure) => !known.includes(Rubric.measureName(measure)))).toEqual([])
    }),
  )

  it.effect("gives no more than the plugin's own measures, and takes more, for the same tasks", () =>
    Effect.gen(function* () {
      const strict = yield* Rubric.load(stricter)
      const own = yield* rubricOf(textRoom)
      const net = (rubric: Rubric.Rubric, task: ReadonlyArray<Event>) =>
        Object.values(verdicts(rubric, task)).reduce<number>((sum, amount) => sum + Number(amount), 0)
      const tasks = [
        taskOf("achieved", ...SOLUTION),
        taskOf("achieved", "open desk", ...SOLUTION),
        taskOf("achieved", "open desk", "open desk", ...waste(3), ...SOLUTION),
        taskOf("abandoned", ...SOLUTION.slice(0, 3)),
        taskOf("truncated", ...waste(20)),
      ]
      expect(tasks.map((task) => net(own, task).toFixed(2))).toEqual(["1.80", "1.80", "0.95", "0.30", "-0.55"])
      expect(tasks.map((task) => net(strict, task).toFixed(2))).toEqual(["1.50", "0.80", "-0.20", "-1.00", "-2.30"])
    }),
  )
})
