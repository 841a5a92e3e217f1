import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Chunk, Effect, Layer, ManagedRuntime, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog, MAIN } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import type { ForkOptions } from "../../src/kernel/fork/Fork.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { shippedPlugin } from "../built.ts"
import { inRepository } from "../repository.ts"

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-fork-")))
const runtime = ManagedRuntime.make(
  Layer.suspend(() =>
    Hindcast.layer({
      log: path.join(directory, "log.db"),
      workspace: directory,
      seed: 7,
      gate: { default: "allow" },
      plugins: [shippedPlugin("plugins", "text-room")],
    }),
  ),
)
const run = runtime.runPromise

afterAll(async () => {
  await runtime.dispose()
  fs.rmSync(directory, { recursive: true, force: true })
})

/** Sees what stands in its way, and nothing else. */
const finder = (name = "finder") =>
  Agent.fromPolicy({
    name,
    version: "2",
    policy: (readings) => {
      const { room, things, won } = readings["text-room/room"] as unknown as Seen
      const { items } = readings["text-room/inventory"] as unknown as { readonly items: Seen["things"] }
      const at = (list: Seen["things"], wanted: string) => list.find(({ name }) => name === wanted)
      if (won) return { done: "achieved" }
      if (at(things, "document") !== undefined) return { act: "text-room/take", args: { item: "document" } }
      if (at(things, "brass_key") !== undefined) return { act: "text-room/take", args: { item: "brass_key" } }
      if (at(items, "brass_key") === undefined) {
        return room === "study"
          ? { act: "text-room/go", args: { direction: "north" } }
          : { act: "text-room/examine", args: { target: "clock" } }
      }
      if (room !== "study") return { act: "text-room/go", args: { direction: "south" } }
      return { done: "failed", reason: "the key is at hand" }
    },
  })

interface Seen {
  readonly room: string
  readonly won: boolean
  readonly things: ReadonlyArray<{ readonly name: string }>
}

let knows: Agent.DecidingAgent
let taskId: string
let decisions: ReadonlyArray<number>
let range: { readonly from: number; readonly to: number }

beforeAll(async () => {
  knows = (await import(inRepository("examples/agents/knows-the-way.mjs"))).default
  const audit = await run(
    Effect.flatMap(Kernel, (kernel) => kernel.tasks.run(knows, { goal: "Retrieve the document" })),
  )
  taskId = audit.taskId
  range = audit.range
  const decided = await run(Effect.flatMap(EventLog, (log) => log.readPage({ taskId, types: ["DecisionMade"] }, 100)))
  decisions = decided.map(({ position }) => position)
})

const fork = (agent: Agent.Agent, options: ForkOptions) =>
  run(Effect.flatMap(Kernel, (kernel) => kernel.fork(agent, options)))

const refused = (agent: Agent.Agent, options: ForkOptions) =>
  run(Effect.flip(Effect.flatMap(Kernel, (kernel) => kernel.fork(agent, options))))

/** The events that a timeline has of its own. */
const own = (timeline: string) =>
  run(Effect.flatMap(EventLog, (log) => Effect.map(Stream.runCollect(log.read({ timeline })), Chunk.toReadonlyArray)))

/** The world as a timeline knows it. */
const worldOn = (timeline: string, task = taskId) =>
  run(
    Effect.gen(function* () {
      const projector = yield* (yield* Projector).on(timeline)
      const state = yield* projector.current(EnvironmentState.projection)
      return EnvironmentState.taskScope(state, task).environment["text-room"]
    }),
  )

/** The position right before the agent's nth decision, from 0. */
const rightBefore = (decision: number) => Number(decisions[decision]) - 1

