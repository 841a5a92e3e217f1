/** Starts a kernel: takes over from an earlier one, and makes the service. Its layer holds the log's lease. */

import { Effect, ExecutionStrategy, Layer, Scope } from "effect"
import { type AppendError, EventLog, type LogError } from "../events/log/EventLog.ts"
import { Lease, type LeaseHeld } from "../events/log/Lease.ts"
import { Presence } from "../events/log/Presence.ts"
import { type Event, newId } from "../events/vocabulary/Event.ts"
import type { TaskBudget } from "../events/vocabulary/Tasks.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import { PluginHost } from "../plugins/process/PluginHost.ts"
import * as Tools from "../plugins/sandbox/Tools.ts"
import * as ComponentSchemas from "../plugins/schemas/ComponentSchemas.ts"
import * as TaskAudit from "../projections/audit/TaskAudit.ts"
import { Projector } from "../projections/projector/Projector.ts"
import { activeActuators, type PluginRegistry } from "../projections/state/PluginRegistry.ts"
import * as TaskList from "../projections/state/TaskList.ts"
import * as Tasks from "../projections/state/Tasks.ts"
import { digest } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import * as Options from "../values/Options.ts"
import * as Pcg32 from "../values/random/Pcg32.ts"
import * as SafeRecord from "../values/SafeRecord.ts"
import * as CommandQueue from "./acting/queue/CommandQueue.ts"
import * as Agent from "./agents/Agent.ts"
import { complete, runAgent } from "./agents/runAgent.ts"
import * as DraftTimelines from "./context/DraftTimelines.ts"
import * as ControlWatch from "./control/ControlWatch.ts"
import * as Critics from "./critics/Critics.ts"
import * as Fork from "./fork/Fork.ts"
import { asking, Confirmations } from "./gate/Confirmations.ts"
import * as Gate from "./gate/Gate.ts"
import * as Instances from "./instances/Instances.ts"
import * as PluginListeners from "./instances/PluginListeners.ts"
import * as SandboxConsents from "./instances/SandboxConsents.ts"
import * as LiveJudge from "./judging/LiveJudge.ts"
import { KernelOptions } from "./KernelOptions.ts"
import { Kernel } from "./KernelService.ts"
import * as ModelPaces from "./pacing/ModelPaces.ts"
import { Program } from "./program/Program.ts"
import * as ProgramInstances from "./program/ProgramInstances.ts"
import * as TaskQueue from "./queue/TaskQueue.ts"
import * as Fence from "./recovery/Fence.ts"
import { queuedAbove } from "./recovery/QueuedOwner.ts"
import { closeOnceGone, closeTask } from "./recovery/Takeover.ts"
import * as Tenure from "./recovery/Tenure.ts"
import { isInProcess } from "./registry/InProcess.ts"
import { manifestOf, Registry } from "./registry/Registry.ts"
import * as Replay from "./replay/Replay.ts"
import * as TreeReplay from "./replay/trees/TreeReplay.ts"
import * as Resume from "./resume/Resume.ts"
import * as RolloutWorld from "./rollout/RolloutWorld.ts"
import * as SearchWorld from "./rollout/SearchWorld.ts"
import type { RubricInvalid } from "./rules/Rubric.ts"
import * as SnapshotUpkeep from "./SnapshotUpkeep.ts"
import { Scoring } from "./scoring/Scoring.ts"
import * as PushedReadings from "./sensing/PushedReadings.ts"
import * as InputArrivals from "./tasks/InputArrivals.ts"
import type { KernelContext } from "./tasks/OpenTask.ts"
import * as RunningTasks from "./tasks/RunningTasks.ts"
import * as Task from "./tasks/Task.ts"
import * as TaskId from "./tasks/TaskId.ts"
import * as TaskOpening from "./tasks/TaskOpening.ts"
import * as AgentCalls from "./teams/AgentCalls.ts"
import * as ChildSpending from "./teams/ChildSpending.ts"
import * as ChildTasks from "./teams/ChildTasks.ts"
import * as Trust from "./trust/Trust.ts"
import { VERSION } from "./versions.ts"

