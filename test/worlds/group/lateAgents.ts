/** Groups of agents that are late now and then, in every way in which an agent can be, and what is held of them. */
import { Effect, Exit, Fiber, Option } from "effect"
import { expect } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import type { Json } from "../../../src/values/Json.ts"
import { eventsOf } from "../../agents/given.ts"
import { loseLease } from "../../kernel/lostLease.ts"
import { stoppingAt } from "../../kernel/stopping.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { groupOf, runGroup, TASK } from "./given.ts"

/** How long an agent takes each time, in milliseconds. */
type Delays = () => number

/** Delays that follow from a number: mostly none, and now and then more than a turn. */
export const delays = (seed: number): Delays => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const drawn = state / 2 ** 32
    return drawn < 0.75 ? 0 : (drawn - 0.75) * 400
  }
}

const NEVER_LATE: Delays = () => 0

const pause = (delay: Delays) => Effect.suspend(() => Effect.sleep(delay()))

const usage = { inputTokens: 1, outputTokens: 1 }

const action = (world: string, seen: Json, random: number) =>
  world === "duel" ? Math.min(Number(seen), random < 0.5 ? 1 : 2) : random < 0.5 ? 0 : 1

/** Thinks for a while before it decides, and says something now and then. */
const thinking = (world: string, delay: Delays): Agent.DecidingAgent => ({
  name: "thinking",
  version: "1",
  decide: ({ random, inputs, readings }) =>
    Effect.map(pause(delay), () => {
      const drawn = random()
      if (drawn < 0.2) return { say: `I heard ${inputs.length}` }
      return { act: `${world}/step`, args: { action: action(world, readings[`${world}/observation`] ?? 0, random()) } }
    }),
})

/** Asks a model, looks for inputs, and records what it has learnt. */
const asking = (world: string, delay: Delays) =>
  Agent.fromAdvance({
    name: "asking",
    version: "1",
    advance: (task) =>
      Effect.gen(function* () {
        const question = { provider: "test", model: "one", request: `What now? ${task.random()}` }
        const answered = Effect.as(pause(delay), { response: task.random(), usage })
        const { response } = yield* task.ask(question, answered, { afterMs: delay() / 2 })
        const heard = yield* task.inputs()
        yield* pause(delay)
        yield* task.record("asking@1", {
          type: "AgentStateChanged",
          payload: { state: { heard: heard.length } },
        })
        const [reading] = yield* task.perceive()
        yield* pause(delay)
        const random = (Number(response) + heard.length / 3) % 1
        yield* task.act(`${world}/step`, { action: action(world, reading?.reading ?? 0, random) })
        return true
      }),
  })

const group = (world: string, delay: Delays) =>
  groupOf(
    {
      ada: thinking(world, delay),
      bob: asking(world, delay),
      ...(world === "duel" ? {} : { cem: thinking(world, delay), dee: asking(world, delay) }),
    },
    { world, decideWithinMs: 30, maxRounds: 8, ...(world === "arena" ? { ticks: 100 } : {}) },
  )

/** A log with the world. */
const imported = (world: string) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const { start } = yield* testKernel({ directory, plugins: [inRepository(`test/worlds/samples/${world}`)] })
    yield* Effect.scoped(start)
    return directory
  })

const options = (world: string) => (world === "duel" ? { world, heap: 9 } : { world, burn: 500 })

const SOON = "15 seconds"

/** Runs a test in a kernel on a directory. */
const inDirectory = <A, E>(
  directory: string,
  test: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof eventsOf>> | Kernel>,
) =>
  Effect.scoped(
    Effect.flatMap(testKernel({ directory, onOpenTasks: "resume" }), ({ start }) =>
      Effect.flatMap(start, ({ run }) => run(test)),
    ),
  )

/** Whoever replays it, and however fast, does the same. */
const replaysAlike = (world: string, seed: number, where: string, timeline?: string) =>
  Effect.gen(function* () {
    const { replay } = yield* Kernel
    for (const delay of [NEVER_LATE, delays(seed + 1)]) {
      const report = yield* replay(TASK, group(world, delay), timeline === undefined ? {} : { timeline }).pipe(
        Effect.timeout(SOON),
      )
      expect(report, where).toMatchObject({ divergence: null, complete: true })
    }
  })

/** Runs a group whose agents are late, replays it, and forks it from some of its moments. */
export const forkedAnywhere = (world: string, seed: number, forks: number) =>
  Effect.gen(function* () {
    const directory = yield* imported(world)
    return yield* inDirectory(
      directory,
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* runGroup(group(world, delays(seed)), options(world)).pipe(Effect.timeout(SOON))
        yield* replaysAlike(world, seed, `${world}, seed ${seed}`)
        const events = (yield* eventsOf(TASK)).filter(({ stream }) => stream === `task/${TASK}`)
        const closed = events.findIndex(({ type }) => type === "TaskClosed")
        const places = events.slice(5, closed)
        for (let fork = 0; fork < forks; fork++) {
          const at = places[Math.floor((fork + ((seed * 0.37) % 1)) * (places.length / forks))]?.position ?? 0
          const where = `${world}, seed ${seed}, forked @${at}`
          const timeline = `at-${at}`
          const forked = yield* Effect.exit(
            kernel.fork(group(world, delays(seed + fork)), { task: TASK, at, timeline }).pipe(Effect.timeout(SOON)),
          )
          // Where commands are under way, it says so.
          if (Exit.isFailure(forked)) {
            expect(String(forked.cause), where).toMatch(/cannot be forked/)
            continue
          }
          yield* replaysAlike(world, seed + fork, where, timeline)
        }
        return lateIn(events)
      }),
    )
  }).pipe(Effect.scoped)

const lateIn = (events: ReadonlyArray<Event>): number => events.filter(({ type }) => type === "AgentLate").length

/** Runs a group whose kernel stops before its `count`th append, and lets another kernel resume it. */
export const resumedAfter = (world: string, seed: number, count: number) =>
  Effect.gen(function* () {
    const directory = yield* imported(world)
    const first = yield* stoppingAt((_, appends) => appends === count, { directory })
    const life = Effect.scoped(
      Effect.flatMap(first.start, ({ run }) => run(runGroup(group(world, delays(seed)), options(world)))),
    )
    const living = yield* Effect.fork(Effect.exit(life))
    const at = yield* Effect.raceFirst(Effect.option(first.stopped), Effect.as(Fiber.join(living), Option.none()))
    if (Option.isNone(at)) return undefined
    yield* Effect.addFinalizer(() => Effect.zipRight(first.goOn, Fiber.join(living)))
    loseLease(first.log)
    const where = `${world}, seed ${seed}, stopped before append ${count}: ${at.value.events.map(({ type }) => type)}`
    return yield* inDirectory(
      directory,
      Effect.gen(function* () {
        const kernel = yield* Kernel
        if ((yield* kernel.tasks.unfinished).length === 0) return 0
        const audit = yield* kernel.tasks.resume(TASK, group(world, delays(seed + 2))).pipe(Effect.timeout(SOON))
        expect(["achieved", "failed", "truncated"], where).toContain(audit.outcome)
        yield* replaysAlike(world, seed, where)
        return lateIn(yield* eventsOf(TASK))
      }),
    ).pipe(Effect.mapError((error) => new Error(`${where}: ${error}`)))
  }).pipe(Effect.scoped)
