import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../src/events/log/EventLog.ts"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as EventSummary from "../../../src/projections/summary/EventSummary.ts"
import * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"

const inKernel = <A, E>(test: Effect.Effect<A, E, Kernel | EventLog>) =>
  Effect.flatMap(
    testKernel({ plugins: ["arena", "duel"].map((name) => inRepository(`test/worlds/samples/${name}`)) }),
    ({ start }) => Effect.flatMap(start, ({ run }) => run(test)),
  )

const ALL = 10_000

const eventsOf = (taskId: string) =>
  Effect.flatMap(EventLog, (log) => log.readPage({ stream: `task/${taskId}`, after: 0 }, ALL))

/** Does the same in each round of the arena. */
const always = (action: number, name = "walker") =>
  Agent.fromPolicy({
    name,
    version: "1",
    policy: () => ({ act: "arena/step", args: { action } }),
  })

const group = (agents: AgentGroup.AgentGroupOptions["agents"], options: Partial<AgentGroup.AgentGroupOptions> = {}) =>
  AgentGroup.make({ name: "group", version: "1", world: "arena", agents, ...options })

const run = (options: AgentGroup.AgentGroupOptions["agents"], more: Partial<AgentGroup.AgentGroupOptions> = {}) =>
  Effect.flatMap(Kernel, (kernel) =>
    kernel.tasks.run(group(options, more), {
      goal: "Walk",
      seed: 5,
      plugins: [more.world ?? "arena"],
      agents: Object.keys(options).sort(),
    }),
  )

/** The events without what differs between two runs: ids, times, positions and hashes. */
const shape = (taskId: string) =>
  Effect.map(eventsOf(taskId), (events) =>
    events.map(({ type, actor, payload }) => {
      const {
        commandId: _,
        latencyMs: _latency,
        because: _because,
        basedOn: _based,
        commands: _commands,
        round: _round,
        ...rest
      } = payload
      const told = JSON.stringify(rest).replaceAll(taskId, "TASK")
      return `${type} ${actor} ${told.replace(/"(range|totals)":\{[^}]*\}+/g, "")}`
    }),
  )

