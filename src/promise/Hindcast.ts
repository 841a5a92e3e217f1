/**
 * Hindcast for programs without Effect: the kernel and the log's queries as promises and async iterables. `Promised`
 * derives them from the services of `hindcast`, so options, results and errors are the same.
 */

/// <reference lib="esnext.disposable" preserve="true" />
import { Effect, Either, Exit, Layer, Schema, Scope, Stream } from "effect"
import type { ServeOptions } from "../agents/channel/ChannelServer.ts"
import type { Model } from "../agents/models/Model.ts"
import { CaughtUp, EventLog, type Query } from "../events/log/EventLog.ts"
import type { Moment } from "../events/read/Moment.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import * as KernelAgent from "../kernel/agents/Agent.ts"
import { Annotating } from "../kernel/annotations/Annotating.ts"
import { TaskControl } from "../kernel/control/TaskControl.ts"
import type { Forked, ForkOptions } from "../kernel/fork/Fork.ts"
import type * as KernelConfirmations from "../kernel/gate/Confirmations.ts"
import * as Layers from "../kernel/Hindcast.ts"
import { Kernel } from "../kernel/Kernel.ts"
import * as ResumedTasks from "../kernel/ResumedTasks.ts"
import type { Registry } from "../kernel/registry/Registry.ts"
import type { ReplayOptions, ReplayReport } from "../kernel/replay/Replay.ts"
import type { TreeReplay } from "../kernel/replay/trees/TreeReplay.ts"
import * as Predicate from "../kernel/rules/Predicate.ts"
import * as Rubric from "../kernel/rules/Rubric.ts"
import type * as Scoring from "../kernel/scoring/Scoring.ts"
import * as KernelMemories from "../memories/Memories.ts"
import type { TaskAudit } from "../projections/audit/TaskAudit.ts"
import * as CollectiveAudit from "../projections/collective/CollectiveAudit.ts"
import { Projector } from "../projections/projector/Projector.ts"
import * as Saw from "../projections/request/Saw.ts"
import type { SeenTurn } from "../projections/request/SeenTurn.ts"
import type { PendingConfirmation } from "../projections/state/PendingConfirmations.ts"
import * as KernelTimeTravel from "../projections/timetravel/TimeTravel.ts"
import * as TreeAudit from "../projections/tree/TreeAudit.ts"
import { defined } from "../values/defined.ts"
import { InvalidOptions } from "../values/Options.ts"
import { type Agent, adapted, fromModel, type ModelAgentOptions } from "./Agent.ts"
import { adaptedTools } from "./AgentTool.ts"
import * as Calls from "./Calls.ts"
import { type Channel, type ChannelOptions, channelsOf, type Served } from "./Channel.ts"
import { type Listening, type ListenOptions, listenersOf } from "./Listeners.ts"
import { type Asking, type Promised, promised, takeSignal } from "./Promised.ts"
import { type Rollouts, rolloutsOf } from "./Rollouts.ts"
import { type Scenarios, scenariosOf } from "./Scenarios.ts"
import { type Tasks, tasksOf } from "./Tasks.ts"
import { type World, type WorldOptions, worldsOf } from "./World.ts"

/** Options of `open`: those of `Hindcast.layer`, and a signal that cancels the opening. */
export interface OpenOptions extends Omit<Layers.HindcastOptions, "agents">, Calls.CallOptions {
  /** Agents that resume their open tasks in the background; needs `onOpenTasks: "resume"`. */
  readonly agents?: ReadonlyArray<Agent>
  /** The default model of `hindcast.agent`: a model, or its name as `provider/model`. */
  readonly model?: string | Model
}

/** Options of `hindcast.agent`: those of `fromModel`. The model defaults to that of `open`. */
export type AgentOptions = Omit<ModelAgentOptions, "model"> & Partial<Pick<ModelAgentOptions, "model">>

/** The registry: registered plugins, their grants, and which are active. */
export interface Plugins extends Promised<Registry.Service> {}