describe("a live fork", () => {
  for (const rewind of ["snapshot", "re-execution"] as const) {
    it(`goes on in the world of that moment, which was brought back by ${rewind} and verified`, async () => {
      const main = await own(MAIN)
      const forked = await fork(knows, { at: rightBefore(5), rewind })
      expect(forked).toMatchObject({
        parent: MAIN,
        at: rightBefore(5),
        taskId,
        io: "live",
        audit: { taskId, timeline: forked.timeline, agent: "knows-the-way@1.0.0", outcome: "achieved", steps: 8 },
      })
      expect(forked.worlds).toEqual([
        {
          plugin: "text-room",
          by: rewind,
          at: rightBefore(5),
          checked: {
            document: true,
            ...(rewind === "snapshot" ? { readings: 2, outcomes: 0 } : { readings: 12, outcomes: 5 }),
          },
        },
      ])
      // It did what the original did, and is scored alike: in its own history.
      expect(await worldOn(forked.timeline)).toEqual(await worldOn(MAIN))
      const original = await run(Effect.flatMap(Kernel, (kernel) => kernel.audit(taskId)))
      const sums = ({ scores }: TaskAudit.TaskAudit) =>
        scores.map(({ label, earned, lost, net, rubricDigest }) => ({ label, earned, lost, net, rubricDigest }))
      expect(sums(forked.audit)).toEqual(sums(original))
      expect(original).toMatchObject({ timeline: MAIN, scores: [{ label: "live" }] })
      // Nothing of it is in the original's, but that processes came and went.
      const since = (await own(MAIN)).slice(main.length).map(({ type, taskId }) => [type, taskId])
      expect(since).toEqual([
        ["PluginStarted", null],
        ["PluginExited", null],
      ])
      expect(await run(Effect.flatMap(EventLog, (log) => log.verify))).toMatchObject({ _tag: "Intact" })
    })
  }
})

describe("a fork with recorded answers", () => {
  it("ends as the original did from every moment that it can be made at, and carries nothing out", async () => {
    const walker: Agent.DecidingAgent = {
      name: "walker",
      version: "1",
      decide: ({ step }) =>
        step === 0
          ? { act: "text-room/go", args: { direction: "north" } }
          : step === 1
            ? { say: "What a hallway." }
            : step === 2
              ? { act: "text-room/examine", args: { target: "clock" } }
              : { done: "achieved" },
    }
    const { taskId, range } = await run(Effect.flatMap(Kernel, (kernel) => kernel.tasks.run(walker, { goal: "walk" })))
    const main = await own(MAIN)
    const whole = await worldOn(MAIN, taskId)
    const refusals: Array<number> = []
    const ends = new Map<string, number>()
    for (let at = range.from; at < range.to; at++) {
      const result = await run(
        Effect.either(Effect.flatMap(Kernel, (kernel) => kernel.fork(walker, { at, task: taskId, io: "recorded" }))),
      )
      if (result._tag === "Left") {
        expect(result.left._tag).toBe("NotForkable")
        refusals.push(at)
        continue
      }
      const { audit, timeline, worlds } = result.right
      expect({ at, outcome: audit.outcome, steps: audit.steps, worlds }).toEqual({
        at,
        outcome: "achieved",
        steps: 2,
        worlds: [],
      })
      expect(await worldOn(timeline, taskId)).toEqual(whole)
      ends.set(timeline, at)
    }
    // A command that is dispatched has no outcome for one moment, and is half recorded in another.
    expect(refusals).toHaveLength(2 * 2)
    expect(ends.size).toBe(range.to - range.from - 2 * 2)
    expect(await own(MAIN)).toEqual(main)
  })

  it("ends where something is asked for that was not recorded", async () => {
    const { audit } = await fork(finder(), { at: rightBefore(0), io: "recorded" })
    expect(audit).toMatchObject({
      outcome: "truncated",
      steps: 1,
      acting: { failed: 1 },
      reason: 'text-room/go {"direction":"north"} was not recorded',
    })
  })

  it("shows nobody a world in which more was done than in the fork", async () => {
    const shown: Array<number> = []
    const silent: Agent.DecidingAgent = {
      name: "silent",
      version: "1",
      decide: ({ step }) => {
        shown.push(step)
        return { say: "I do nothing." }
      },
    }
    const { audit } = await fork(silent, { at: rightBefore(0), io: "recorded" })
    // All that was read next was read after a command that it did not give.
    expect(shown.splice(0)).toEqual([0])
    const replay = Effect.flatMap(Kernel, (kernel) => kernel.replay(taskId, silent, { timeline: audit.timeline }))
    expect(await run(replay)).toMatchObject({ verdict: "identical", complete: false })
    expect(audit).toMatchObject({
      outcome: "truncated",
      acting: { commanded: 0 },
      reason: expect.stringMatching(/^a reading of text-room\/\w+ was not recorded$/),
    })
  })
})

