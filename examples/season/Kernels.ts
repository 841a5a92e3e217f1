/** Runs the planned tasks of a season: the first kernel up to its crash, and the second kernel after it. */
import { Deferred, Effect, Fiber, Stream } from "effect"
import { EventLog, Hindcast, Kernel, type PluginHost, Vocabulary } from "hindcast"
import * as Cast from "./Cast.ts"
import * as Lanes from "./Lanes.ts"
import * as Memory from "./Memory.ts"
import type { Plan, Planned } from "./Plan.ts"
import * as Reviewer from "./Reviewer.ts"
import * as Worlds from "./Worlds.ts"

export interface SeasonPaths {
  readonly filename: string
  /** The directory that the agent `clerk` works in. */
  readonly workspace: string
  readonly seed: number
  readonly sandbox: NonNullable<PluginHost.HostOptions["sandbox"]>
}

/** A kernel of the season. Its seed is the season's seed plus the number of earlier kernels. */
const kernelOf = ({ filename, workspace, seed, sandbox }: SeasonPaths, before: number) =>
  Hindcast.layer({
    log: filename,
    workspace,
    owner: "hindcast demo",
    gate: Reviewer.GATE,
    seed: seed + before,
    host: { sandbox },
    // The process of a boiler exits when the boiler bursts. That is part of the simulation, so allow restarts.
    restarts: { windowMs: 1_000, crashes: 5, firstMs: 10, mostMs: 50 },
  })

const setUpKernel = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  const imported = yield* kernel.plugins.state
  if (!Object.hasOwn(imported, "workspace")) {
    for (const source of Worlds.SOURCES) yield* kernel.plugins.import(source)
    // Git's answers depend on the directory's surroundings and would make logs differ.
    yield* kernel.plugins.deactivate("workspace/git")
  }
  const pondering = yield* Deferred.make<void>()
  const cast = yield* Cast.assemble(pondering)
  yield* Memory.recall(cast.apprentice)
  const { position } = yield* (yield* EventLog.EventLog).head
  yield* Effect.forkScoped(Reviewer.answer(position))
  return { ...cast, pondering: Deferred.await(pondering), worldOf: yield* Worlds.load }
})

type KernelSetup = Effect.Effect.Success<typeof setUpKernel>

/** The first kernel: completes the tasks before the crash, starts the interrupted ones, and waits to be killed. */
export const untilTheCrash = (paths: SeasonPaths, { before, cutOff }: Plan) =>
  Effect.gen(function* () {
    const setup = yield* setUpKernel
    yield* inLanes(before, (planned) => runTask(setup, planned))
    const [deciding, executing, confirming] = cutOff
    if (deciding === undefined || executing === undefined || confirming === undefined) return
    // Start each task once the previous one is idle, so that the log's order is always the same.
    yield* Effect.forkScoped(runTask(setup, deciding))
    yield* setup.pondering
    yield* Effect.forkScoped(runTask(setup, executing))
    yield* awaitDispatch(executing.id, "boiler/simmer")
    yield* Effect.forkScoped(runTask(setup, confirming))
    yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(kernelOf(paths, 0)))

/** The second kernel, or the only one: recovers the first one's unfinished work, and runs the remaining tasks. */
export const afterTheCrash = (paths: SeasonPaths, { cutOff, after }: Plan, onDone: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const setup = yield* setUpKernel
    yield* inLanes(after, (planned) => Effect.zipRight(runTask(setup, planned), onDone))
  }).pipe(Effect.scoped, Effect.provide(kernelOf(paths, cutOff.length > 0 ? 1 : 0)))

const inLanes = <E, R>(planned: ReadonlyArray<Planned>, run: (planned: Planned) => Effect.Effect<void, E, R>) =>
  Effect.forEach(
    Lanes.dealt(planned),
    (lane) => Effect.forEach(lane, (one) => onOwnFiber(run(one)), { discard: true }),
    {
      concurrency: "unbounded",
      discard: true,
    },
  )

/** Closing a task cannot be interrupted. On its own fiber, an interrupt during the close still ends the season. */
const onOwnFiber = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Effect.fork(effect), Fiber.join)

const runTask = (
  { agents, apprentice, worldOf }: KernelSetup,
  { id, agent: name, world, goal, maxSteps, seed }: Planned,
) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const agent = agents.get(name)
    if (agent === undefined) return yield* Effect.dieMessage(`nobody is called ${name}`)
    yield* kernel.tasks.run(agent, { id, goal, maxSteps, seed, ...worldOf(world) }).pipe(
      // One agent fails by design; its task closes as failed.
      Effect.catchTag("AgentFailed", () => Effect.void),
    )
    if (name === apprentice.name) yield* Memory.learn(apprentice, id)
  })

const awaitDispatch = (taskId: string, actuator: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    let commandId: string | undefined
    yield* log.follow({ taskId, types: ["ActuatorCommanded", "CommandDispatched"] }).pipe(
      Stream.takeUntil((item) => {
        if (item instanceof EventLog.CaughtUp) return false
        if (Vocabulary.is(item, "ActuatorCommanded") && item.payload.actuator === actuator)
          commandId = item.payload.commandId
        return Vocabulary.is(item, "CommandDispatched") && item.payload.commandId === commandId
      }),
      Stream.runDrain,
    )
  })