export { type Completed, type RunError, RunOptions } from "./agents/runAgent.ts"
export { ChildRefused } from "./context/ChildRefused.ts"
export { KernelOptions, OnOpenTasks, OnProgress } from "./KernelOptions.ts"
export { Kernel, type Service, type UnfinishedTask } from "./KernelService.ts"
export type { TreeLimits } from "./teams/TreeLimits.ts"

/**
 * Takes the log's lease, records the ends of an earlier kernel's unfinished work, and then accepts tasks. Closing the
 * scope abandons open tasks, stops every plugin and releases the lease.
 */
export const layer = (
  options: KernelOptions,
): Layer.Layer<
  Kernel,
  Options.InvalidOptions | LeaseHeld | AppendError | LogError | Trust.ForeignLog | RubricInvalid,
  EventLog | Lease | Presence | Projector | PluginHost | Registry | Confirmations | Scoring
> =>
  Layer.scoped(
    Kernel,
    Effect.gen(function* () {
      const decoded = yield* Options.decode("Kernel.layer", KernelOptions, options)
      const { owner = "hindcast", onOpenTasks = "abandon" } = decoded
      const tenure = Effect.gen(function* () {
        const lease = yield* (yield* Lease).acquire(owner)
        const tenure = yield* Tenure.ofLease(yield* EventLog, owner, lease, onOpenTasks)
        return { ...tenure, mayResume: leavesToRunners }
      })
      return yield* make(decoded, tenure, RunningTasks.make())
    }),
  )

/**
 * Starts a kernel with a right that the caller acquires.
 *
 * @param options decoded ones
 * @param running receives the tasks that the kernel works on
 */