describe("an agent in a fork", () => {
  it("may be another one: it is shown the past, which stays as it was, and goes on as it likes", async () => {
    const shown: Array<number> = []
    const curious: Agent.DecidingAgent = {
      ...finder("curious"),
      decide: (view) => {
        shown.push(view.step)
        return view.step < 5 ? { act: "text-room/look" } : { say: "now it is mine" }
      },
    }
    const { audit } = await fork(curious, { at: rightBefore(5), maxSteps: 2 })
    expect(shown).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(audit).toMatchObject({ agent: "curious@2", outcome: "truncated", steps: 5 })
  })

  it("begins anew where it is to be fresh", async () => {
    const steps: Array<readonly [number, string | undefined]> = []
    const watching: Agent.DecidingAgent = {
      name: "watching",
      version: "1",
      decide: ({ step, lastOutcome }) => {
        steps.push([step, lastOutcome?.status])
        return { done: "failed" }
      },
    }
    await fork(watching, { at: rightBefore(5), fresh: true })
    expect(steps).toEqual([[0, undefined]])
  })
})

describe("a language model in a fork", () => {
  it("is asked only for what was not answered before the moment, and with recorded answers not at all", async () => {
    const asked: Array<number> = []
    const asking: Agent.DecidingAgent = {
      name: "asking",
      version: "1",
      decide: async ({ step, consult }) => {
        if (step === 3) return { done: "achieved" }
        const word = await consult({ provider: "test", model: "oracle-1", request: step }, async () => {
          asked.push(step)
          return { response: `word ${step}`, usage: { inputTokens: 1, outputTokens: 1 } }
        })
        return { say: String(word) }
      },
    }
    const audit = await run(Effect.flatMap(Kernel, (kernel) => kernel.tasks.run(asking, { goal: "ask" })))
    const questions = await run(
      Effect.flatMap(EventLog, (log) => log.readPage({ taskId: audit.taskId, types: ["ModelCalled"] }, 10)),
    )
    expect(asked.splice(0)).toEqual([0, 1, 2])
    const options = { at: Number(questions[1]?.position) - 1, task: audit.taskId }
    expect((await fork(asking, options)).audit).toMatchObject({ outcome: "achieved", model: { calls: 3 } })
    expect(asked.splice(0)).toEqual([1, 2])
    const recorded = await fork(asking, { ...options, io: "recorded" })
    expect(recorded.audit).toMatchObject({ outcome: "achieved", model: { calls: 3 } })
    expect(asked).toEqual([])
  })

  it("a language model that did not answer is beyond where an agent can be led: it begins there, or before", async () => {
    const asking: Agent.DecidingAgent = {
      name: "asking",
      version: "1",
      decide: async ({ step, consult }) => {
        if (step === 2) return { done: "achieved" }
        const none = () => Promise.reject(new Error("no line"))
        await consult({ provider: "test", model: "oracle-1", request: step }, none).catch(() => null)
        return { say: "nothing" }
      },
    }
    const { taskId } = await run(Effect.flatMap(Kernel, (kernel) => kernel.tasks.run(asking, { goal: "ask" })))
    const said = await run(Effect.flatMap(EventLog, (log) => log.readPage({ taskId, types: ["MessageSent"] }, 10)))
    const question = await run(Effect.flatMap(EventLog, (log) => log.readPage({ taskId, types: ["ModelCalled"] }, 1)))
    const at = Number(said[0]?.position)
    const error = await refused(asking, { at })
    expect(error).toMatchObject({ _tag: "NotForkable" })
    expect(error.message).toContain(`called a model @${question[0]?.position} and the log has no response`)
    expect((await fork(asking, { at, fresh: true })).audit.outcome).toBe("achieved")
    expect((await fork(asking, { at: Number(question[0]?.position) })).audit.outcome).toBe("achieved")
  })
})

