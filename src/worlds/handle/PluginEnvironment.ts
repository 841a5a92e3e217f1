/** Runs the environment of a plugin on the kernel: each reset opens a task with this plugin alone. */

import { Data, Effect, Either, Fiber, type Scope } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as EpisodeEnd from "../../kernel/agents/EpisodeEnd.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { manifestOf } from "../../kernel/registry/Registry.ts"
import * as Environments from "../../kernel/tasks/Environments.ts"
import type { Task } from "../../kernel/tasks/Task.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import { defined } from "../../values/defined.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Clones from "./Clones.ts"
import type { Commanded, Ended, Environment, Perceived } from "./Environment.ts"
import { laterEvents } from "./EpisodeEvents.ts"
import { AgentNames, PluginEnvironmentOptions } from "./PluginEnvironmentOptions.ts"
import { endedOf, endsOf, infoOf, localName, ownIn, statusOf } from "./PluginManifest.ts"
import { AGENT, type ResetOptions } from "./World.ts"
import { EpisodeReplaced, NoEpisode, type WorldError } from "./WorldError.ts"

export { PluginEnvironmentOptions } from "./PluginEnvironmentOptions.ts"

const Resetting = Options.of<ResetOptions>({
  optional: { seed: Options.Seed, options: JsonObject, agents: AgentNames },
})

/** The plugin has no environment that can be used. Import or activate it, or name another plugin. */
export class NoSuchEnvironment extends Data.TaggedError("NoSuchEnvironment")<{
  readonly plugin: string
  readonly found: string
}> {
  override get message() {
    return `Expected ${this.plugin} to be an active plugin with an environment, found ${this.found}.`
  }
}

/** The task of an episode, with its agents' observations and actions. */
interface Episode {
  readonly task: Task
  readonly agents: ReadonlyArray<string>
  readonly perceived: Map<string, { readonly shown: Perceived; readonly events: ReadonlyArray<Event> }>
  /** The agents whose last perception is current: no agent has acted since. */
  readonly current: Set<string>
  readonly lastEnded: Map<string, Ended>
  /** The agents' outcomes that steps have reported. */
  readonly outcomes: Map<string, TaskOutcome>
}

/**
 * Opens the environment of a plugin. Fails if its default options violate their schema. The first task opens with the
 * first reset. When the scope closes, the task closes with the environment's outcome, or as `truncated`.
 */
export const open = (
  input: PluginEnvironmentOptions,
): Effect.Effect<
  Environment,
  Options.InvalidOptions | NoSuchEnvironment | WorldError,
  Kernel | Projector | EventLog | Scope.Scope
> =>
  Effect.gen(function* () {
    const options = yield* Options.decode("an environment", PluginEnvironmentOptions, input)
    const kernel = yield* Kernel
    const services = { kernel, log: yield* EventLog, projector: yield* Projector }
    const found = SafeRecord.get(yield* kernel.plugins.state, options.plugin)
    const manifest = found === undefined ? undefined : manifestOf(found)
    const described = manifest?.peas.environment
    const flaw =
      manifest === undefined
        ? "no plugin of this name in the registry"
        : found?.active !== true
          ? "a plugin that is not active"
          : described === undefined
            ? "a plugin without an environment"
            : undefined
    if (manifest === undefined || described === undefined || flaw !== undefined) {
      return yield* new NoSuchEnvironment({ plugin: options.plugin, found: flaw ?? "none" })
    }
    // Validate the options now, not at the first reset.
    const given = options.options === undefined ? {} : { [options.plugin]: options.options }
    yield* Environments.optionsOf(kernel.plugins, options.plugin, described, given)
    const environment = make(services, options, infoOf(manifest), yield* Effect.scope)
    yield* Effect.addFinalizer(() =>
      environment.close.pipe(
        Effect.catchAllCause((cause) => ProgramLog.error(`Could not close the task of ${options.plugin}`, cause)),
      ),
    )
    return environment
  })

interface Services {
  readonly kernel: Kernel.Service
  readonly log: EventLog.Service
  readonly projector: Projector.Service
}

