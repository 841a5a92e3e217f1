import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as PluginHost from "../../../src/plugins/process/PluginHost.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { closed, critic, judgeWith, lamp, opened, rubric, type Sample, story } from "./given.ts"

const lit = rubric([
  { name: "lit", weight: 0.5 },
  { name: "each", weight: 0.1, per: "occurrence" },
])

const share = rubric([{ name: "pushed", weight: 0.5, per: "step" }])

const task = story(opened, lamp(true), lamp(false), lamp(true), closed)

/** What a function's answer comes to over one task. */
const judged = (sample: Partial<Sample> & Pick<Sample, "light">, events = task) =>
  Effect.gen(function* () {
    const made = yield* critic({ rubric: lit, ...sample })
    return { ...made, judgements: yield* judgeWith(made.critic, events) }
  }).pipe(Effect.provide(PluginHost.layerOf({ consent: "flags" })))

/** The reasons for which rewards were not scored, by their names. */
const reasons = (light: string, more: Partial<Sample> = {}) =>
  Effect.map(judged({ light, ...more }), ({ judgements }) =>
    Object.fromEntries(judgements.map((one) => [one.name, one.kind === "unscored" ? one.reason : one.kind])),
  )

describe("a plugin's function that judges", () => {
  it.scopedLive("sees the task, its state and all of its events, and gives what it found with its evidence", () =>
    Effect.gen(function* () {
      const { critic, judgements, recorded } = yield* judged({
        light: `
          const on = []
          for await (const { type, payload, position } of task.events) {
            if (type === "SensorRead" && payload.reading === true) on.push(position)
          }
          const { id, goal, agent, outcome, state, measure } = task
          context.log(JSON.stringify({ id, goal, agent, outcome, lamp: state.readings["room/lamp"], now: context.now }))
          context.log(measure.rewards.map(({ name }) => name).join())
          return [
            { name: "lit", because: on, rationale: "it was on at the end" },
            ...on.map((position) => ({ name: "each", because: [position] })),
          ]`,
      })
      expect(judgements).toEqual([
        {
          measure: "judge/light",
          name: "lit",
          kind: "reward",
          weight: 0.5,
          amount: 0.5,
          occurrences: 1,
          because: [2, 4],
          rationale: "it was on at the end",
        },
        { measure: "judge/light", name: "each", kind: "reward", weight: 0.1, amount: 0.2, because: [2, 4] },
      ])
      expect(critic).toMatchObject({ name: "plugin:judge@1.0.0", exact: true })
      expect(critic.digest).toMatch(/^[0-9a-f]{64}$/)
      expect(recorded.map(({ payload }) => "message" in payload && payload.message)).toEqual([
        '{"id":"t1","goal":"Light it","agent":"a@1","outcome":"achieved","lamp":true,"now":40}',
        "lit,each",
      ])
    }),
  )

  it.scopedLive("counts by step as a share of the commands", () =>
    Effect.gen(function* () {
      const light = 'return [{ name: "pushed", because: [1], occurrences: 3 }]'
      const none = (yield* judged({ light, rubric: share })).judgements
      expect(none).toEqual([
        {
          measure: "judge/light",
          name: "pushed",
          kind: "unscored",
          reason: "it counts by step, and the task has no command",
        },
      ])
      const pushes = Array.from({ length: 6 }, (_, index) => ({
        type: "ActuatorCommanded" as const,
        payload: { commandId: `c${index}`, actuator: "room/push", args: {}, argsDigest: "d", priority: 0 },
      }))
      const some = yield* judged({ light, rubric: share }, story(opened, ...pushes, closed))
      expect(some.judgements).toMatchObject([{ name: "pushed", amount: 0.25, occurrences: 3 }])
    }),
  )

  it.scopedLive("is silent about what did not happen", () =>
    Effect.gen(function* () {
      expect((yield* judged({ light: "return []" })).judgements).toEqual([])
      const none = 'return [{ name: "each", occurrences: 0, because: [] }]'
      expect((yield* judged({ light: none })).judgements).toEqual([])
    }),
  )

  it.scopedLive("is not shown what came after the task was closed, nor scores of before", () =>
    Effect.gen(function* () {
      const reward = { scoreSetId: "s", measure: "m", name: "r", weight: 1, amount: 1, because: [1] }
      const events = story(opened, { type: "RewardGiven", payload: reward }, closed, lamp(true))
      const light = `
        const types = []
        for await (const { type } of task.events) types.push(type)
        return [{ name: "lit", because: [1], rationale: types.join() }]`
      expect((yield* judged({ light }, events)).judgements).toMatchObject([{ rationale: "TaskOpened,TaskClosed" }])
    }),
  )

  it.scopedLive("reads a task that is much longer than a frame, again and again, page by page", () =>
    Effect.gen(function* () {
      const text = "x".repeat(200_000)
      const long = story(
        opened,
        ...Array.from({ length: 80 }, () => lamp(text)),
        ...Array(1_500).fill(lamp(true)),
        closed,
      )
      const light = `
        let [first, second, length] = [0, 0, 0]
        for await (const { position } of task.events) { if (position === 3) break }
        for await (const { payload } of task.events) {
          first++
          length += typeof payload.reading === "string" ? payload.reading.length : 0
        }
        for await (const _ of task.events) second++
        return [{ name: "lit", because: [1], rationale: JSON.stringify([first, second, length]) }]`
      const { judgements } = yield* judged({ light }, long)
      expect(judgements).toMatchObject([{ rationale: "[1582,1582,16000000]" }])
    }),
  )

  it.scopedLive("draws the same random numbers for the same task, whatever was judged before", () =>
    Effect.gen(function* () {
      const light = 'return [{ name: "lit", because: [1], rationale: String(context.random()) }]'
      const { critic: made } = yield* critic({ rubric: lit, light })
      const drawn = (taskId: string) => judgeWith(made, task, taskId)
      const [first, other, again] = [yield* drawn("t1"), yield* drawn("t2"), yield* drawn("t1")]
      expect(again).toEqual(first)
      expect(other).not.toEqual(first)
    }).pipe(Effect.provide(PluginHost.layerOf({ consent: "flags" }))),
  )
})

