import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import type { CallError } from "../../../src/plugins/PluginError.ts"
import { VARIABLE } from "../../../src/plugins/sandbox/Interpreter.ts"
import { isRecent, PYTHON } from "../../python/interpreter.ts"
import { logged } from "../fixtures.ts"
import { inLayer, strongest } from "../layers.ts"
import { derived, HILL, startPython } from "./given.ts"

const provide = inLayer(strongest)

const step = (action: unknown) => ({ action }) as never

/** Restores by its own methods, wind included. */
const RESTORING = derived(`
def state(self):
    version, words, gauss = self.wind.getstate()
    return {"at": self.at, "gust": self.gust, "wind": [version, list(words), gauss]}

def restore(self, state):
    self.at, self.gust = state["at"], state["gust"]
    version, words, gauss = state["wind"]
    self.wind.setstate((version, tuple(words), gauss))
    return [self.at, self.gust]
`)

describe.skipIf(!isRecent())(`an environment written in ${PYTHON}`, () => {
  it.scopedLive("is a world: its steps, its observations and its document", () =>
    Effect.gen(function* () {
      const { process } = yield* startPython({ code: HILL, entry: "sample:Hill" })
      const first = yield* process.reset({}, { seed: 7 })
      expect(first).toEqual({
        observation: [0, 0],
        episode: { step: 0, info: { height: 3 }, agents: { agent: { status: "active", return: 0 } } },
      })
      const { result, state } = yield* process.act("step", step(1))
      expect(result).toMatchObject({ terminated: false, truncated: false })
      const { reward, info } = result as { readonly reward: number; readonly info: { readonly gust: number } }
      expect(reward).toBe(-info.gust)
      expect(yield* process.read("observation")).toEqual([1, info.gust])
      expect(state).toMatchObject({ observation: [1, info.gust], episode: { step: 1 } })
      expect(yield* Effect.flip(process.act("step", step(2)))).toMatchObject({ error: { code: "ArgumentsInvalid" } })
      yield* process.act("step", step(1))
      const { state: last } = yield* process.act("step", step(1))
      expect(last).toMatchObject({ episode: { step: 3, agents: { agent: { status: "terminated" } } } })
      expect(yield* Effect.flip(process.act("step", step(1)))).toMatchObject({ error: { code: "EpisodeOver" } })
    }).pipe(provide),
  )

  it.scopedLive("takes the same seed for the same episode, in another process too", () =>
    Effect.gen(function* () {
      const play = Effect.gen(function* () {
        const { process } = yield* startPython({
          code: derived(`
def step(self, action):
    observation, _, *rest = super().step(action)
    return (observation, random.random() + hash("same in each process") % 7, *rest)
`),
        })
        yield* process.reset({}, { seed: 11 })
        return yield* Effect.forEach([1, 0, 1], (action) => process.act("step", step(action)))
      })
      const [one, other] = [yield* play, yield* play]
      expect(one).toEqual(other)
      expect(one).toHaveLength(3)
    }).pipe(provide),
  )

  it.scopedLive(
    "takes options of a reset, variables as arguments of its class, and the manifest's limit of steps",
    () =>
      Effect.gen(function* () {
        const { process } = yield* startPython({
          code: HILL,
          entry: "sample:Hill",
          variables: [{ key: "height", value: 9 }],
          environment: { max_episode_steps: 2 },
        })
        expect(yield* process.reset({ from: 5 }, { seed: 1 })).toMatchObject({
          observation: [5, 0],
          episode: { info: { height: 9 } },
        })
        yield* process.act("step", step(1))
        expect((yield* process.act("step", step(1))).result).toMatchObject({ terminated: false, truncated: true })
      }).pipe(provide),
  )

  it.scopedLive("is restored by its own methods, and draws the same numbers then", () =>
    Effect.gen(function* () {
      const sample = { code: RESTORING, environment: { rewind: ["snapshot"] } }
      const { process } = yield* startPython(sample)
      yield* process.reset({}, { seed: 3 })
      const { state = null } = yield* process.act("step", step(1))
      const next = yield* process.act("step", step(1))
      const { process: other } = yield* startPython(sample)
      expect(yield* other.restore({}, state)).toEqual(state)
      expect(yield* other.act("step", step(1))).toEqual(next)
    }).pipe(provide),
  )

  it.scopedLive("holds an episode in each slot, without a restore too", () =>
    Effect.gen(function* () {
      const { process } = yield* startPython({ code: HILL, entry: "sample:Hill" })
      const begun = yield* process.slots([0, 1].map((slot) => ({ slot, reset: { options: {}, seed: slot } })))
      expect(begun.map(({ readings }) => readings)).toEqual([{ observation: [0, 0] }, { observation: [0, 0] }])
      const both = yield* process.slots([
        { slot: 0, action: 1 },
        { slot: 1, action: 0 },
        { slot: 0, action: 1 },
        { slot: 1, action: 5 },
      ])
      expect(both.map(({ state }) => state)).toMatchObject([
        { episode: { step: 1 } },
        { episode: { step: 1 } },
        { episode: { step: 2 } },
        { episode: { step: 1 } },
      ])
      expect(both[3]?.error?.code).toBe("ActionOutsideSpace")
    }).pipe(provide),
  )

  it.scopedLive("refuses a slot's state that its restore does not bring back", () =>
    Effect.gen(function* () {
      const { process } = yield* startPython({
        code: derived(`
def state(self):
    return {"at": self.at}

def restore(self, state):
    return [self.at, 0.0]
`),
        environment: { rewind: ["snapshot"] },
      })
      const document = { at: 2, episode: { step: 2, agents: { agent: { status: "active", return: -1 } } } }
      const failure = yield* Effect.flip(process.slots([{ slot: 0, restore: { options: {}, state: document } }]))
      expect(failure).toMatchObject({ error: { code: "RestoreDiffers" } })
    }).pipe(provide),
  )

  it.scopedLive("prints into the log, by Python and below it, without a broken frame", () =>
    Effect.gen(function* () {
      const { process, events } = yield* startPython({
        code: derived(`
def step(self, action):
    import os, sys
    print("a", end="")
    print("b")
    print("{\\"type\\": \\"ready\\"}")
    os.write(1, b"below\\n")
    sys.stderr.write("aside\\n")
    return super().step(action)
`),
      })
      yield* process.reset({}, { seed: 1 })
      yield* process.act("step", step(1))
      yield* process.ping
      expect(logged(events)).toEqual(
        expect.arrayContaining(["info: ab", 'info: {"type": "ready"}', "warn: below", "warn: aside"]),
      )
      expect(events.filter(({ type }) => type === "PluginMisbehaved")).toEqual([])
    }).pipe(provide),
  )

  it.scopedLive.each([
    [
      "NaN",
      `return [float("nan"), 0.0], 0.0, False, False, {}`,
      /observation of agent at \/0: expected JSON, found nan/,
    ],
    ["100 MB", `return [0.0] * 12_500_000, 0.0, False, False, {}`, /more than 1048576 values/],
    ["an array of 100 MB", ARRAY(), /an array of 12500000 numbers/],
    ["an object", `return object(), 0.0, False, False, {}`, /an instance of object/],
    ["another shape", `return [1.0], 0.0, False, False, {}`, /expected Box\(.*found \[1.0\]/],
  ] as const)("names an observation that is %s, and goes on", ([_, line, said]) =>
    Effect.gen(function* () {
      const { process } = yield* startPython({
        code: derived(`
def step(self, action):
    if action == 1:
        ${line.split("\n").join("\n        ")}
    return super().step(action)
`),
      })
      yield* process.reset({}, { seed: 1 })
      expect((yield* process.act("step", step(1))).state).toMatchObject({ observation: null, episode: { step: 1 } })
      expect((yield* Effect.flip(process.read("observation"))).message).toMatch(said)
      yield* process.act("step", step(0))
      expect(yield* process.read("observation")).toHaveLength(2)
    }).pipe(provide),
  )

  it.scopedLive.each([
    ["four values", "return [0.0, 0.0], 0.0, False, {}", "InvalidStep"],
    ["a reward of NaN", `return [0.0, 0.0], float("nan"), False, False, {}`, "InvalidReward"],
    ["a reward that is text", `return [0.0, 0.0], "1", False, False, {}`, "InvalidReward"],
    ["a flag that is a number", "return [0.0, 0.0], 0.0, 1, False, {}", "InvalidFlag"],
    ["no info", "return [0.0, 0.0], 0.0, False, False, None", "InvalidStepInfo"],
    ["an exception", "raise RuntimeError('the rope broke')", "RuntimeError"],
    ["an end of the program", "raise SystemExit(3)", "SystemExit"],
    ["endless recursion", "return self.step(action)", "RecursionError"],
  ] as const)("fails a step with %s", ([_, line, code]) =>
    Effect.gen(function* () {
      const { process } = yield* startPython({ code: derived(`def step(self, action):\n    ${line}`) })
      yield* process.reset({}, { seed: 1 })
      expect(yield* Effect.flip(process.act("step", step(1)))).toMatchObject({ error: { code } })
      expect(yield* process.ping).toBeGreaterThan(0)
    }).pipe(provide),
  )

  it.scopedLive("keeps an info readable whose values JSON cannot hold", () =>
    Effect.gen(function* () {
      const { process } = yield* startPython({
        code: derived(`
def step(self, action):
    observation, reward, done, cut, _ = super().step(action)
    return observation, reward, done, cut, {"best": float("inf"), 3: {4}, "big": 2**70, "lone": "\\ud800"}
`),
      })
      yield* process.reset({}, { seed: 1 })
      expect((yield* process.act("step", step(1))).result).toMatchObject({
        info: { best: "inf", 3: "{4}", big: String(2n ** 70n), lone: "?" },
      })
    }).pipe(provide),
  )

  it.scopedLive("ends with its process: the call in flight is named", () =>
    Effect.gen(function* () {
      const { process } = yield* startPython({
        code: derived("def step(self, action):\n    import os\n    os._exit(70)"),
      })
      yield* process.reset({}, { seed: 1 })
      expect(yield* Effect.flip(process.act("step", step(1)))).toMatchObject({
        _tag: "PluginExited",
        code: 70,
        call: "act sample/step",
      })
    }).pipe(provide),
  )

  it.scopedLive.each([
    ["reset sample", "def reset(self, *, seed=None, options=None):\n    while True: pass"],
    ["act sample/step", "def step(self, action):\n    import time\n    while True: time.sleep(60)"],
  ] as const)("a call without end times out, and its process is killed: %s", ([call, code]) =>
    Effect.gen(function* () {
      const { process } = yield* startPython({ code: derived(code) })
      const limit = { timeoutMs: 300 }
      if (call !== "reset sample") yield* process.reset({}, { seed: 1 })
      const calling: Effect.Effect<unknown, CallError> =
        call === "reset sample" ? process.reset({}, { seed: 1, ...limit }) : process.act("step", step(1), limit)
      expect(yield* Effect.flip(calling)).toMatchObject({ _tag: "CallTimedOut", call, afterMs: 300 })
      expect((yield* process.exited).reason).toBe(`it did not acknowledge within 300 ms that ${call} was cancelled`)
    }).pipe(provide),
  )

  it.scopedLive("answers pings during a long step", () =>
    Effect.gen(function* () {
      const { process } = yield* startPython(
        {
          code: derived(`
def step(self, action):
    import time
    until = time.monotonic() + 1.0
    while time.monotonic() < until: pass
    return super().step(action)
`),
        },
        { limits: { pingMs: 100 } },
      )
      yield* process.reset({}, { seed: 1 })
      expect((yield* process.act("step", step(1))).result).toMatchObject({ terminated: false })
    }).pipe(provide),
  )

  describe("does not start", () => {
    const refused = (sample: Parameters<typeof startPython>[0], events: Array<CoreNewEvent> = []) =>
      Effect.flip(Effect.scoped(startPython(sample, { events })))

    it.scopedLive("with other spaces than the manifest's", () =>
      Effect.gen(function* () {
        const action = { type: "Discrete", n: 3 }
        const { message } = yield* refused({
          code: HILL,
          entry: "sample:Hill",
          environment: { spaces: spaces(action) },
        })
        expect(message).toContain(
          "the action space of the class is not the manifest's, at /peas/environment/spaces/action/n: the manifest has 3, and the class 2",
        )
      }).pipe(provide),
    )

    it.scopedLive.each([
      ["no such module", { entry: "absent:Hill" }, /expected a module absent in the plugin's directory/],
      ["no such class", { entry: "sample:Valley" }, /expected the module sample to have Valley/],
      ["no environment", { code: "class Sample: pass" }, /found Sample without reset/],
      ["an older reset", { code: derived("def reset(self): return [0.0, 0.0]") }, /without seed and options/],
      ["a package that is missing", { code: "import no_such_package" }, /needs the package no_such_package/],
      [
        "a mistake in its code",
        { code: "def Sample():\n    return 1 / 0" },
        /ZeroDivisionError.*\(sample.py, line 2\)/,
      ],
      ["an end while it loads", { code: "raise SystemExit('bye')" }, /SystemExit: bye/],
      ["a snapshot without a restore", { environment: { rewind: ["snapshot"] } }, /environment.restore/],
      ["a mask without a method", { environment: { mask: true } }, /sensor action_mask/],
    ] as const)("with %s", ([_, sample, said]) =>
      Effect.gen(function* () {
        expect((yield* refused({ code: derived("pass"), ...sample })).message).toMatch(said)
      }).pipe(provide),
    )

    it.scopedLive("with another version of Python than the manifest names", () =>
      Effect.gen(function* () {
        const { message } = yield* refused({ code: HILL, entry: "sample:Hill", python: "3.250" })
        expect(message).toMatch(/expected Python 3\.250 on the PATH, found .*which is Python 3\.\d+\.\d+/)
        expect(message).toContain(VARIABLE)
      }).pipe(provide),
    )
  })
})

const spaces = (action: object) => ({
  observation: { type: "Box", dtype: "float64", shape: [2], low: "-Infinity", high: "Infinity" },
  action,
})

/** An array as numpy's, which this Python need not have. */
function ARRAY(): string {
  return `import types
dtype = types.SimpleNamespace(kind="f", itemsize=8)
big = types.SimpleNamespace(dtype=dtype, size=12_500_000, tolist=lambda: [0.0] * 12_500_000)
return big, 0.0, False, False, {}`
}
