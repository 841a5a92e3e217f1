import { Deferred, Effect, Fiber, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../events/log/EventLog.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as Hindcast from "../../../kernel/Hindcast.ts"
import { Kernel } from "../../../kernel/Kernel.ts"
import type { Wanted } from "../../../plugins/sandbox/Tier.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import * as Cast from "./Cast.ts"
import * as Lanes from "./Lanes.ts"
import * as Memory from "./Memory.ts"
import type { Plan, Planned } from "./Plan.ts"
import * as Reviewer from "./Reviewer.ts"
import * as Worlds from "./Worlds.ts"

/** Where a history is written, and how its kernels are set up. */
export interface SeasonPaths {
  readonly filename: string
  /** The directory whose files the clerk keeps. */
  readonly workspace: string
  readonly seed: number
  readonly sandbox: Wanted
}

/** A kernel of the history. Its own seed is the history's and the number of kernels before it. */
const kernelOf = ({ filename, workspace, seed, sandbox }: SeasonPaths, before: number) =>
  Hindcast.layer({
    log: filename,
    workspace,
    owner: "hindcast demo",
    gate: Reviewer.GATE,
    seed: seed + before,
    host: { sandbox },
    // Boilers burst now and then, and not because the plugin is broken.
    restarts: { windowMs: 1_000, crashes: 5, firstMs: 10, mostMs: 50 },
  })

/** What everything in one kernel needs: agents, worlds, and somebody who answers questions. */
const setUp = Effect.gen(function* () {
  const kernel = yield* Kernel
  const imported = yield* kernel.plugins.state
  if (SafeRecord.get(imported, "workspace") === undefined) {
    for (const source of Worlds.SOURCES) yield* kernel.plugins.import(source)
    // What git says of the directory depends on what it lies in.
    yield* kernel.plugins.deactivate("workspace/git")
  }
  const pondering = yield* Deferred.make<void>()
  const cast = yield* Cast.assemble(pondering)
  yield* Memory.recall(cast.apprentice)
  const { position } = yield* (yield* EventLog).head
  yield* Effect.forkScoped(Reviewer.answer(position))
  return { ...cast, pondering: Deferred.await(pondering), worldOf: yield* Worlds.load }
})

type Company = Effect.Effect.Success<typeof setUp>

/** The first kernel: does what comes before the crash, begins what it cuts off, and then waits for it. */
export const untilTheCrash = (place: SeasonPaths, { before, cutOff }: Plan) =>
  Effect.gen(function* () {
    const company = yield* setUp
    yield* inLanes(before, (planned) => work(company, planned))
    const [thinking, burning, asking] = cutOff
    if (thinking === undefined || burning === undefined || asking === undefined) return
    // One after the other, each once the one before has come to rest: so the log's order is the same each time.
    yield* Effect.forkScoped(work(company, thinking))
    yield* company.pondering
    yield* Effect.forkScoped(work(company, burning))
    yield* dispatched(burning.id, "boiler/simmer")
    yield* Effect.forkScoped(work(company, asking))
    yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(kernelOf(place, 0)))

/** The kernel that takes over, or the only one: recovers what the first left, and does what comes after the crash. */
export const afterTheCrash = (place: SeasonPaths, { cutOff, after }: Plan, onDone: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const company = yield* setUp
    yield* inLanes(after, (planned) => Effect.zipRight(work(company, planned), onDone))
  }).pipe(Effect.scoped, Effect.provide(kernelOf(place, cutOff.length > 0 ? 1 : 0)))

/** Does something with every task, lane by lane: see `Lanes`. */
const inLanes = <E, R>(planned: ReadonlyArray<Planned>, work: (planned: Planned) => Effect.Effect<void, E, R>) =>
  Effect.forEach(Lanes.dealt(planned), (lane) => Effect.forEach(lane, (one) => inTurn(work(one)), { discard: true }), {
    concurrency: "unbounded",
    discard: true,
  })

/**
 * On a fiber of its own, so that an interruption ends the history also where it comes while a task is being closed: that is
 * seen to its end.
 */
const inTurn = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.flatMap(Effect.fork(work), Fiber.join)

/** Lets an agent work on its task to the end, whatever that is. */
const work = ({ agents, apprentice, worldOf }: Company, { id, agent: name, world, goal, maxSteps, seed }: Planned) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const agent = agents.get(name)
    if (agent === undefined) return yield* Effect.dieMessage(`nobody is called ${name}`)
    yield* kernel.tasks.run(agent, { id, goal, maxSteps, seed, ...worldOf(world) }).pipe(
      // One of them does fail. Its task is closed, and says so.
      Effect.catchTag("AgentFailed", () => Effect.void),
    )
    if (name === apprentice.name) yield* Memory.learn(apprentice, id)
  })

/** Waits until a command of a task was sent to an actuator. */
const dispatched = (taskId: string, actuator: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    let commandId: string | undefined
    yield* log.follow({ taskId, types: ["ActuatorCommanded", "CommandDispatched"] }).pipe(
      Stream.takeUntil((item) => {
        if (item instanceof CaughtUp) return false
        if (is(item, "ActuatorCommanded") && item.payload.actuator === actuator) commandId = item.payload.commandId
        return is(item, "CommandDispatched") && item.payload.commandId === commandId
      }),
      Stream.runDrain,
    )
  })
