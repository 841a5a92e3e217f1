import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { eventsOf } from "../../agents/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { groupOf, inKernel, inNextKernel, logged, of, runGroup, stepping, TASK, WORLDS } from "./given.ts"

const WITHIN = { decideWithinMs: 150, maxRounds: 5 }

const question = { provider: "test", model: "one", request: "What now?" }

/** Asks a model, which answers after `answered`, and then does what it heard meanwhile says. */
const asking = (answered: Effect.Effect<unknown, unknown>) =>
  Agent.fromAdvance({
    name: "asking",
    version: "1",
    advance: (task) =>
      Effect.gen(function* () {
        const answering = Effect.as(answered, { response: "go on", usage: { inputTokens: 1, outputTokens: 1 } })
        yield* task.consult(question, answering)
        const heard = yield* task.inputs()
        yield* task.act("arena/step", { action: heard.length === 0 ? 0 : 1 })
        return true
      }),
  })

/** Looks, pauses the first time, and stays where it is. */
const pausing = (pause: Effect.Effect<unknown>) => {
  let hasPaused = false
  return Agent.fromAdvance({
    name: "pausing",
    version: "1",
    advance: (task) =>
      Effect.gen(function* () {
        yield* task.perceive()
        if (!hasPaused) yield* pause
        hasPaused = true
        yield* task.act("arena/step", { action: 0 })
        return true
      }),
  })
}

/** Says something in its first turn, and then stays where it is. */
const greeting: Agent.DecidingAgent = {
  name: "greeting",
  version: "1",
  decide: ({ step }) => (step === 0 ? { say: "hello" } : { act: "arena/step", args: { action: 0 } }),
}

/** Completes once bob was late twice, and ada has decided since. */
const lateTwice = Effect.zipRight(logged(2, of("AgentLate", "bob")), logged(3, of("DecisionMade", "ada")))

const onLog = (done: Effect.Effect<unknown, unknown, EventLog>) =>
  Effect.map(EventLog, (log) => Effect.provideService(done, EventLog, log))

const types = (agentId: string) =>
  Effect.map(eventsOf(TASK), (events) =>
    events.flatMap(({ type, payload }) => (payload.agentId === agentId ? [type] : [])),
  )

describe("a group that is forked where a round was under way", () => {
  it.scopedLive("has no late agent in that round, however long it takes to lead them there", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const agents = (pause: Effect.Effect<unknown>) => ({ ada: stepping(() => 0), bob: pausing(pause) })
        const within = { decideWithinMs: 20, maxRounds: 3 }
        yield* runGroup(groupOf(agents(Effect.void), { maxRounds: 3 }))
        const round = (yield* eventsOf(TASK)).filter(of("ActuatorCommanded")).slice(0, 2)
        expect(round.map(({ payload }) => payload.agentId)).toEqual(["ada", "bob"])
        for (const { position: at } of round) {
          const timeline = `at-${at}`
          const slow = groupOf(agents(Effect.sleep("200 millis")), within)
          yield* kernel.fork(slow, { task: TASK, at, timeline })
          const log = yield* EventLog
          const events = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read({ taskId: TASK, timeline })))
          const [ada, bob] = events.filter(of("CommandDispatched")).map(({ payload }) => payload.round)
          // Both act in the round in which they had handed in their actions.
          expect(ada).toBe(bob)
          const replayed = yield* kernel
            .replay(TASK, groupOf(agents(Effect.void), within), { timeline })
            .pipe(Effect.timeout("20 seconds"))
          expect(replayed).toMatchObject({ verdict: "identical" })
        }
      }),
    ),
  )
})

describe("an agent that takes another's place in a fork, in whose round it never acts", () => {
  it.scopedLive("is late there, and the others go on", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const ada = stepping(() => 0)
        yield* runGroup(groupOf({ ada, bob: pausing(Effect.void) }, { maxRounds: 3 }))
        const at = (yield* eventsOf(TASK)).filter(of("ActuatorCommanded"))[1]?.position ?? 0
        const group = groupOf({ ada, bob: pausing(Effect.never) }, { decideWithinMs: 500, maxRounds: 3 })
        const { audit } = yield* kernel
          .fork(group, { task: TASK, at, timeline: "silent" })
          .pipe(Effect.timeout("20 seconds"))
        expect(audit.reason).toContain("the rounds are used up")
        const log = yield* EventLog
        const events = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read({ taskId: TASK, timeline: "silent" })))
        expect(events.filter(of("AgentLate", "bob"))).toHaveLength(3)
        expect(events.filter(of("CommandSucceeded")).length).toBeGreaterThanOrEqual(3)
      }),
    ),
  )
})