describe("what a plugin's function answers is held against the measure and the task", () => {
  it.scopedLive.each([
    {
      what: "a position that is none of the task's",
      answer: '[{ name: "lit", because: [2, 77] }]',
      reason: /@77, which is none/,
    },
    { what: "a position of what came after", answer: '[{ name: "lit", because: [6] }]', reason: /@6, which is none/ },
    {
      what: "no evidence",
      answer: '[{ name: "lit", because: [] }]',
      reason: /expected positions of what made "lit" true, found none/,
    },
    {
      what: "per task, twice",
      answer: '[{ name: "lit", occurrences: 2, because: [2] }]',
      reason: /at most once a task, found it 2 times/,
    },
    { what: "NaN", answer: '[{ name: "lit", occurrences: NaN, because: [2] }]', reason: /expected JSON, found NaN/ },
    {
      what: "a negative count",
      answer: '[{ name: "lit", occurrences: -1, because: [2] }]',
      reason: /at \/0\/occurrences: .*-1/,
    },
    {
      what: "half an occurrence",
      answer: '[{ name: "lit", occurrences: 0.5, because: [2] }]',
      reason: /at \/0\/occurrences: .*0.5/,
    },
    {
      what: "an unknown field",
      answer: '[{ name: "lit", because: [2], amount: 3 }]',
      reason: /at \/0\/amount: .*unexpected/,
    },
    { what: "no list", answer: "({ lit: true })", reason: /expected verdicts/ },
    { what: "nothing", answer: "undefined", reason: /expected JSON, found undefined/ },
  ])("$what leaves the reward unscored", ({ answer, reason }) =>
    Effect.gen(function* () {
      const found = yield* reasons(`return ${answer}`)
      expect(found.lit).toMatch(reason)
      expect(found.lit).toContain("judge 1.0.0")
    }),
  )

  it.scopedLive("what is wrong with one verdict is no matter to the others", () =>
    Effect.gen(function* () {
      const answer = '[{ name: "lit", because: [77] }, { name: "each", because: [2] }]'
      expect(yield* reasons(`return ${answer}`)).toMatchObject({ lit: /@77/, each: "reward" })
    }),
  )

  it.scopedLive("a name that the measure does not have leaves unscored what has no verdict", () =>
    Effect.gen(function* () {
      const found = yield* reasons('return [{ name: "litt", because: [2] }, { name: "each", because: [2] }]')
      expect(found.each).toBe("reward")
      expect(found.lit).toContain('expected a verdict about "lit", "each", found one about "litt"')
    }),
  )

  it.scopedLive("a name that a reward and a punishment share needs the kind", () =>
    Effect.gen(function* () {
      const both = rubric([{ name: "lit", weight: 1 }], [{ name: "lit", weight: 0.5 }])
      const unclear = yield* judged({ rubric: both, light: 'return [{ name: "lit", because: [2] }]' })
      expect(unclear.judgements.map(({ kind }) => kind)).toEqual(["unscored", "unscored"])
      const clear = yield* judged({
        rubric: both,
        light: 'return [{ name: "lit", kind: "punishment", because: [2] }]',
      })
      expect(clear.judgements).toMatchObject([{ kind: "punishment", amount: 0.5 }])
    }),
  )
})