describe("what is otherwise in a fork", () => {
  it.each(["snapshot", "re-execution"] as const)(
    "is what a sensor says, in a world that was brought back by %s as it was",
    async (rewind) => {
      const seen: Array<unknown> = []
      const looking: Agent.DecidingAgent = {
        name: "looking",
        version: "1",
        decide: ({ readings, step }) => {
          seen.push(readings["text-room/inventory"])
          return step < 1 ? { act: "text-room/look" } : { done: "achieved" }
        },
      }
      const overrides = { readings: { "text-room/inventory": { items: ["a cat"] } } }
      const forked = await fork(looking, { at: rightBefore(0), overrides, rewind })
      expect(forked.worlds).toMatchObject([{ by: rewind, checked: { document: true } }])
      expect(seen).toMatchObject([{ items: ["a cat"] }, { items: [{ name: "candle" }] }])
    },
  )

  it("is what a sensor says at first, the goal, the seed, and the world", async () => {
    const views: Array<Agent.DecisionContext> = []
    const draws: Array<number> = []
    const looking: Agent.DecidingAgent = {
      name: "looking",
      version: "1",
      decide: (view) => {
        views.push(view)
        draws.push(view.random())
        return view.step < 1 ? { act: "text-room/look" } : { done: "achieved" }
      },
    }
    const overrides = {
      seed: 99,
      goal: "Look twice",
      readings: { "text-room/inventory": { items: ["a cat"] } },
      world: { "text-room": { room: "hallway", placed: { candle: "room:hallway" } } },
    }
    const forked = await fork(looking, { at: rightBefore(0), overrides })
    expect(views.map(({ goal }) => goal)).toEqual(["Look twice", "Look twice"])
    expect(views.map(({ readings }) => readings["text-room/inventory"])).toEqual([{ items: ["a cat"] }, { items: [] }])
    expect(views[0]?.readings["text-room/room"]).toMatchObject({ room: "hallway" })
    expect(await worldOn(forked.timeline)).toMatchObject({ room: "hallway", inventory: [], steps: 1 })
    expect(forked.audit).toMatchObject({ goal: "Look twice", agent: "looking@1" })
    expect(forked.worlds).toMatchObject([{ by: "snapshot", checked: { document: false } }])
    const [first] = await own(forked.timeline)
    expect(first).toMatchObject({
      type: "TimelineForked",
      stream: `timeline/${forked.timeline}`,
      taskId,
      version: 1,
      payload: { overrides: { ...overrides, agent: "looking@1", io: "live" } },
    })
    const [one, two] = draws.splice(0)
    await fork(looking, { at: rightBefore(0), overrides: { seed: 99 } })
    expect(draws).toEqual([one, two])
  })

  it("is a world, which is what the agent perceives first", async () => {
    const seen: Array<unknown> = []
    const looking: Agent.DecidingAgent = {
      name: "looking",
      version: "1",
      decide: ({ readings, step }) => {
        seen.push((readings["text-room/room"] as unknown as Seen).room)
        return step < 1 ? { act: "text-room/look" } : { done: "achieved" }
      },
    }
    const overrides = { world: { "text-room": { room: "hallway" } } }
    await fork(looking, { at: rightBefore(0), overrides })
    expect(seen).toEqual(["hallway", "hallway"])
  })

  it("is refused where it cannot be, before anything is recorded", async () => {
    const head = () => run(Effect.flatMap(EventLog, (log) => log.head))
    const headBefore = await head()
    for (const [options, message] of [
      [
        { overrides: { readings: { "text-room/rom": 1, nose: 1 }, world: { "text-rom": {} } }, io: "recorded" },
        [
          "The options of fork have 4 mistakes:",
          'overrides.readings["text-room/rom"]: expected one of the sensors text-room/room, text-room/inventory, found "text-room/rom". Did you mean text-room/room?',
          'overrides.readings.nose: expected one of the sensors text-room/room, text-room/inventory, found "nose".',
          'overrides.world["text-rom"]: expected one of the plugins text-room, found "text-rom". Did you mean text-room?',
          'overrides.world: expected a live fork (`io: "live"`), found a recorded one.',
        ].join("\n  "),
      ],
      [{ overrides: { seed: -1 } }, "overrides.seed: expected a whole number, 0 or more, found -1"],
      [{ overrides: { mood: "good" } }, "overrides.mood: expected one of the fields seed, goal, readings, world"],
      [{ timeline: "main" }, "found the name of the timeline that every log has"],
      [{ timeline: "a@b" }, "expected a new name"],
      [{ timeline: "fork-1" }, "found one that a timeline of this log has"],
      [{ at: range.to }, `it had ended by then, @${range.to}; it can be forked up to @${range.to - 1}`],
      [{ at: range.from - 1, task: "x" }, 'No task "x" was opened'],
      [{ at: range.from - 1 }, "belongs to no task"],
      [{ at: 0 }, "@0 belongs to no task"],
      [{ at: "fork-1@999999" }, "There is no position @999999"],
      [{ at: "nowhere@3" }, 'There is no timeline "nowhere"'],
    ] as const) {
      const error = await refused(knows, { at: rightBefore(0), ...options } as ForkOptions)
      expect(error.message).toContain(message)
    }
    expect((await refused(knows, { at: range.from - 1, task: taskId })).message).toContain(
      `it was opened later, @${range.from}`,
    )
    expect(await head()).toEqual(headBefore)
  })

  it("may be no world that cannot be: the fork is refused then, and nothing is recorded", async () => {
    for (const [world, message] of [
      [{ room: "cellar" }, "bad-state: The story has no such moment: room: expected a room of the story, found cellar"],
      [{ inventory: ["candle", "key"] }, "expected a world that keeps the overridden values"],
    ] as const) {
      const error = await refused(knows, {
        at: rightBefore(2),
        timeline: `odd-${world.room ?? "bag"}`,
        overrides: { world: { "text-room": world } },
      } as ForkOptions)
      expect(error.message).toContain(message)
      expect(await own(`odd-${world.room ?? "bag"}`)).toEqual([])
    }
  })
})