const make = (
  { kernel, log, projector }: Services,
  { plugin, goal, subject, agents: opened = [AGENT], options: given, ended = () => null }: PluginEnvironmentOptions,
  info: Environment["info"],
  scope: Scope.Scope,
): Environment => {
  let defaults = given
  // A task with one agent does not name it; its world uses the name `agent`.
  const isShared = info.maxAgents > 1 || opened.length > 1
  const keyOf = (agent: string) => (isShared ? agent : AGENT)
  const named = (agent: string) => (isShared ? { agentId: agent } : {})
  let current: Episode | undefined
  const clones = Clones.make(kernel, plugin, isShared, scope)
  // Two resets at once would leave the first task open.
  const alone = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const episode = alone(
    Effect.suspend(() => (current === undefined ? new NoEpisode({ world: plugin }) : Either.right(current))),
  )

  /** Runs an effect in the current episode. If the episode is replaced meanwhile, its task is closed. */
  const inEpisode = <A, E extends { readonly _tag: string }>(use: (episode: Episode) => Effect.Effect<A, E>) =>
    Effect.flatMap(episode, (began) =>
      Effect.mapError(use(began), (error) =>
        error._tag === "TaskClosed" && current !== began ? new EpisodeReplaced({ world: plugin }) : error,
      ),
    )

  const recordedOf = ({ task }: Episode) =>
    Effect.map(projector.current(EnvironmentState.projection), (state) => EnvironmentState.taskScope(state, task.id))
  const recorded = Effect.flatMap(episode, recordedOf)
  const documentOf = ({ environment }: EnvironmentState.Scope) => asObject(SafeRecord.get(environment, plugin))
  const state = Effect.map(recorded, documentOf)

  const close = Effect.suspend(() => {
    if (current === undefined) return Effect.void
    const closing = current
    const { task, outcomes } = closing
    return Effect.gen(function* () {
      const joint = EpisodeEnd.joint([...outcomes.values()])
      yield* Effect.catchTag(clones.end, "TaskClosed", () => Effect.void)
      const how = joint ?? ended(documentOf(yield* recordedOf(closing))) ?? "truncated"
      current = undefined
      // The kernel may have closed it already, for example after a cancellation.
      yield* Effect.catchTag(task.close(how), "TaskClosed", () => Effect.void)
    })
  })

  const reset = (input: ResetOptions = {}) =>
    Effect.gen(function* () {
      const { seed, options = defaults, agents = opened } = yield* Options.decode("reset", Resetting, input)
      if (agents.length > 1 && !isShared) {
        const problems = [
          { path: "agents", expected: "one agent, the maximum of the environment", found: agents.join(", ") },
        ]
        return yield* new Options.InvalidOptions({ of: "reset", problems })
      }
      yield* close
      const task = yield* kernel.tasks.open({
        goal: goal ?? `Act in ${info.name}`,
        plugins: [plugin],
        ...(isShared ? { agents } : {}),
        ...defined({ seed, subject }),
        ...(options === undefined ? {} : { environment: { [plugin]: options } }),
      })
      current = { task, agents, perceived: new Map(), current: new Set(), lastEnded: new Map(), outcomes: new Map() }
    })

  const perceive = (agent: string) => inEpisode((episode) => perceiveIn(episode, agent))

  const perceiveIn = ({ task, perceived, current }: Episode, agent: string) =>
    Effect.gen(function* () {
      const readings = yield* task.perceive(named(agent))
      const shown: Perceived = {
        at: Math.max(0, ...readings.map(({ event }) => event.occurredAt)),
        readings: Object.fromEntries(readings.map(({ sensor, reading }) => [localName(sensor), reading])),
        before: perceived.get(agent)?.shown.readings ?? null,
      }
      perceived.set(agent, { shown, events: readings.map(({ event }) => event) })
      if (info.timeModel === "discrete_steps") current.add(agent)
      return shown
    })

  /** Records the agent's choice, if there is one, and returns its event as a cause. */
  const chosen = ({ task, perceived }: Episode, agent: string, choice: JsonObject | undefined) =>
    choice === undefined
      ? Effect.succeed({})
      : Effect.map(task.deciding({ agent, choice, basedOn: perceived.get(agent)?.events ?? [] }), ({ id }) => ({
          causationId: id,
        }))

  /** Keeps the end of a command, and the outcomes of the agents whose episode ended with it. */
  const noted = ({ lastEnded, outcomes }: Episode, agent: string, result: Ended): Ended => {
    lastEnded.set(agent, result)
    for (const [name, outcome] of endsOf(agent, result.result)) outcomes.set(name, outcome)
    return result
  }

  const act = (agent: string, { actuator, args, choice }: Commanded) =>
    inEpisode((episodeNow) => {
      const carriedOut = Effect.gen(function* () {
        yield* clones.flush
        const because = yield* chosen(episodeNow, agent, choice)
        const outcome = yield* episodeNow.task.act(`${plugin}/${actuator}`, args, { ...because, ...named(agent) })
        episodeNow.current.clear()
        return noted(episodeNow, agent, endedOf(outcome))
      })
      return Effect.flatMap(Effect.forkIn(carriedOut, scope), Fiber.join)
    })

  const together = (actions: { readonly [agent: string]: Json }) =>
    inEpisode((episodeNow) => {
      const commands = Object.entries(actions).map(([agentId, action]) => ({
        agentId,
        actuator: `${plugin}/step`,
        args: { action },
      }))
      const carriedOut = Effect.gen(function* () {
        yield* clones.flush
        const outcomes = yield* episodeNow.task.together(commands)
        episodeNow.current.clear()
        return outcomes.flatMap((outcome, index): ReadonlyArray<readonly [string, Ended]> => {
          const agent = commands[index]?.agentId
          if (agent === undefined) return []
          return [[agent, noted(episodeNow, agent, endedOf(outcome))]]
        })
      })
      return Effect.flatMap(Effect.forkIn(carriedOut, scope), Fiber.join)
    })

  /** A clone of an episode, in its state of now or in a given one. */
  const cloneOf = (began: Episode, wanted: JsonObject | undefined) =>
    Effect.gen(function* () {
      const { task } = began
      const [reset] = yield* log.readPage({ taskId: task.id, types: ["EnvironmentReset"] }, 1)
      const options = reset !== undefined && is(reset, "EnvironmentReset") ? reset.payload.options : {}
      const now = documentOf(yield* recordedOf(began))
      return yield* clones.clone({ task, options }, wanted ?? now, now)
    })

  const tick = (milliseconds: number) =>
    inEpisode((episodeNow) =>
      Effect.gen(function* () {
        const { task, current, outcomes } = episodeNow
        yield* clones.flush
        const got = yield* task.tick(plugin, yield* Options.decode("tick", Options.Milliseconds, milliseconds))
        current.clear()
        for (const [name, own] of Object.entries(got)) {
          const end = EpisodeEnd.endIn(own)
          if (end !== undefined) outcomes.set(name, end.outcome)
        }
        return got
      }),
    )

  return {
    name: plugin,
    info,
    agents: () => current?.agents ?? opened,
    taskId: Effect.map(episode, ({ task }) => task.id),
    reset: (options) => alone(reset(options)),
    configure: (options) =>
      Effect.sync(() => {
        defaults = options
      }),
    tick,
    perceive,
    perceived: (agent) => (current?.current.has(agent) === true ? (current.perceived.get(agent)?.shown ?? null) : null),
    heard: (agent) =>
      inEpisode(({ task }) =>
        Effect.map(task.inputs(named(agent)), (inputs) =>
          inputs.map(({ source, content, event }) => ({ sender: source, content, at: event.occurredAt })),
        ),
      ),
    act,
    together,
    lastEnded: (agent) => current?.lastEnded.get(agent) ?? null,
    state,
    status: (agent) =>
      Effect.map(recorded, ({ environment, open }) => {
        const document: Json = SafeRecord.get(environment, plugin) ?? null
        const known = statusOf(ownIn(document, keyOf(agent)))
        if (known !== undefined) return known
        return open && ended(asObject(document)) === null ? ("active" as const) : ("terminated" as const)
      }),
    own: (agent) => Effect.map(state, (document) => ownIn(document, keyOf(agent))),
    events: (agent, types) =>
      Effect.flatMap(episode, ({ task }) => laterEvents(log, task.id, isShared ? agent : undefined, types)),
    clone: inEpisode((began) => cloneOf(began, undefined)),
    restored: (wanted) => inEpisode((began) => cloneOf(began, wanted)),
    close: alone(close),
  }
}