/** Calls a tool before each of its steps. */
const calling = Agent.fromAdvance({
  name: "calling",
  version: "1",
  advance: (task) => Effect.as(Effect.zipRight(task.act("program/wait"), task.act("arena/step", { action: 0 })), true),
})

describe("a group that is forked where one of its agents had called a tool", () => {
  it.scopedLive("goes on without that agent, once the tool takes longer than a turn", () =>
    Effect.gen(function* () {
      let answers: Effect.Effect<string> = Effect.succeed("done")
      const args = { type: "object" } as const
      const wait = Tool.make({ description: "It waits", risk: "none", run: () => answers, args })
      const { start } = yield* testKernel({ plugins: WORLDS, tools: { wait } })
      const { run } = yield* start
      yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const group = groupOf({ ada: stepping(() => 0), bob: calling }, { maxRounds: 3 })
          const plugins = ["arena", "program"]
          yield* kernel.tasks.run(group, { id: TASK, goal: "Walk", plugins, agents: ["ada", "bob"] })
          const called = (yield* eventsOf(TASK)).find(of("ActuatorCommanded", "bob"))
          expect(called?.payload.actuator).toBe("program/wait")
          answers = Effect.never
          const at = called?.position ?? 0
          const impatient = groupOf({ ada: stepping(() => 0), bob: calling }, { decideWithinMs: 500, maxRounds: 3 })
          const { audit } = yield* kernel
            .fork(impatient, { task: TASK, at, timeline: "slow", acceptUnrewound: true })
            .pipe(Effect.timeout("10 seconds"))
          expect(audit.reason).toContain("the rounds are used up")
          const log = yield* EventLog
          const events = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read({ taskId: TASK, timeline: "slow" })))
          expect(events.filter(of("AgentLate", "bob"))).toHaveLength(3)
        }),
      )
    }),
  )
})

describe("an agent of a group that was late after it had perceived", () => {
  it.scopedLive("does not perceive again in a fork from where it had handed in its action since", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const agents = (pause: Effect.Effect<unknown, unknown>) => ({
          ada: stepping(() => 0),
          bob: pausing(Effect.orDie(pause)),
          cem: stepping(() => 0),
        })
        const late = yield* onLog(logged(1, of("AgentLate", "bob")))
        yield* runGroup(groupOf(agents(late), { decideWithinMs: 150, maxRounds: 3 }))
        // The round in which bob acts is not yet carried out when cem decides.
        const at = (yield* eventsOf(TASK)).filter(of("DecisionMade", "cem"))[1]?.position ?? 0
        const quick = groupOf(agents(Effect.void), { maxRounds: 3 })
        yield* kernel.fork(quick, { task: TASK, at, timeline: "other" })
        const replayed = yield* kernel.replay(TASK, quick, { timeline: "other" })
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      }),
    ),
  )
})