describe("a group in a parallel world", () => {
  it.scopedLive("acts in rounds: one step of the world with all actions, in the order of the names", () =>
    inKernel(
      Effect.gen(function* () {
        const audit = yield* run({ bob: always(1), ada: always(1) })
        expect(audit).toMatchObject({ outcome: "achieved", acting: { commanded: 6, succeeded: 6 } })
        const events = yield* eventsOf(audit.taskId)
        const round = events
          .slice(events.findIndex(({ type }) => type === "ActuatorCommanded"))
          .slice(0, 12)
          .map(({ type, payload }) => `${type} ${payload.agentId ?? ""}`.trim())
        expect(round.slice(0, 6)).toEqual([
          ...["ActuatorCommanded ada", "ActuatorCommanded bob", "CommandAllowed", "CommandAllowed"],
          ...["CommandDispatched", "CommandDispatched"],
        ])
        expect(round.slice(6, 11)).toEqual([
          ...["CommandSucceeded", "CommandSucceeded", "EnvironmentChanged", "RewardGiven ada", "RewardGiven bob"],
        ])
        const told = events.filter(({ type }) => type === "ActuatorCommanded").map(EventSummary.of)
        expect(told.slice(0, 2)).toEqual(['ada: arena/step {"action":1}', 'bob: arena/step {"action":1}'])
        const changed = events.filter(({ type }) => type === "EnvironmentChanged")
        expect(changed.map(({ payload }) => (payload.commands as ReadonlyArray<string>).length)).toEqual([2, 2, 2])
        expect(events.flatMap(({ type, payload }) => (type === "AgentLeft" ? [payload] : []))).toMatchObject([
          { agentId: "ada", outcome: "achieved" },
          { agentId: "bob", outcome: "achieved" },
        ])
      }),
    ),
  )

  it.scopedLive("writes the same log for the same seed, whoever answers first", () =>
    inKernel(
      Effect.gen(function* () {
        const slowly = (agent: Agent.DecidingAgent, turns: number): Agent.DecidingAgent => ({
          ...agent,
          decide: async (view) => {
            for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
            return Effect.runPromise(Agent.decide(agent, view))
          },
        })
        const first = yield* run({ ada: always(1), bob: always(1), cem: always(1) })
        const second = yield* run({ cem: always(1), bob: slowly(always(1), 1), ada: slowly(always(1), 9) })
        expect(yield* shape(second.taskId)).toEqual(yield* shape(first.taskId))
      }),
    ),
  )

  it.scopedLive("is replayed, and forked with one of the agents replaced", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const both = { ada: always(1), bob: always(1) }
        const { taskId } = yield* run(both)
        expect(yield* kernel.replay(taskId, group(both))).toMatchObject({ divergence: null })
        const other = { ada: always(1), bob: always(0) }
        expect(yield* kernel.replay(taskId, group(other))).toMatchObject({
          divergence: { kind: "another-command", expected: { as: "bob" } },
        })
        const decided = (yield* eventsOf(taskId)).filter(({ type }) => type === "DecisionMade")
        const forked = yield* kernel.fork(group(other, { maxRounds: 4 }), {
          task: taskId,
          at: decided[2]?.position ?? 0,
          timeline: "other",
        })
        expect(forked.audit.outcome).toBe("achieved")
      }),
    ),
  )

  it.scopedLive("has in a fork the rounds that it was run with, unless others are said", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const both = { ada: always(0), bob: always(0) }
        const { taskId } = yield* run(both, { maxRounds: 3 })
        const decided = (yield* eventsOf(taskId)).filter(({ type }) => type === "DecisionMade")
        const roundsIn = (timeline: string, options: Partial<AgentGroup.AgentGroupOptions>) =>
          Effect.map(
            kernel.fork(group(both, options), { task: taskId, at: decided[2]?.position ?? 0, timeline }),
            ({ audit }) => [audit.outcome, audit.acting.commanded],
          )
        expect(yield* roundsIn("same", {})).toEqual(["truncated", 6])
        expect(yield* roundsIn("longer", { maxRounds: 4 })).toEqual(["truncated", 8])
      }),
    ),
  )

  it.scopedLive("goes on without an agent that throws, and one that ends by itself", () =>
    inKernel(
      Effect.gen(function* () {
        const broken = {
          ...always(1, "broken"),
          decide: () => {
            throw new Error("out of order")
          },
        }
        const gone: Agent.DecidingAgent = { ...always(1, "gone"), decide: () => ({ done: "failed", reason: "enough" }) }
        const audit = yield* run({ ada: always(1), bob: broken, cem: gone })
        expect(audit.outcome).toBe("achieved")
        const left = (yield* eventsOf(audit.taskId)).flatMap(({ type, payload }) =>
          type === "AgentLeft" ? [payload] : [],
        )
        expect(left).toMatchObject([
          { agentId: "bob", outcome: "failed", reason: expect.stringContaining("out of order") },
          { agentId: "cem", outcome: "failed", reason: "enough" },
          { agentId: "ada", outcome: "achieved" },
        ])
      }),
    ),
  )

  it.scopedLive("closes a round without an agent that is late, and replays that it was", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const never: Agent.DecidingAgent = { ...always(1, "never"), decide: () => Effect.never }
        const agents = { ada: always(1), bob: never }
        const audit = yield* run(agents, { decideWithinMs: 200, maxRounds: 6 })
        const events = yield* eventsOf(audit.taskId)
        const late = events.filter(({ type }) => type === "AgentLate")
        // On a busy machine the other one may be late, too.
        expect(late.filter(({ payload }) => payload.agentId === "bob")).toHaveLength(6)
        expect(late[0]?.payload).toMatchObject({ waitedMs: 200 })
        expect(events.some(({ type }) => type === "CommandSucceeded")).toBe(true)
        const again = group(agents, { decideWithinMs: 200, maxRounds: 6 })
        expect(yield* kernel.replay(audit.taskId, again)).toMatchObject({ divergence: null })
      }),
    ),
  )

  it.scopedLive("lets a late agent act in a later turn of its own, never in another's", () =>
    inKernel(
      Effect.gen(function* () {
        // Its first decision takes until it was late in two rounds.
        const log = yield* EventLog
        const lateTwice = log.follow({ types: ["AgentLate"] }).pipe(
          Stream.filter((event) => !(event instanceof CaughtUp) && event.payload.agentId === "bob"),
          Stream.take(2),
          Stream.runDrain,
        )
        const slow: Agent.DecidingAgent = {
          ...always(0, "slow"),
          decide: ({ step }) =>
            Effect.as(step === 0 ? lateTwice : Effect.void, {
              act: "arena/step",
              args: { action: 0 },
            } as const),
        }
        const agents = { ada: always(0), bob: slow, cem: always(0) }
        const { taskId } = yield* run(agents, { decideWithinMs: 500, maxRounds: 7 })
        const events = yield* eventsOf(taskId)
        const late = events.filter(({ type, payload }) => type === "AgentLate" && payload.agentId === "bob")
        expect(late.length).toBeGreaterThanOrEqual(2)
        const decided = events.filter(({ type }) => type === "DecisionMade").map(({ payload }) => payload.agentId)
        const first = decided.indexOf("bob")
        // In its round, it decides after ada and before cem, as in every round.
        expect(decided.slice(first - 1, first + 2)).toEqual(["ada", "bob", "cem"])
        expect(decided.slice(first + 2)).toEqual(
          decided.slice(first + 2).map((_, index) => ["ada", "bob", "cem"][index % 3]),
        )
      }),
    ),
  )

  it.scopedLive("lets agents join, be suspended and leave in the middle of an episode, and tells the world", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const changes = (round: number): ReadonlyArray<AgentGroup.MemberChange> =>
          [
            [],
            [{ join: "cem", agent: always(1) }],
            [{ suspend: "ada", reason: "rest" }],
            [{ continue: "ada" }, { leave: "bob" }],
          ][round] as ReadonlyArray<AgentGroup.MemberChange>
        const agents = { ada: always(0), bob: always(0) }
        const options = { changes: (round: number) => changes(round) ?? [], maxRounds: 5 }
        const audit = yield* run(agents, options)
        const events = yield* eventsOf(audit.taskId)
        const acted = events.flatMap(({ type, payload }) => (type === "ActuatorCommanded" ? [payload.agentId] : []))
        expect(acted.join(" ")).toBe("ada bob ada bob cem bob cem ada cem ada")
        expect(yield* kernel.replay(audit.taskId, group(agents, options))).toMatchObject({ divergence: null })
        const unwanted = yield* Effect.exit(
          run(agents, { changes: () => [{ join: "unwanted", agent: always(1) }], maxRounds: 2 }),
        )
        expect(JSON.stringify(unwanted)).toContain("the arena is closed to it")
      }),
    ),
  )

  it.scopedLive("tells agents what others said, one round later, where the channels let them hear it", () =>
    inKernel(
      Effect.gen(function* () {
        const heard: Array<string> = []
        const talker = (name: string): Agent.DecidingAgent => ({
          ...always(0, name),
          decide: ({ step, inputs }) => {
            for (const { source, content } of inputs) heard.push(`${name} heard ${source}: ${String(content)}`)
            if (step === 0) return { say: `I am ${name}` }
            return { act: "arena/step", args: { action: 0 } }
          },
        })
        const agents = { ada: talker("ada"), bob: talker("bob"), cem: talker("cem") }
        const audit = yield* run(agents, {
          maxRounds: 3,
          channels: { topology: { ada: ["bob", "cem"], bob: ["ada"] } },
        })
        expect(heard).toEqual([
          "ada heard agent:bob: I am bob",
          "bob heard agent:ada: I am ada",
          "cem heard agent:ada: I am ada",
        ])
        const events = yield* eventsOf(audit.taskId)
        const sent = events.flatMap(({ type, payload }) => (type === "MessageSent" ? [payload.agentId] : []))
        expect(sent).toEqual(["ada", "bob", "cem"])
      }),
    ),
  )
})