/** A confirmation that awaits a person's decision. */
export interface WaitingConfirmation extends PendingConfirmation {
  readonly confirmationId: string
}

/** Requests for confirmation, and people's decisions. */
export interface Confirmations extends Promised<KernelConfirmations.Confirmations.Service> {
  /** Yields every waiting confirmation once, also those of forks: first the present ones, then each new one. */
  readonly follow: (call?: Calls.CallOptions) => AsyncIterable<WaitingConfirmation>
}

/** People's notes, stars, tags and labels. */
export interface Annotations extends Promised<Annotating.Service> {}

/** Memories that outlast a task: `remember`, `recall`, `list` and `rebuild`. */
export interface Memories extends Promised<KernelMemories.Service> {}

/** The events of the log. */
export interface Events
  extends Promised<
    Pick<EventLog.Service, "append" | "read" | "find" | "versionOf" | "head" | "verify" | "verifyWith">
  > {
  /**
   * Yields past events, then events as this or any other process commits them, without gaps or repeats, until Hindcast
   * closes. For new events only, start after the head: `follow({ after: (await events.head()).position })`.
   */
  readonly follow: (query?: Omit<Query, "until"> & Calls.CallOptions) => AsyncIterable<Event>
}

type Asked<Name extends "bisect" | "watch", Index extends number> = Exclude<
  Parameters<KernelTimeTravel.TimeTravel.Service[Name]>[Index],
  undefined
>

/** Past states, differences and causes. A predicate is a function or the text of a CEL expression. */
export interface TimeTravel extends Promised<Omit<KernelTimeTravel.TimeTravel.Service, "bisect" | "watch">> {
  /** Finds the first moment at which a predicate holds, and says how it searched. */
  readonly bisect: (
    predicate: KernelTimeTravel.Predicate | string,
    options?: Asking<Asked<"bisect", 1>>,
  ) => Promise<KernelTimeTravel.Bisection>
  /** Yields each event at which a predicate turns true; with a path, each at which the value there changes. */
  readonly watch: (
    path: string | null,
    predicate: KernelTimeTravel.Predicate | string,
    range?: Asking<Asked<"watch", 2>>,
  ) => AsyncIterable<Event>
  /**
   * Returns what the model saw: the whole request behind the event at a moment, which may be the request itself, its
   * answer, or anything that it caused. Parts that the log does not have say so. Rejects with `RequestNotFound` if there
   * is no request to a model before the moment in its task.
   */
  readonly saw: (moment: Moment, call?: Calls.CallOptions) => Promise<SeenTurn>
}

/** Options of `rescore`: the kernel's, but `rubric` may be a file. */
export interface RescoreOptions extends Omit<Scoring.RescoreOptions, "rubric" | "onProgress">, Calls.CallOptions {
  /** A rubric, or the path of a YAML or JSON file. */
  readonly rubric: Rubric.Rubric | string
  /** Called after each page of events. The scoring awaits a returned promise. */
  readonly onProgress?: (progress: Scoring.Progress) => void | PromiseLike<void>
}