describe("an agent of a group whose model answers late", () => {
  const agents = (answered: Effect.Effect<unknown, unknown>) => ({
    ada: greeting,
    bob: asking(answered),
    cem: stepping(() => 0),
  })

  it.scopedLive("is replayed: it has the answer when it has the turn again, and not before", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* runGroup(groupOf(agents(yield* onLog(lateTwice)), WITHIN))
        const acted = (yield* eventsOf(TASK)).find(of("ActuatorCommanded", "bob"))
        // It was told what ada had said while it waited.
        expect(acted?.payload.args).toEqual({ action: 1 })
        const again = yield* kernel.replay(TASK, groupOf(agents(Effect.void), WITHIN))
        expect(again).toMatchObject({ verdict: "identical", complete: true })
        // How long the replayed agent may take is no matter of the recording.
        const unlimited = yield* kernel.replay(TASK, groupOf(agents(Effect.void), { maxRounds: 5 }))
        expect(unlimited).toMatchObject({ verdict: "identical", complete: true })
      }),
    ),
  )

  it.scopedLive("is forked from each of its rounds, and goes on live", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* runGroup(groupOf(agents(yield* onLog(lateTwice)), WITHIN))
        const places = (yield* eventsOf(TASK)).filter(of("AgentLate")).map(({ position }) => position)
        expect(places.length).toBeGreaterThan(1)
        for (const at of places) {
          const forked = yield* kernel
            .fork(groupOf(agents(Effect.void), WITHIN), { task: TASK, at, timeline: `at-${at}` })
            .pipe(Effect.timeout("20 seconds"))
          expect(forked.audit.outcome).toBe("truncated")
          const replayed = yield* kernel.replay(TASK, groupOf(agents(Effect.void), WITHIN), { timeline: `at-${at}` })
          expect(replayed).toMatchObject({ verdict: "identical" })
        }
      }),
    ),
  )

  it.scopedLive("goes on when the task is resumed where it was late", () =>
    inNextKernel(
      groupOf(agents(Effect.never), WITHIN),
      {},
      logged(2, of("AgentLate", "bob")),
      Effect.gen(function* () {
        const kernel = yield* Kernel
        expect(yield* types("bob")).not.toContain("ActuatorCommanded")
        const audit = yield* kernel.tasks
          .resume(TASK, groupOf(agents(Effect.void), WITHIN))
          .pipe(Effect.timeout("20 seconds"))
        expect(audit.outcome).toBe("truncated")
        expect(yield* types("bob")).toContain("ActuatorCommanded")
        const again = yield* kernel.replay(TASK, groupOf(agents(Effect.void), WITHIN))
        expect(again).toMatchObject({ verdict: "identical", complete: true })
      }),
    ),
  )

  it.scopedLive("is late again after the task was resumed, if it takes too long again", () => {
    const never = groupOf(agents(Effect.never), WITHIN)
    return inNextKernel(
      never,
      {},
      logged(1, of("AgentLate", "bob")),
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.tasks.resume(TASK, never).pipe(Effect.timeout("20 seconds"))
        const late = (yield* types("bob")).filter((type) => type === "AgentLate")
        expect(late).toHaveLength(WITHIN.maxRounds)
        expect(yield* kernel.replay(TASK, never)).toMatchObject({ divergence: null })
      }),
    )
  })
})

describe("a group that goes on", () => {
  it.scopedLive("from a command that was pending, does it once, and is replayed", () =>
    inKernel(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const walking = Agent.fromAdvance({
          name: "walking",
          version: "1",
          advance: (task) => Effect.as(Effect.zipRight(task.perceive(), task.act("arena/step", { action: 0 })), true),
        })
        const group = () => groupOf({ ada: walking, bob: stepping(() => 0) }, { maxRounds: 2 })
        yield* runGroup(group())
        const commanded = (yield* eventsOf(TASK)).filter(of("ActuatorCommanded"))
        expect(commanded).toHaveLength(4)
        for (const { position: at } of commanded) {
          const timeline = `at-${at}`
          const { audit } = yield* kernel.fork(group(), { task: TASK, at, timeline })
          expect({ at, ...audit.acting }).toMatchObject({ at, commanded: 4, succeeded: 4, denied: 0 })
          expect(yield* kernel.replay(TASK, group(), { timeline })).toMatchObject({
            verdict: "identical",
            complete: true,
          })
        }
      }),
    ),
  )

  it.scopedLive("has the rounds that it was run with, also where none are said", () => {
    const agents = { ada: stepping(() => 0), bob: stepping(() => Effect.never) }
    return inNextKernel(
      groupOf(agents, WITHIN),
      {},
      logged(2, of("AgentLate", "bob")),
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const [opened] = yield* eventsOf(TASK)
        expect(opened?.payload.limits).toEqual({ maxRounds: WITHIN.maxRounds })
        const without = groupOf(agents, { decideWithinMs: WITHIN.decideWithinMs })
        const { reason } = yield* kernel.tasks.resume(TASK, without).pipe(Effect.timeout("20 seconds"))
        expect(reason).toContain("the rounds are used up")
        expect((yield* types("ada")).filter((type) => type === "ActuatorCommanded")).toHaveLength(WITHIN.maxRounds)
      }),
    )
  })
})

describe("a replay of a group in which an agent never answers", () => {
  it.scopedLive("ends where the recording was cut off", () => {
    const group = groupOf({ ada: stepping(() => 0), bob: stepping(() => Effect.never) }, WITHIN)
    return inNextKernel(
      group,
      {},
      logged(1, of("AgentLate", "bob")),
      Effect.gen(function* () {
        const report = yield* (yield* Kernel).replay(TASK, group).pipe(Effect.timeout("20 seconds"))
        expect(report).toMatchObject({ divergence: null, complete: false })
      }),
    )
  })
})
