import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as WhyFailed from "../../../src/projections/explanation/WhyFailed.ts"
import type { Activity } from "../../../src/projections/summary/Activity.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import { event, inTask, type Unplaced } from "../given.ts"
import { append, onLog, read } from "../onLog.ts"

const opened = (goal = "Buy a lamp") => event("TaskOpened", { goal, agent: "ada@1", measures: [] })
const closed = (outcome: "achieved" | "failed" | "truncated" | "abandoned", reason?: string, unjudged?: true) =>
  event("TaskClosed", { outcome, ...(reason === undefined ? {} : { reason }), ...(unjudged ? { unjudged } : {}) })

let commands = 0

type End = { readonly result: Json } | { readonly code: string; readonly message: string } | "denied" | "unknown" | null

/** A command and its end, if it has one. */
const call = (actuator: string, args: JsonObject, end: End = { result: "done" }): ReadonlyArray<Unplaced> => {
  const commandId = `c${++commands}`
  const begun = event("ActuatorCommanded", { commandId, actuator, args, argsDigest: "0".repeat(64), priority: 0 })
  if (end === null) return [begun]
  if (end === "denied") return [begun, event("CommandDenied", { commandId, rule: "no-shop", reason: "Closed." })]
  if (end === "unknown") return [begun, event("CommandOutcomeUnknown", { commandId })]
  return [
    begun,
    "result" in end
      ? event("CommandSucceeded", { commandId, result: end.result })
      : event("CommandFailed", { commandId, error: { code: end.code, message: end.message } }),
  ]
}

const gone = { code: "gone", message: "It is sold." }

/** Explains the task of these events. */
const explained = (events: ReadonlyArray<Unplaced>, activity?: Activity) =>
  Effect.runPromise(
    onLog(
      Effect.gen(function* () {
        yield* append(inTask("t", events))
        return yield* WhyFailed.load("t", activity === undefined ? {} : { activity })
      }),
    ),
  )

const sentence = async (events: ReadonlyArray<Unplaced>, activity?: Activity) =>
  (await explained(events, activity)).sentence

describe("a task that failed", () => {
  it("names the last failure that nothing made good, and not one that was repeated with success", async () => {
    const lasting = call("shop/buy", { sku: "A1" }, gone)
    const repeated = [...call("shop/look", { sku: "A2" }, gone), ...call("shop/look", { sku: "A2" })]
    const why = await explained([opened(), ...lasting, ...repeated, closed("failed", "No lamp.")])
    expect(why).toMatchObject({
      standing: "failed",
      moment: 3,
      sentence: 'Failed after 3 steps (“No lamp.”); shop/buy {"sku":"A1"} failed with gone: It is sold (@3).',
    })
    const none = await explained([opened(), ...repeated, closed("failed")])
    expect(none).toMatchObject({
      moment: 6,
      sentence: "Failed after 2 steps; one call failed, and a later attempt succeeded.",
    })
  })

  it("counts equal failures, and the calls that came after the last one", async () => {
    const failing = [1, 2, 3].flatMap((size) => call("shop/buy", { size }, gone))
    const later = [4, 5, 6].flatMap((size) => call("shop/look", { size }))
    expect(await sentence([opened(), ...failing, ...later, closed("abandoned", "I gave up")])).toBe(
      'Abandoned after 6 steps (“I gave up”); shop/buy {"size":3} failed with gone: It is sold (@7, the last of 3 such failures, 3 calls before the end).',
    )
  })

  it("tells denials, unknown outcomes and calls without an end as such", async () => {
    const end = closed("abandoned", "its kernel ended")
    expect(await sentence([opened(), ...call("shop/buy", {}, "denied"), end])).toContain(
      "shop/buy {} was denied by no-shop: Closed (@3)",
    )
    expect(await sentence([opened(), ...call("shop/buy", {}, "unknown"), end])).toContain("has an unknown outcome (@3)")
    expect(await sentence([opened(), ...call("shop/buy", {}, null), end])).toContain("has no recorded end (@2)")
  })

  it("by a budget names it only if no call failed", async () => {
    const budget = event("BudgetExceeded", { budget: "tokens", limit: 100, used: 120 })
    const end = closed("truncated", "the budget of tokens is used up")
    expect(await sentence([opened(), ...call("shop/look", {}), budget, end])).toBe(
      "Stopped by a limit after 1 step (“the budget of tokens is used up”); the budget of tokens was used up: 120 of 100 (@4).",
    )
    const why = await explained([opened(), ...call("shop/buy", {}, gone), budget, end])
    expect(why).toMatchObject({ moment: 3, sentence: expect.stringContaining("shop/buy {} failed with gone") })
  })

  it("by a model that failed names the model, unless it answered later or will be asked again", async () => {
    const failed = (retryInMs?: number) =>
      event("ModelFailed", {
        kind: "overloaded",
        reason: "Too many requests.",
        ...(retryInMs === undefined ? {} : { retryInMs }),
      } as never)
    const end = closed("failed", "no answer")
    expect(await sentence([opened(), failed(), end])).toContain(
      "the language model failed (overloaded): Too many requests (@2)",
    )
    expect(await sentence([opened(), failed(500), end])).toContain("no call is recorded")
  })

  it("leaves out sensors that failed because their plugin's call did, but not others", async () => {
    const sensor = (name: string) =>
      event("SensorFailed", { sensor: name, error: { code: "lost", message: "No signal." } } as never)
    const events = [opened(), ...call("boiler/heat", {}, gone)]
    expect(await sentence([...events, sensor("boiler/heat"), closed("failed")])).toContain("boiler/heat {} failed")
    expect(await sentence([...events, sensor("door/open"), closed("failed")])).toContain(
      "door/open failed with lost: No signal (@4)",
    )
    expect(await sentence([opened(), sensor("door/open"), read(1, "door/open"), closed("failed")])).not.toContain(
      "lost",
    )
  })
})