export const make = <E, R>(
  options: KernelOptions,
  acquire: Effect.Effect<Tenure.Tenure, E, R>,
  running: RunningTasks.RunningTasks,
) =>
  Effect.gen(function* () {
    const gate = yield* Gate.decode(options.gate ?? Gate.standard)
    yield* Effect.forEach(Gate.warnings(gate), (warning) => ProgramLog.warning(warning), { discard: true })
    const registry = yield* Registry
    const people = yield* Confirmations
    const projector = yield* Projector
    const scoring = yield* Scoring
    const seed = options.seed ?? Math.floor(Math.random() * MAX_SEED)

    const deno = yield* Tools.denoVersion
    // Loaded before the first command: a later load would let another command overtake it.
    yield* ComponentSchemas.load

    // Checked before the lease, and before any recovery.
    yield* Trust.assertTrusted(options.trust === true ? "option" : undefined)
    const { onOpenTasks = "abandon" } = options
    const tenure = yield* acquire
    const { lease, logOf } = tenure
    const drafts = DraftTimelines.make(tenure.log)
    const { log } = drafts
    const left = yield* Effect.provideService(tenure.recover, EventLog, log)
    yield* Effect.forkScoped(Effect.provideService(closeOnceGone(left), EventLog, log))
    const judgeLabel = options.judge === undefined ? undefined : LiveJudge.labelOf(options.judge)
    yield* startAndStop(log, { deno, seed, gate, judge: judgeLabel })
    yield* Effect.provideService(SnapshotUpkeep.start(undefined, tenure.isOnDuty), EventLog, log)

    const pushed = PushedReadings.make(log, registry, lease)
    const commands = CommandQueue.make(Effect.map(registry.state, priorities))
    const host = yield* PluginHost
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    if (onOpenTasks === "resume") yield* Effect.addFinalizer(() => running.end)
    const processes = yield* Instances.make({
      log,
      kernel: lease.identity,
      host,
      registry,
      workspace: options.workspace,
      directory: options.directory,
      seed,
      gate,
      onEmit: pushed.record,
      ...defined({ idleMs: options.idleMs, restarts: options.restarts }),
    }).pipe(Scope.extend(scope))
    const program = yield* Program
    const children = ChildTasks.make({
      log,
      projector,
      running,
      spending: ChildSpending.reader(log),
      limits: options.trees ?? {},
      ...(logOf === undefined
        ? { left: onOpenTasks === "resume" ? yield* TaskList.open(log) : [] }
        : {
            // Tasks come from other runners at any time, and nobody else closes the children that these left.
            left: [],
            close: (taskId) =>
              closeTask(taskId, running.has).pipe(
                Effect.provideService(EventLog, log),
                Effect.provideService(Projector, projector),
              ),
          }),
    })
    const resume = (taskId: string, agent: Agent.Agent, options?: Resume.ResumeOptions) =>
      Effect.zipRight(
        logOf === undefined ? Effect.void : children.adopt(taskId),
        Resume.resume(context, audit, taskId, agent, options),
      ).pipe(Effect.provideService(Projector, projector))
    const instances = ProgramInstances.around(processes, program, log, (...called) =>
      AgentCalls.call({
        log,
        running,
        run: (agent, options, cause) =>
          runAgent(
            { open: (opening, budget) => openIn(opening, cause, budget), audit, stopped: running.stopped },
            agent,
            options,
          ),
        resume,
      })(...called),
    )
    const critics: KernelContext["critics"] = (registry) =>
      Critics.make({ log, host, registry, directory: options.directory })
    const unconsented: KernelContext["unconsented"] = (plugins) =>
      Effect.gen(function* () {
        const installed = yield* registry.state
        const versions = plugins.flatMap((plugin) => {
          const found = SafeRecord.get(installed, plugin)
          const isStarted = found !== undefined && !isInProcess(found) && SandboxConsents.isStarted(manifestOf(found))
          return isStarted ? [{ ...found, plugin, runtime: manifestOf(found).runtime }] : []
        })
        const all = yield* Effect.forEach(versions, (version) => SandboxConsents.missing(log, host, version))
        return all.filter((missing) => missing !== undefined)
      })
    const context: KernelContext = {
      confirmations: asking(log),
      keepsOpenTasks: onOpenTasks === "resume",
      log,
      ...(logOf === undefined ? {} : { logOf: (taskId) => logOf(log, taskId) }),
      drafts,
      registry,
      critics,
      instances,
      unconsented,
      commands,
      pushed,
      gate,
      lease,
      files: options.files,
      onProgress: options.onProgress,
      paces: ModelPaces.make(options.rateLimits),
      running,
      endChildren: children.ended,
      below: children.below,
      scope,
      inputs: InputArrivals.make(log),
    }
    const cancelled = Tenure.cancelledIn(tenure, log, running.has)
    const presence = yield* Presence
    const closing = (event: Event) =>
      cancelled(event).pipe(Effect.provideService(Projector, projector), Effect.provideService(Presence, presence))
    const { position } = yield* log.head
    yield* Effect.forkIn(ControlWatch.run(log, running, lease, position, closing), scope)
    const seeds = Pcg32.make(seed)
    const openAs = (opening: Task.OpenOptions, child?: TaskOpening.ChildOf, agentBudget?: TaskBudget) =>
      Effect.gen(function* () {
        const id = opening.id === undefined ? newId() : yield* TaskId.checked(opening.id)
        return yield* TaskOpening.open(
          context,
          id,
          opening.seed ?? seeds.integer(MAX_SEED),
          opening,
          child,
          agentBudget,
        )
      })
    const openIn = (opening: Task.OpenOptions, cause: ChildTasks.Cause | undefined, budget?: TaskBudget) =>
      cause === undefined
        ? openAs(opening, undefined, budget)
        : children.open(cause, opening, (completed, child) => openAs(completed, child, budget))
    const open = (input: Task.OpenOptions, budget?: TaskBudget) =>
      Effect.gen(function* () {
        const { parent, ...opening } = yield* Options.decode("tasks.open", Task.OpenOptions, input)
        return yield* openIn(opening, parent === undefined ? undefined : { taskId: parent }, budget)
      })
    const audit = (taskId: string) => Effect.provideService(TaskAudit.load(taskId), EventLog, log)

    const judge =
      options.judge === undefined ? LiveJudge.none : yield* LiveJudge.start(options.judge, { log, scoring, projector })
    const ending = { stopped: running.stopped, ...(onOpenTasks === "resume" ? { suspend: running.suspend } : {}) }
    const { directory, workspace } = options
    const rollouts = { log, registry, host, gate, directory, workspace, identity: lease.identity }

    return Kernel.of({
      plugins: registry,
      confirmations: people,
      audit,
      unconsented,
      rescore: scoring.rescore,
      listener: (plugin, listener) => PluginListeners.open({ registry, instances: processes, seed }, plugin, listener),
      judged: judge.settled,
      rolloutWorld: (of) => RolloutWorld.open(rollouts, of),
      searchWorld: (of) => SearchWorld.open(rollouts, of),
      fork: (agent, options) => Effect.provideService(Fork.fork(context, agent, options), Projector, projector),
      replay: (...args) =>
        Replay.replay(...args).pipe(Effect.provideService(EventLog, log), Effect.provideService(Projector, projector)),
      replayTree: (taskId, agent, options = {}) =>
        Effect.suspend(() => {
          const called = [...(program?.functions.values() ?? [])].flatMap(({ calls }) => {
            const found = calls?.agent()
            return Agent.isAgent(found) ? [found] : []
          })
          return TreeReplay.replay(taskId, agent, { ...options, agents: [...(options.agents ?? []), ...called] })
        }).pipe(Effect.provideService(EventLog, log), Effect.provideService(Projector, projector)),
      tasks: {
        open: (options) => open(options),
        run: (agent, options) => runAgent({ open, audit, ...ending }, agent, options),
        complete: (agent, options) => complete({ open, ...ending }, agent, options),
        resume: (taskId, agent, options) =>
          Effect.zipRight(
            Effect.provideService(tenure.mayResume?.(taskId) ?? Effect.void, Projector, projector),
            resume(taskId, agent, options),
          ),
        submit: (options) => TaskQueue.submit(log, options),
        unfinished: Effect.map(projector.current(Tasks.projection), (tasks) =>
          Tasks.open(tasks).flatMap(([taskId, task]) => (running.has(taskId) ? [] : [{ taskId, ...task }])),
        ),
        suspend: running.end,
        keptOpen: onOpenTasks === "resume",
      },
    })
  })