describe("a group in a world of turns", () => {
  const taker = (name: string) =>
    Agent.fromPolicy({
      name,
      version: "1",
      policy: (readings) => {
        const heap = Number(readings["duel/observation"])
        return { act: "duel/step", args: { action: Math.min(heap, heap > 4 ? 3 : 1) } }
      },
    })

  it.scopedLive("gives the turn to the agent that the world names, and ends with the world", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const agents = { ada: taker("ada"), bob: taker("bob") }
        const audit = yield* run(agents, { world: "duel" })
        const events = yield* eventsOf(audit.taskId)
        const acted = events.flatMap(({ type, payload }) => (type === "ActuatorCommanded" ? [payload.agentId] : []))
        expect(new Set(acted.filter((_, index) => index % 2 === 0))).toEqual(new Set(["ada"]))
        const given = events.flatMap(({ type, payload }) =>
          type === "RewardGiven" || type === "PunishmentGiven" ? [`${type} ${String(payload.agentId)}`] : [],
        )
        expect(given).toHaveLength(2)
        expect(audit.scores.find(({ label }) => label === "return")).toMatchObject({ earned: 1, lost: 1, net: 0 })
        const again = AgentGroup.make({ name: "group", version: "1", world: "duel", agents })
        expect(yield* kernel.replay(audit.taskId, again)).toMatchObject({ divergence: null })
      }),
    ),
  )
})

describe("what is wrong with a group", () => {
  it("is said at once", () => {
    expect(() => group({})).toThrow(/agents/)
    expect(() => group({ "no name": always(1) })).toThrow(/agents/)
    expect(() => group({ ada: always(1) }, { maxRounds: 0 })).toThrow(/maxRounds/)
    expect(() => group({ ada: always(1) }, { decideWithinMs: Number.NaN })).toThrow(/decideWithinMs/)
  })
})
