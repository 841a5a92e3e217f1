import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import type { Json } from "../../../src/values/Json.ts"
import { CHECKS, check, type Report } from "../../../src/worlds/conformance/Conformance.ts"
import type { DrivenWorld, Start, Stepped, WorldFacts } from "../../../src/worlds/conformance/DrivenWorld.ts"
import { episodeIn } from "../../../src/worlds/conformance/episodeChecks.ts"
import { LIMIT, type Mistake, opening } from "./walkers.ts"

const SHORT = { seeds: [1, 2], steps: 20 }

const withStatus = ({ findings }: Report, status: "failed" | "inapplicable") =>
  findings.filter((finding) => finding.status === status).map(({ number }) => number)

/** The checks that apply, and found nothing to look at. */
const untried = ({ findings }: Report) =>
  findings.flatMap((finding) =>
    finding.status === "inapplicable" && finding.why.startsWith("nothing was tested") ? [finding.number] : [],
  )

/** Checks for which there is nothing to do in Hindcast's interface. */
const MEANINGLESS = [13, 18, 28, 29, 34, 35, 39, 40, 41]

/** Changes what every agent has after a reset. */
const each = (start: Start, change: (agent: string) => Partial<Start["agents"][string]>): Start => ({
  ...start,
  agents: Object.fromEntries(Object.entries(start.agents).map(([agent, its]) => [agent, { ...its, ...change(agent) }])),
})

/** Changes what every agent got for a step. */
const results = (stepped: Stepped, change: { readonly [field: string]: Json | undefined }): Stepped => ({
  ...stepped,
  results: Object.fromEntries(
    Object.entries(stepped.results).map(([agent, result]) => {
      const fields = Object.entries({ ...result, ...change })
      return [agent, Object.fromEntries(fields.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))]
    }),
  ),
})

const observed = (stepped: Stepped, observation: Json): Stepped => ({
  ...stepped,
  observations: Object.fromEntries(Object.keys(stepped.observations).map((agent) => [agent, observation])),
})

/** The document with other contents of `episode`. */
const noted = <A extends { readonly document: Json }>(answer: A, change: { readonly [key: string]: Json }): A => ({
  ...answer,
  document: { episode: { ...episodeIn(answer.document), ...change } },
})

const outside: Json = { at: [51], wind: 0 }
const box = { type: "Box", dtype: "float32", shape: [2], low: 0, high: 1 }
const discrete = { type: "Discrete", n: 2 }
const acting = (action: unknown): Mistake => ({ spaces: { observation: undefined, action } })

/** A world that has masks, and never gives any. */
const MASKLESS: Mistake = {
  start: (start) => each(start, () => ({ mask: null })),
  stepped: (stepped) => ({ ...stepped, masks: {} }),
}

/** A step that ends the episode of each agent, and shows nothing. */
const lastStep = (stepped: Stepped): Stepped => ({ ...results(stepped, { terminated: true }), observations: {} })