describe("a plugin's function that does not judge as it should", () => {
  it.scopedLive("throws: its rewards are unscored, and the next task is judged", () =>
    Effect.gen(function* () {
      const light = `
        if (task.id === "t1") throw Object.assign(new Error("no idea"), { code: "lost" })
        return [{ name: "lit", because: [2] }]`
      const { critic: made } = yield* critic({ rubric: lit, light })
      expect(yield* judgeWith(made, task)).toMatchObject([
        { name: "lit", kind: "unscored", reason: "judge 1.0.0: judge judge/light threw lost: no idea" },
        { name: "each", kind: "unscored" },
      ])
      expect(yield* judgeWith(made, task, "t2")).toMatchObject([{ name: "lit", amount: 0.5 }])
    }).pipe(Effect.provide(PluginHost.layerOf({ consent: "flags" }))),
  )

  it.scopedLive("exits: it is started again for the next task, and given up after three times", () =>
    Effect.gen(function* () {
      const light = `
        if (task.id === "fine") return [{ name: "lit", because: [2] }]
        Deno.exit(7)`
      const { critic: made } = yield* critic({ rubric: lit, light })
      const reason = (taskId: string) =>
        Effect.map(judgeWith(made, task, taskId), ([first]) =>
          first?.kind === "unscored" ? first.reason : first?.kind,
        )
      expect(yield* reason("t1")).toBe("judge 1.0.0: its process ended with code 7 in judge judge/light")
      expect(yield* reason("fine")).toBe("reward")
      yield* reason("t2")
      yield* reason("t3")
      expect(yield* reason("fine")).toMatch(/^judge 1.0.0 was given up after 3 failures, the last one: .*code 7/)
    }).pipe(Effect.provide(PluginHost.layerOf({ consent: "flags" }))),
  )

  it.scopedLive("keeps its event loop to itself: it is killed, and its rewards are unscored", () =>
    Effect.gen(function* () {
      const found = yield* reasons("for (;;);", { limits: { pingMs: 200 } })
      expect(found.lit).toMatch(/its process was stuck in judge judge\/light and was killed/)
    }),
  )

  it.scopedLive("never answers: its rewards are unscored, and it is started again for the next task", () =>
    Effect.gen(function* () {
      const light = `
        if (task.id === "t1") await new Promise(() => undefined)
        return [{ name: "lit", because: [2] }]`
      const { critic: made } = yield* critic({ rubric: lit, light, judgeMs: 100 })
      const reason = "judge 1.0.0: judge judge/light took more than 105 ms"
      expect(yield* judgeWith(made, task)).toMatchObject([
        { name: "lit", reason },
        { name: "each", reason },
      ])
      expect(yield* judgeWith(made, task, "t2")).toMatchObject([{ name: "lit", amount: 0.5 }])
    }).pipe(Effect.provide(PluginHost.layerOf({ consent: "flags" }))),
  )

  it.scopedLive("does not load: its rewards are unscored", () =>
    Effect.gen(function* () {
      const found = yield* reasons("return []", { preamble: "throw new Error('not today')" })
      expect(found.lit).toContain("did not load: Error: not today")
    }),
  )

  it.scopedLive("asks for pages without awaiting them: its process is killed", () =>
    Effect.gen(function* () {
      const light = `
        for (let n = 0; n < 200; n++) task.events[Symbol.asyncIterator]().next()
        return new Promise(() => undefined)`
      const { judgements, recorded } = yield* judged({ light })
      expect(judgements).toMatchObject([
        { kind: "unscored", reason: expect.stringContaining("without awaiting them") },
        {},
      ])
      expect(recorded).toMatchObject([{ type: "PluginMisbehaved", payload: { code: "UnawaitedPages" } }])
    }),
  )
})