/** A kernel has no claim, so nothing would keep a runner from working on the same task. */
const leavesToRunners = (taskId: string) =>
  Effect.flatMap(queuedAbove(taskId), (queued) => {
    if (queued === undefined) return Effect.void
    const what = queued === taskId ? "it is in the queue" : `it is part of task ${queued}, which is in the queue`
    return new Resume.NotResumable({ taskId, reason: `${what}: a runner continues it (\`hindcast runner start\`)` })
  })

const priorities = (registry: PluginRegistry) => {
  const byName = new Map(activeActuators(registry).map(({ name, priority }) => [name, priority]))
  return (actuator: string) => byName.get(actuator)
}

const MAX_SEED = 2 ** 31

/** Records that the kernel started and, when its scope closes, that it stopped. */
const startAndStop = (
  log: EventLog.Service,
  config: {
    readonly deno: string
    readonly seed: number
    readonly gate: Gate.GateConfig
    readonly judge: string | undefined
  },
) =>
  Effect.gen(function* () {
    const gate = Gate.recorded(config.gate)
    const append = (event: Parameters<typeof log.append>[0]["events"][number]) =>
      log.append({ stream: Fence.STREAM, actor: "kernel", events: [event] })
    yield* Effect.acquireRelease(
      append({
        type: "KernelStarted",
        payload: {
          version: VERSION,
          node: process.versions.node,
          deno: config.deno,
          seed: config.seed,
          configDigest: digest({ seed: config.seed, gate }),
          gate,
          ...defined({ judge: config.judge }),
        },
      }),
      () =>
        append({ type: "KernelStopped", payload: { reason: "its scope closed" } }).pipe(
          Effect.catchTag("LeaseLost", ({ message }) => ProgramLog.warning(message)),
          Effect.catchAllCause((cause) => ProgramLog.error("the kernel's end was not recorded", cause)),
        ),
    )
  })