/** For each check, a world with that mistake, and the checks that fail besides since they follow from it. */
const MISTAKES: ReadonlyArray<readonly [number, string, Mistake, ReadonlyArray<number>, WorldFacts["mode"]?]> = [
  [
    1,
    "no space of actions",
    { start: (start) => each(start, () => ({ spaces: { observation: box, action: null } })) },
    [16],
  ],
  [2, "a space of an unknown type", acting({ type: "Graph" }), [1]],
  [2, "an unknown field", acting({ ...discrete, m: 1 }), [1]],
  [3, "bounds of another shape", acting({ ...box, low: [0, 0, 0] }), [1]],
  [4, "a lower bound above the upper one", acting({ ...box, low: [0, 2] }), [1]],
  [7, "nothing to choose from", acting({ type: "Discrete", n: 0 }), [1]],
  [
    8,
    "nothing to choose from, in a part",
    acting({ type: "Tuple", subspaces: [{ type: "MultiDiscrete", nvec: [2, 0] }] }),
    [1],
  ],
  [9, "no dimension", acting({ type: "MultiBinary", n: [2, 0] }), [1]],
  [10, "an empty Dict", acting({ type: "Tuple", subspaces: [{ type: "Dict", subspaces: {} }] }), [1]],
  [
    11,
    "large seeds refused",
    { start: (start, { seed }) => (seed >= 2 ** 32 ? { code: "BadSeed", message: "too large" } : start) },
    [],
  ],
  [
    12,
    "options refused",
    { start: (start, { withOptions }) => (withOptions ? { code: "NoOptions", message: "none" } : start) },
    [],
  ],
  [14, "a reset that fails", { start: () => ({ code: "Broken", message: "out of order" }) }, []],
  [15, "info as text", { start: (start) => each(start, () => ({ info: "calm" })) }, []],
  [
    16,
    "a first observation outside of its space",
    { start: (start) => each(start, () => ({ observation: outside })) },
    // What is only shown, and not in the state, is not there after it was restored.
    [51],
  ],
  [16, "one that was refused", { start: () => ({ code: "ObservationOutsideSpace", message: "agent: 51" }) }, []],
  [
    17,
    "a reset that depends on the one before",
    { start: (start, { resets }) => each(start, () => ({ info: { resets } })) },
    [],
  ],
  [19, "seeds without effect", { start: (start) => noted(start, { rng: { state: 1 } }) }, [51]],
  [20, "a step without a field", { stepped: (stepped) => results(stepped, { info: undefined }) }, []],
  [
    20,
    "a step refused, without a mask",
    { facts: { mask: false }, stepped: () => ({ code: "Torn", message: "the sail is torn", byStep: true }) },
    [],
  ],
  [20, "a step that is broken", { stepped: () => ({ code: "TypeError", message: "no sail", byStep: true }) }, []],
  [20, "a step without a form", { stepped: () => ({ code: "InvalidStep", message: "a surprise", byStep: true }) }, []],
  [
    21,
    "outside of its space after a step",
    { stepped: (stepped, { step }) => (step === 1 ? observed(stepped, outside) : stepped) },
    [],
  ],
  [22, "an observation of another form", { stepped: (stepped) => observed(stepped, { at: 1, wind: 0 }) }, [21, 42, 51]],
  [23, "an infinite reward", { stepped: (stepped) => results(stepped, { reward: Infinity }) }, []],
  [
    24,
    "flags as numbers",
    { stepped: (stepped, { step }) => (step < 3 ? results(stepped, { terminated: 0 }) : stepped) },
    [],
  ],
  [
    25,
    "a step that depends on earlier episodes",
    { stepped: (stepped, { resets }) => results(stepped, { info: { resets } }) },
    [],
  ],
  [
    26,
    "a generator that depends on earlier episodes",
    { stepped: (stepped, { resets }) => noted(stepped, { rng: { resets } }) },
    [],
  ],
  [27, "truncated at once", { stepped: (stepped) => results(stepped, { truncated: true }) }, [36]],
  [30, "a second close that fails", { secondClose: { code: "Closed", message: "already closed" } }, []],
  [31, "over after a reset", { start: (start) => noted(start, { agents: { agent: { status: "terminated" } } }) }, [51]],
  [32, "nobody", { start: (start) => ({ ...start, agents: {} }) }, [], "parallel"],
  [33, "more agents than can be", { facts: { maxAgents: 1 } }, [], "parallel"],
  [36, "steps after the end", { undead: true }, []],
  [
    37,
    "a result after the end",
    {
      stepped: (stepped, { live }) =>
        live.length === 2
          ? stepped
          : {
              ...stepped,
              results: {
                ...results(stepped, {}).results,
                bob: { reward: 0, terminated: false, truncated: false, info: {} },
              },
            },
    },
    [],
    "parallel",
  ],
  [
    38,
    "no result for who acted",
    { stepped: (stepped, { step }) => (step === 2 ? { ...stepped, results: {} } : stepped) },
    [],
  ],
  [
    38,
    "a result for somebody else",
    {
      stepped: (stepped) => ({
        ...stepped,
        results: { ...stepped.results, eve: { reward: 0, terminated: false, truncated: false, info: {} } },
      }),
    },
    [],
  ],
  [
    42,
    "outside of its space later",
    { stepped: (stepped, { step }) => (step === 5 ? observed(stepped, outside) : stepped) },
    [],
  ],
  [
    42,
    "outside of its space later, refused",
    {
      stepped: (stepped, { step }) =>
        step === 5 ? { code: "ObservationOutsideSpace", message: "agent: 51" } : stepped,
    },
    [],
  ],
  [
    43,
    "a mask without legal actions",
    { stepped: (stepped) => ({ ...stepped, masks: { agent: [0, 0, 0] } }) },
    [51, 54],
  ],
  [
    43,
    "an action that the mask leaves, refused",
    { stepped: (stepped, { step }) => (step === 2 ? { code: "ActionOutsideSpace", message: "agent: 1" } : stepped) },
    [],
  ],
  [
    43,
    "an action that the mask leaves, refused by the world",
    { stepped: (stepped, { step }) => (step === 2 ? { code: "Torn", message: "torn", byStep: true } : stepped) },
    [],
  ],
  [43, "a mask that is none after the reset", { start: () => ({ code: "MaskOutsideSpace", message: "a text" }) }, []],
  [44, "nothing shown to somebody", { stepped: (stepped) => ({ ...stepped, observations: {} }) }, [51], "parallel"],
  [
    45,
    "nobody's turn",
    { stepped: (stepped, { step }) => (step === 2 ? { ...stepped, turn: null } : stepped) },
    [],
    "turn-based",
  ],
  [
    46,
    "a copy that knows which one it is",
    { start: (start, { copy }) => each(start, () => ({ info: { first: copy === 0 } })) },
    [],
  ],
  [47, "longer than its limit", { endless: true }, [45]],
  [48, "a state that is no object", { stepped: (stepped) => ({ ...stepped, document: null }) }, [51, 52]],
  [49, "an info that is a text", { stepped: (stepped) => results(stepped, { info: "calm" }) }, []],
  [
    50,
    "another order of agents",
    { stepped: (stepped) => ({ ...stepped, named: stepped.named?.toReversed() }) },
    [],
    "parallel",
  ],
  [51, "a state that is restored wrongly", { lost: true }, []],
  [51, "a state that lacks something", { windless: true }, []],
  [52, "observations that change the world", { gusty: true }, [51]],
  [53, "refused actions that change the world", { sore: "openly" }, []],
  [53, "refused actions that change what follows", { sore: "secretly" }, []],
  [54, "a mask that is too strict", { lenient: true }, []],
  [55, "no end", { endless: true, facts: { maxEpisodeSteps: null } }, []],
]