describe("a fork of a fork", () => {
  it("shares what its parent shares, and is verified in the same way", async () => {
    const parent = await fork(finder(), { at: rightBefore(3), timeline: "branch" })
    expect(parent.audit.outcome).toBe("failed")
    const decided = (await own("branch")).filter(({ type }) => type === "DecisionMade")
    const at = `branch@${Number(decided[1]?.position) - 1}`
    const child = await fork(finder(), { at, rewind: "re-execution" })
    expect(child).toMatchObject({ parent: "branch", audit: { outcome: "failed", steps: parent.audit.steps } })
    expect(await worldOn(child.timeline)).toEqual(await worldOn("branch"))
    expect(child.worlds).toMatchObject([{ by: "re-execution", checked: { document: true, outcomes: 4 } }])
  })
})

describe("a replay of a fork", () => {
  const replayed = (agent: Agent.Agent, timeline: string) =>
    run(Effect.flatMap(Kernel, (kernel) => kernel.replay(taskId, agent, { timeline })))

  const drawing: Agent.DecidingAgent = {
    name: "drawing",
    version: "1",
    decide: ({ goal, random, step }) => (step < 7 ? { say: `${goal}: ${random()}` } : { done: "failed" }),
  }

  it("leads the agent to the moment as the fork did, and tells it what it was told there", async () => {
    const overrides = { goal: "draw", seed: 11 }
    const parent = await fork(drawing, { at: rightBefore(4), overrides, io: "recorded", maxSteps: 1 })
    expect(await replayed(drawing, parent.timeline)).toMatchObject({ verdict: "identical", recorded: "drawing@1" })
    const told = (await own(parent.timeline)).find(({ type }) => type === "MessageSent")
    expect(told?.payload.content).toMatch(/^draw: 0\./)
    const other = { ...drawing, decide: () => ({ say: "another" }) }
    expect(await replayed(other, parent.timeline)).toMatchObject({
      divergence: { kind: "another-message", position: Number(told?.position) - 1 },
    })
    // What its parent says otherwise is so in a fork of it, too.
    const child = await fork(drawing, { at: `${parent.timeline}@${Number(told?.position) - 2}`, maxSteps: 1 })
    const again = (await own(child.timeline)).find(({ type }) => type === "MessageSent")
    expect(again?.payload.content).toBe(told?.payload.content)
  })

  it("begins where the agent began, and goes on with a command that was pending", async () => {
    const begun = await fork(drawing, { at: rightBefore(4), fresh: true, maxSteps: 2 })
    expect(await replayed(drawing, begun.timeline)).toMatchObject({ verdict: "identical", complete: true })
    const [commanded] = await run(
      Effect.flatMap(EventLog, (log) => log.readPage({ taskId, timeline: MAIN, types: ["ActuatorCommanded"] }, 1)),
    )
    const again = await fork(knows, { at: Number(commanded?.position), rewind: "snapshot" })
    expect(again.audit).toMatchObject({ outcome: "achieved", acting: { denied: 0 } })
    expect(await replayed(knows, again.timeline)).toMatchObject({ verdict: "identical", complete: true })
  })
})

describe("the name of a fork", () => {
  it("the name of a fork that was given none follows the last one, and is nobody's, however high they count", async () => {
    const stay = { at: rightBefore(0), io: "recorded" } as const
    await fork(finder(), { ...stay, timeline: "fork-999999999" })
    expect((await fork(finder(), stay)).timeline).toBe("fork-1000000000")
    expect((await fork(finder(), stay)).timeline).toBe("fork-1000000001")
  })

  it("is refused where something else is recorded under it", async () => {
    const logged = { type: "PluginLogged", payload: { plugin: "text-room", level: "info", message: "here" } } as const
    const append = { timeline: "odd", stream: "timeline/odd", taskId: null, actor: "program", events: [logged] }
    await run(Effect.flatMap(EventLog, (log) => log.append(append)))
    const error = await refused(knows, { at: rightBefore(0), timeline: "odd" })
    expect(error).toMatchObject({ _tag: "TimelineNameInvalid" })
  })
})