/** Hindcast on one log: a running kernel and the log's past. */
export interface Hindcast extends Rollouts {
  readonly tasks: Tasks
  readonly scenarios: Scenarios
  /**
   * Creates an agent that thinks with the model of `open`, or with another one. Throws `InvalidOptions` for wrong
   * options and without a model.
   */
  readonly agent: (options?: AgentOptions) => Agent
  /** Continues a recorded task with an agent from a past position, on a new timeline. */
  readonly fork: (agent: Agent, options: ForkOptions & Calls.CallOptions) => Promise<Forked>
  /** Runs an agent on a recorded task. Everything that it perceives comes from the log. */
  readonly replay: (taskId: string, agent: Agent, options?: ReplayOptions & Calls.CallOptions) => Promise<ReplayReport>
  /**
   * Replays a task and the tasks that its agents started, offline. Agents of these tasks are found by name, among
   * `agents` and those that the program's tools call (`agentAsTool`).
   */
  readonly replayTree: (
    taskId: string,
    agent: Agent,
    options?: ReplayOptions & { readonly agents?: ReadonlyArray<Agent> } & Calls.CallOptions,
  ) => Promise<TreeReplay>
  /** Returns the audit of a task, open or closed. */
  readonly audit: (taskId: string, call?: Calls.CallOptions) => Promise<TaskAudit>
  /**
   * Returns the audit of a task together with the tasks that its agents started, and theirs: what each used, and what all
   * of them used together. Each counts once.
   */
  readonly auditTree: (taskId: string, call?: Calls.CallOptions) => Promise<TreeAudit.TreeAudit>
  /**
   * Returns how the agents of a task behave together: who spoke to whom, who acted differently after hearing whom, and
   * cooperation and rewards over time.
   */
  readonly auditCollective: (
    taskId: string,
    options?: Asking<CollectiveAudit.CollectiveOptions>,
  ) => Promise<CollectiveAudit.Collective>
  /** Scores past tasks with another rubric, as a new score set. */
  readonly rescore: (options: RescoreOptions) => Promise<Scoring.ScoreSetSummary>
  /** Resolves when the judge (`judge` of `open`) is done with all tasks that have closed by now. */
  readonly judged: (call?: Calls.CallOptions) => Promise<void>
  readonly plugins: Plugins
  readonly confirmations: Confirmations
  readonly annotations: Annotations
  readonly memories: Memories
  readonly events: Events
  readonly timeTravel: TimeTravel
  /** Opens a world. Each episode is a task: `reset` begins it, `step` acts in it. */
  readonly world: (options: WorldOptions) => Promise<World>
  /** Opens a channel to a task: a front end reads the task's progress and sends people's messages to its agent. */
  readonly channel: (taskId: string, options?: ChannelOptions) => Promise<Channel>
  /** Serves the channels of all tasks over HTTP on the loopback interface, until it or Hindcast closes. */
  readonly serve: (options?: ServeOptions & Calls.CallOptions) => Promise<Served>
  /**
   * Starts listeners, resumes the open tasks of the rules' agents, and opens a task for each signal, until it or Hindcast
   * closes. Needs `onOpenTasks: "resume"`. Name the rules' agents here, and not in `agents` of `open`.
   */
  readonly listen: (options: ListenOptions) => Promise<Listening>
  /**
   * Interrupts calls in progress, closes open tasks as `abandoned` (with `onOpenTasks: "resume"` leaves them open for a
   * resume), stops every plugin, and releases the log's lease. Other calls reject with `Closed` from now on. Resolves
   * when all is done; calling it again returns the same promise.
   */
  readonly close: () => Promise<void>
  /** `close`, for `await using hindcast = await open(…)`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens a log and starts a kernel on it. Rejects with `InvalidOptions`, which lists every mistake, with `LeaseHeld` if
 * another kernel works on the log, and with the other errors of `Hindcast.layer`.
 *
 * @example
 * await using hindcast = await open({ log: "agent.db" })
 * const audit = await hindcast.tasks.run(agent, { goal: "Tidy up" })
 */
export const open = async (options: OpenOptions): Promise<Hindcast> => {
  const { given, signal, invalid } = takeSignal("open", [options])
  if (invalid !== undefined) throw invalid
  // The layer decodes the options and reports all mistakes.
  const { model, ...settings } = given[0] ?? ({} as OpenOptions)
  // Throws for an invalid model before anything opens.
  if (model !== undefined) fromModel({ model })
  const scope = Effect.runSync(Scope.make())
  const opened: { calls?: Calls.Calls } = {}
  const runtime = await Calls.run(built(withTools(settings, opened), scope), signal).catch(async (error) => {
    // The signal may abort after everything is built and before it is handed over.
    await Calls.run(Scope.close(scope, Exit.void))
    throw error
  })
  const services = Effect.all({
    kernel: Kernel,
    log: EventLog,
    projector: Projector,
    timeTravel: KernelTimeTravel.TimeTravel,
    control: TaskControl,
    annotating: Annotating,
    memories: KernelMemories.Memories,
  })
  const { kernel, log, projector, timeTravel, control, annotating, memories } = await Calls.run(
    Effect.provide(services, runtime),
  )
  const suspend = settings.onOpenTasks === "resume" ? kernel.tasks.suspend : Effect.void
  const calls = Calls.make(log.name, runtime, scope, suspend)
  opened.calls = calls
  const resumed = Effect.suspend(() => {
    const agents = (settings.agents ?? []).map((agent) => adapted(agent, calls))
    return ResumedTasks.start(kernel, agents)
  })
  await Calls.run(Effect.provide(Scope.extend(resumed, scope), runtime)).catch(async (error) => {
    await calls.close()
    throw error
  })
  return {
    tasks: tasksOf(kernel, control, calls),
    scenarios: scenariosOf(kernel, calls),
    agent: (options) => fromModel({ ...defined({ model }), ...options } as ModelAgentOptions),
    ...promised({ audit: kernel.audit, judged: () => kernel.judged }, calls),
    ...promised(
      {
        auditCollective: (taskId: string, options: CollectiveAudit.CollectiveOptions = {}) =>
          Effect.provideService(CollectiveAudit.load(taskId, options), EventLog, log),
      },
      calls,
    ),
    ...promised({ auditTree: (taskId: string) => Effect.provideService(TreeAudit.load(taskId), EventLog, log) }, calls),
    ...agentCallsOf(kernel, calls),
    rescore: rescoreOf(kernel, calls),
    plugins: promised(kernel.plugins, calls),
    confirmations: confirmationsOf(kernel.confirmations, log, calls),
    annotations: promised(annotating, calls),
    memories: promised(memories, calls),
    events: eventsOf(log, calls),
    timeTravel: timeTravelOf(timeTravel, log, calls),
    ...worldsOf({ kernel, log, projector }, calls),
    ...rolloutsOf({ kernel, log, projector }, calls),
    ...channelsOf({ log, confirmations: kernel.confirmations }, calls),
    ...listenersOf({ log, kernel }, calls),
    close: calls.close,
    [Symbol.asyncDispose]: calls.close,
  }
}

/** Tools that call agents with promises need the calls of the opened Hindcast, which exist before any of them is called. */
const withTools = (settings: OpenOptions, opened: { readonly calls?: Calls.Calls }): OpenOptions => {
  const callsOf = () => {
    if (opened.calls === undefined) throw new Error("a tool was called before Hindcast was open")
    return opened.calls
  }
  return settings.tools === undefined ? settings : { ...settings, tools: adaptedTools(settings.tools, callsOf) }
}

const built = ({ agents, ...settings }: OpenOptions, scope: Scope.Scope) =>
  // The layer reports invalid agents. Valid ones resume their tasks later, once a runtime can await their promises.
  Layer.toRuntime(
    Layers.layer({
      ...settings,
      ...(agents === undefined ? {} : { agents: areAgents(agents) ? [] : (agents as never) }),
    }),
  ).pipe(
    Scope.extend(scope),
    Effect.mapError((error) => (error instanceof InvalidOptions ? ofOpen(error) : error)),
  )

const areAgents = Schema.is(Schema.Array(KernelAgent.Agent))

/** Attributes mistakes to `open`, which the program called. */
const ofOpen = ({ of, problems }: InvalidOptions) =>
  new InvalidOptions({ of: of === "Hindcast.layer" ? "open" : of, problems })

const agentCallsOf = (
  { fork, replay, replayTree }: Kernel.Service,
  calls: Calls.Calls,
): Pick<Hindcast, "fork" | "replay" | "replayTree"> =>
  promised(
    {
      fork: (agent: Agent, options: ForkOptions) => fork(adapted(agent, calls), options),
      replay: (taskId: string, agent: Agent, options?: ReplayOptions) => replay(taskId, adapted(agent, calls), options),
      replayTree: (taskId: string, agent: Agent, options: ReplayOptions & { agents?: ReadonlyArray<Agent> } = {}) => {
        const { agents, ...others } = options
        const given = agents === undefined ? {} : { agents: agents.map((one) => adapted(one, calls)) }
        return replayTree(taskId, adapted(agent, calls), { ...others, ...given })
      },
    },
    calls,
  )

const rescoreOf = ({ rescore }: Kernel.Service, calls: Calls.Calls): Hindcast["rescore"] =>
  promised(
    {
      rescore: (options: Omit<Scoring.RescoreOptions, "rubric"> & { readonly rubric: Rubric.Rubric | string }) => {
        // A JavaScript program may pass anything; `rescore` decodes it.
        const rubric: Rubric.Rubric | string | undefined = options?.rubric
        return typeof rubric === "string"
          ? Effect.flatMap(Rubric.load(rubric), (loaded) => rescore({ ...options, rubric: loaded }))
          : rescore(options as Scoring.RescoreOptions)
      },
    },
    calls,
  ).rescore

const confirmationsOf = (
  confirmations: KernelConfirmations.Confirmations.Service,
  log: EventLog.Service,
  calls: Calls.Calls,
): Confirmations => ({
  ...promised(confirmations, calls),
  // A decision is one append. If Hindcast closes meanwhile, the caller still learns the outcome.
  ...promised({ decide: confirmations.decide }, { ...calls, run: calls.finish }),
  ...promised({ follow: () => waiting(confirmations, log) }, calls, { endsAtClose: true }),
})

const waiting = ({ pending }: KernelConfirmations.Confirmations.Service, log: EventLog.Service) =>
  Stream.unwrap(
    Effect.map(log.head, ({ position }) => {
      const seen = new Set<string>()
      return log.follow({ after: position, types: ["ConfirmationRequested"] }).pipe(
        Stream.mapEffect(() => pending),
        Stream.mapConcat((all) =>
          Object.entries(all).flatMap(([confirmationId, confirmation]): ReadonlyArray<WaitingConfirmation> => {
            if (seen.has(confirmationId)) return []
            seen.add(confirmationId)
            return [{ confirmationId, ...confirmation }]
          }),
        ),
      )
    }),
  )

const eventsOf = (log: EventLog.Service, calls: Calls.Calls): Events => {
  const { append, read, find, versionOf, head, verify, verifyWith } = log
  return {
    ...promised({ append, read, find, versionOf, head, verify, verifyWith }, calls),
    ...promised({ follow: (query?: Omit<Query, "until">) => following(log, query) }, calls, { endsAtClose: true }),
  }
}

const following = (log: EventLog.Service, query?: Omit<Query, "until">) =>
  Stream.filter(log.follow(query), (item): item is Event => !(item instanceof CaughtUp))

const timeTravelOf = (
  { bisect, watch, ...others }: KernelTimeTravel.TimeTravel.Service,
  log: EventLog.Service,
  calls: Calls.Calls,
): TimeTravel => ({
  ...promised(others, calls),
  ...promised(
    {
      bisect: (predicate: KernelTimeTravel.Predicate | string, options?: Asked<"bisect", 1>) =>
        Effect.flatMap(compiled(predicate), (holding) => bisect(holding, options)),
      watch: (path: string | null, predicate: KernelTimeTravel.Predicate | string, range?: Asked<"watch", 2>) =>
        Stream.unwrap(Effect.map(compiled(predicate, path !== null), (holding) => watch(path, holding, range))),
      saw: (moment: Moment) => Effect.provideService(Saw.at(moment), EventLog, log),
    },
    calls,
  ),
})

const compiled = (predicate: KernelTimeTravel.Predicate | string, ofPath = false) =>
  typeof predicate === "string" ? Predicate.compile(predicate, { ofPath }) : Either.right(predicate)