describe("a plugin that judges", () => {
  it.scopedLive("may do nothing else, whatever the plugin asks for in its manifest", () =>
    Effect.gen(function* () {
      const secret = path.join(yield* temporaryDirectory, "secret.txt")
      fs.writeFileSync(secret, "42")
      const light = `
        const attempts = {
          read: () => Deno.readTextFile(${JSON.stringify(secret)}),
          write: () => Deno.writeTextFile(${JSON.stringify(secret)}, "43"),
          env: () => Deno.env.get("HOME"),
          net: () => Deno.connect({ port: 9 }),
          readByHost: () => context.readFile(${JSON.stringify(secret)}),
          run: () => context.run("cat", [${JSON.stringify(secret)}]),
          fetchByHost: () => context.fetch("http://127.0.0.1:9"),
          emit: () => context.emit("light", 1),
        }
        const found = {}
        for (const [name, attempt] of Object.entries(attempts)) {
          try { found[name] = String(await attempt()) } catch (error) { found[name] = error.code ?? error.name }
        }
        return [{ name: "lit", because: [1], rationale: JSON.stringify(found) }]`
      const permissions = { read: ["."], write: ["."], run: ["cat"] }
      const { judgements, recorded } = yield* judged({ light, permissions })
      const [first] = judgements
      expect(JSON.parse((first?.kind === "reward" && first.rationale) || "{}")).toEqual({
        read: "NotCapable",
        write: "NotCapable",
        env: "NotCapable",
        net: "NotCapable",
        readByHost: "NotRecorded",
        run: "NotRecorded",
        fetchByHost: "NotRecorded",
        emit: "NoSuchComponent",
      })
      expect(fs.readFileSync(secret, "utf8")).toBe("42")
      expect(recorded).toEqual([])
    }),
  )

  it.scopedLive("has its precomputed bytes, and it is on record that they were computed", () =>
    Effect.gen(function* () {
      const { judgements, recorded } = yield* judged({
        light: `return [{ name: "lit", because: [1], rationale: Deno.readTextFileSync(context.precomputed) }]`,
        precomputed: { text: "a table", prints: "computing" },
      })
      expect(judgements).toMatchObject([{ name: "lit", rationale: "a table" }])
      expect(recorded).toMatchObject([
        { type: "PrecomputeStarted", payload: { plugin: "judge", module: "table.ts" } },
        { type: "PluginLogged", payload: { message: "table.ts: computing" } },
      ])
    }),
  )

  it.scopedLive("starts without its precomputed bytes where the log does not take that they are computed", () =>
    Effect.gen(function* () {
      const { judgements, recorded } = yield* judged({
        light: `return [{ name: "lit", because: [1], rationale: String(context.precomputed) }]`,
        precomputed: { text: "a table", prints: "computing" },
        refuses: "PrecomputeStarted",
      })
      expect(judgements).toMatchObject([{ name: "lit", rationale: "null" }])
      expect(recorded.map(({ payload }) => "message" in payload && payload.message)).toEqual([
        expect.stringContaining("expected the run of table.ts to be recorded"),
      ])
    }),
  )
})