describe("the conformance checks", () => {
  it("are the 48 of Gymnasium and PettingZoo and those of Hindcast, each with a name of its own", () => {
    expect(CHECKS.map(({ number }) => number)).toEqual(Array.from({ length: 55 }, (_, index) => index + 1))
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length)
    for (const { name, sentence } of CHECKS) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(sentence).toMatch(/^[A-Za-z].*\.$/)
    }
  })

  it.effect.each<[WorldFacts["mode"], ReadonlyArray<number>]>([
    // Alone, nobody is left who could see an agent come back.
    ["single", [8, 9, 37, 44, 50]],
    // No walker comes to the wall.
    ["parallel", [8, 9, 53, 54]],
    ["turn-based", [8, 9, 44, 53, 54]],
  ])("find nothing wrong with a world that conforms: %s", ([mode, others]) =>
    Effect.gen(function* () {
      const report = yield* check(opening(mode), SHORT)
      expect(report.findings.filter(({ status }) => status === "failed")).toEqual([])
      expect(report.conforms).toBe(true)
      expect(withStatus(report, "inapplicable").filter((number) => !MEANINGLESS.includes(number))).toEqual([
        6,
        ...others,
      ])
    }),
  )

  it.effect.each(MISTAKES)(
    "find one mistake and what follows from it: %s, %s",
    ([number, _, mistake, followers, mode = "single"]) =>
      Effect.gen(function* () {
        const report = yield* check(opening(mode, mistake), SHORT)
        expect(withStatus(report, "failed").filter((failed) => !followers.includes(failed))).toEqual([number])
        expect(report.conforms).toBe(false)
      }),
  )

  it.effect.each<[string, Partial<WorldFacts>]>([
    ["with a limit", {}],
    ["without one", { maxEpisodeSteps: null }],
  ])("find nothing wrong with a world that is slow, and slower each time, %s", ([, facts]) =>
    Effect.gen(function* () {
      let resets = 0
      const open = Effect.map(
        opening("single", { facts }),
        (world): DrivenWorld => ({
          ...world,
          reset: (...given) => Effect.tap(world.reset(...given), () => resets++),
          step: (actions) => Effect.zipLeft(world.step(actions), TestClock.adjust(1_000 + 500 * resets)),
        }),
      )
      const { findings } = yield* check(open, SHORT)
      expect(findings.filter(({ status }) => status === "failed")).toEqual([])
      const found = findings.filter(({ number }) => [25, 26, 45, 46].includes(number))
      expect(found).toMatchObject([
        ...[{ status: "passed" }, { status: "passed" }],
        { status: "inapplicable", why: expect.stringContaining("took too long and was stopped") },
        { status: "passed" },
      ])
    }),
  )

  it("have a world for each check that can fail", () => {
    const advice = [5, 6]
    const shown = [...MISTAKES.map(([number]) => number), ...MEANINGLESS, ...advice]
    expect(new Set(shown).size).toBe(CHECKS.length)
  })

  it.effect("point out bounds that are infinite or not normalised, without failing", () =>
    Effect.gen(function* () {
      const action = { type: "Box", dtype: "float32", shape: [2], low: [-1, "-Infinity"], high: [1, 2] }
      const { findings } = yield* check(opening("single", { spaces: { observation: box, action } }), SHORT)
      expect(findings[4]).toMatchObject({ status: "passed", note: "agent/action: some bounds are infinite" })
      expect(findings[5]).toMatchObject({ status: "passed", note: expect.stringContaining("from -1 or 0 to 1") })
    }),
  )

  it.effect("say that nothing was tested, where no action is refused and no step is taken", () =>
    Effect.gen(function* () {
      expect(untried(yield* check(opening("single"), SHORT))).toEqual([37])
      expect(untried(yield* check(opening("parallel"), SHORT))).toEqual([53, 54])
      const torn: Mistake = { stepped: () => ({ code: "Torn", message: "torn", byStep: true }), facts: { mask: false } }
      expect(untried(yield* check(opening("single", torn), SHORT))).toEqual([25, 26, 45, 46, 51, 55])
      const unlike: Mistake = { stepped: (stepped, { resets }) => results(stepped, { info: { resets } }) }
      expect(untried(yield* check(opening("single", unlike), SHORT))).toEqual([37, 51, 52, 53, 54])
    }),
  )

  it.effect.each<[string, ReadonlyArray<number>, Mistake, WorldFacts["mode"], number]>([
    ["no mask, though it says that it has some", [43], MASKLESS, "single", 20],
    ["no observation with a space", [16, 21, 42], acting(discrete), "single", 20],
    ["no observation", [21, 22, 42], { stepped: (stepped) => ({ ...stepped, observations: {} }) }, "single", 20],
    ["no reward", [23], { stepped: (stepped) => results(stepped, { reward: undefined }) }, "single", 20],
    ["no info", [49], { stepped: (stepped) => results(stepped, { info: undefined }) }, "single", 20],
    [
      "no flag",
      [24],
      { stepped: (stepped) => results(stepped, { terminated: undefined, truncated: undefined }) },
      "single",
      20,
    ],
    ["no result", [23, 24, 27, 49], { stepped: (stepped) => ({ ...stepped, results: {}, named: [] }) }, "single", 20],
    ["no second step", [42], {}, "single", 1],
    ["no agent that acts next", [44], { facts: { maxEpisodeSteps: 1 }, stepped: lastStep }, "parallel", 1],
    ["nobody", [1, 14, 15, 16], { start: (start) => ({ ...start, agents: {} }) }, "parallel", 20],
  ])("do not pass where they found nothing to look at: %s", ([, numbers, mistake, mode, steps]) =>
    Effect.gen(function* () {
      const report = yield* check(opening(mode, mistake), { ...SHORT, steps })
      expect(untried(report)).toEqual(expect.arrayContaining([...numbers]))
    }),
  )

  it.effect("do not judge bounds of whole numbers, nor truncation where the limit is one step", () =>
    Effect.gen(function* () {
      const action = { type: "Box", dtype: "int64", shape: [2], low: 0, high: 9 }
      const mistake: Mistake = { spaces: { observation: box, action }, facts: { maxEpisodeSteps: 1 } }
      const { findings } = yield* check(opening("single", mistake), SHORT)
      expect(findings[5]).toMatchObject({ status: "inapplicable", why: "no such space is a valid Box" })
      expect(findings[26]).toMatchObject({ status: "inapplicable", why: "the limit is one step" })
    }),
  )

  it.effect.each<[string, Mistake, ReadonlyArray<number>]>([
    ["that cannot be restored", { unrestorable: true }, [51]],
    ["whose mask only advises", { lenient: true, facts: { advice: true } }, [53, 54]],
    ["that says that it does not end", { endless: true, facts: { maxEpisodeSteps: null, endless: true } }, [45, 55]],
  ])("do not ask of a world %s what it does not say of itself", ([, mistake, numbers]) =>
    Effect.gen(function* () {
      const report = yield* check(opening("single", mistake), SHORT)
      expect(withStatus(report, "failed")).toEqual([])
      expect(withStatus(report, "inapplicable")).toEqual(expect.arrayContaining([...numbers]))
    }),
  )

  it.effect("say where something is wrong, and how often", () =>
    Effect.gen(function* () {
      const mistake: Mistake = { stepped: (stepped, { step }) => (step > 3 ? observed(stepped, outside) : stepped) }
      const { findings } = yield* check(opening("single", mistake), SHORT)
      expect(findings[41]).toEqual({
        number: 42,
        name: "observations-stay-in-space",
        sentence: "All observations of whole episodes are in their spaces.",
        status: "failed",
        why: `episode 1, step 4: agent: /at/0: expected a whole number from -50 to 50, found 51; and ${2 * (LIMIT - 3) - 1} more`,
      })
    }),
  )

  it.effect("say why a check does not apply", () =>
    Effect.gen(function* () {
      const { findings } = yield* check(opening("single", { facts: { maxEpisodeSteps: null, mask: false } }), {
        steps: 3,
      })
      expect(findings[42]).toMatchObject({ status: "inapplicable", why: "the world has no masks" })
      expect(findings[44]).toMatchObject({ status: "inapplicable", why: expect.stringContaining("within 3 steps") })
      expect(findings[46]).toMatchObject({ status: "inapplicable", why: "the world declares no limit" })
    }),
  )

  it.effect("end if the world does not answer", () =>
    Effect.gen(function* () {
      const silent = Effect.map(opening("single"), (world): DrivenWorld => ({ ...world, step: () => Effect.never }))
      const checking = yield* Effect.fork(check(silent, SHORT))
      yield* TestClock.adjust("10 minutes")
      const report = yield* Fiber.join(checking)
      expect(report.findings[19]).toMatchObject({ status: "failed", why: expect.stringContaining("TimedOut") })
      expect(withStatus(report, "failed")).toEqual([20])
    }),
  )

  it.effect("end if the world never ends", () =>
    Effect.gen(function* () {
      const slow = Effect.map(
        opening("single", { endless: true, facts: { maxEpisodeSteps: null } }),
        (world): DrivenWorld => ({ ...world, step: (actions) => Effect.delay(world.step(actions), "9 seconds") }),
      )
      const checking = yield* Effect.fork(check(slow, SHORT))
      yield* TestClock.adjust("10 minutes")
      expect(withStatus(yield* Fiber.join(checking), "failed")).toEqual([])
    }),
  )

  it.effect("fail as a whole only if the world does not start", () =>
    Effect.gen(function* () {
      const refusal = { code: "NoDeno", message: "Deno is not installed" }
      expect(yield* Effect.flip(check(Effect.fail(refusal)))).toEqual(refusal)
    }),
  )

  it.effect("replace a copy that ended, and close each that they start", () =>
    Effect.gen(function* () {
      let [opened, ended] = [0, 0]
      const counted = Effect.acquireRelease(
        Effect.tap(opening("single", { stepped: () => ({ code: "Sunk", message: "", ended: true }) }), () =>
          Effect.sync(() => opened++),
        ),
        () => Effect.sync(() => ended++),
      )
      yield* check(counted, SHORT)
      expect(opened).toBeGreaterThan(3)
      expect(ended).toBe(opened)
    }),
  )
})