describe("a task that did not fail", () => {
  it("says so, and invents no failure", async () => {
    const why = await explained([opened(), ...call("shop/look", { q: "lamps" }), closed("achieved", "Bought.")])
    expect(why).toMatchObject({
      standing: "achieved",
      moment: null,
      sentence: "Achieved after 1 step (“Bought.”); no call failed.",
      chain: [{ role: "end", position: 4 }],
      rules: {},
    })
    expect(await explained([opened(), closed("achieved")])).toMatchObject({
      moment: null,
      sentence: "Achieved after 0 steps; no call is recorded.",
      notes: ["No call is recorded, so none could be examined."],
    })
  })

  it("nor was judged, names its last failed call as a place to look at and not as the cause", async () => {
    const why = await explained([opened(), ...call("shop/buy", { n: 1 }, gone), closed("achieved", undefined, true)])
    expect(why).toMatchObject({
      standing: "finished",
      moment: 3,
      sentence:
        'Finished after 1 step, and nobody judged the result; look at its last call without success, which need not be a cause: shop/buy {"n":1} failed with gone: It is sold (@3).',
    })
  })
})

describe("an open task", () => {
  const working = [opened(), ...call("shop/look", {}), ...call("shop/buy", { sku: "A1" }, null)]

  it.each([
    ["running", "It has not failed: it is running, 2 steps so far."],
    ["paused", "It has not failed: it is paused after 2 steps."],
    ["unfinished", "It has not failed: its recording ends @4 after 2 steps without a close, and may still continue."],
    [
      "unknown",
      "It has not failed: it is open after 2 steps, and Hindcast cannot tell whether its process is still running.",
    ],
    ["waiting", "It has not failed: it waits for a person."],
  ] as const)("that is %s has not failed", async (activity, expected) => {
    expect(await explained(working, activity)).toMatchObject({ standing: "open", moment: null, sentence: expected })
  })

  it("that waits names the question", async () => {
    const asked = event("ConfirmationRequested", {
      confirmationId: "q",
      argsDigest: "0".repeat(64),
      shown: { actuator: "shop/buy", args: { sku: "A1" }, risk: "high" },
      expiresAt: 4e12,
    } as never)
    const question = { ...asked, envelope: { stream: "confirmation/q", taskId: "t" } }
    expect(await sentence([...working, question], "waiting")).toBe(
      'It has not failed: it waits for a person to decide on shop/buy {"sku":"A1"} (@5).',
    )
  })

  it("that stopped unexpectedly names the call that was under way", async () => {
    expect(await explained(working, "stopped")).toMatchObject({
      standing: "stopped",
      moment: 4,
      sentence:
        'Stopped unexpectedly @4 after 2 steps: its process ended without closing the task; shop/buy {"sku":"A1"} has no recorded end (@4).',
    })
  })
})

describe("what an agent had not read", () => {
  it("is a change of the world after its last reading", async () => {
    const changed = event("EnvironmentChanged", {
      plugin: "shop",
      patch: [{ op: "add", path: "/sold", value: true }],
    } as never)
    const before = [opened(), read({ lamps: 1 }, "shop/shelf"), changed]
    const end = [...call("shop/buy", { sku: "A1" }, gone), closed("failed")]
    const unread = async (events: ReadonlyArray<Unplaced>) =>
      (await explained(events)).chain.filter(({ rule }) => rule === "no reading since")
    expect(await unread([...before, ...end])).toEqual([
      {
        position: 3,
        role: "unread",
        says: "shop changed (1 value) after the last reading of shop/shelf @2",
        basis: "inferred",
        rule: "no reading since",
      },
    ])
    expect(await unread([...before, read({ lamps: 0 }, "shop/shelf"), ...end])).toEqual([])
    expect(await unread([opened(), changed, ...end])).toEqual([])
  })

  it("is a file that it changes and that no earlier call or text names", async () => {
    const write = call("editor/write", { file_path: "src/a.ts", content: "x" }, gone)
    const unread = async (events: ReadonlyArray<Unplaced>) =>
      (await explained([opened("Change src/a.ts"), ...events, closed("failed")])).chain.filter(
        ({ rule }) => rule === "never named",
      )
    expect(await unread(write)).toMatchObject([
      { role: "unread", says: expect.stringContaining("changes src/a.ts, which it had not read, unless it is new") },
    ])
    expect(await unread([...call("editor/read", { path: "src/a.ts" }), ...write])).toEqual([])
    expect(await unread([...call("editor/list", {}, { result: ["src/a.ts"] }), ...write])).toEqual([])
  })
})

describe("foreign text", () => {
  it("stays on one line, visible and short, also if it is named like a member of every object", async () => {
    const evil = `\u202egnirts\nsecond <b>line</b> ${"x".repeat(5_000)}`
    const events = [
      opened(evil),
      ...call("constructor/__proto__", { [evil]: evil }, { code: "constructor", message: evil }),
      ...call("shop/x", { path: evil, content: evil }, { code: evil, message: evil }),
      closed("failed", evil),
    ]
    const why = await explained(events)
    const texts = [why.sentence, ...why.chain.map(({ says }) => says), ...why.notes, ...Object.values(why.rules)]
    for (const text of texts) {
      expect(text).not.toMatch(/[\n\u202e]/)
      expect(text.length).toBeLessThan(1_200)
    }
    expect(Object.getPrototypeOf(why.rules)).toBe(Object.prototype)
  })
})
