/** Restores the environments of a fork's plugins to the fork point. */

import { Data, Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { FILES } from "../../events/vocabulary/Sensing.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { type Environment, instanceOf, type Manifest, worldOf } from "../../plugins/manifest/Manifest.ts"
import type { Components } from "../../plugins/process/ComponentCalls.ts"
import { fold } from "../../projections/fold/Projection.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import { defined } from "../../values/defined.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as WorldRewards from "../acting/WorldRewards.ts"
import { manifestOf } from "../registry/Registry.ts"
import type { Point } from "../replay/DecisionPoint.ts"
import type { FileUnreadable } from "../rules/Rubric.ts"
import * as Environments from "../tasks/Environments.ts"
import type { OpenTask } from "../tasks/OpenTask.ts"
import * as FilesRestoration from "./FilesRestoration.ts"
import { merged, OverrideInvalid } from "./Overrides.ts"
import * as RecordedEngine from "./RecordedEngine.ts"
import { agentsOf, forAgent, reexecute, whose } from "./Reexecution.ts"
import { compare, noneCompared, WorldDiffers } from "./RestorationCheck.ts"
import * as UnrecordedState from "./UnrecordedState.ts"

type Rewind = NonNullable<Environment["rewind"]>[number]

/** How the worlds of a fork are restored. */
export interface RestoreOptions {
  /**
   * Default: none for a plugin that is `stateless`, otherwise `snapshot` if the plugin supports it, otherwise
   * `re-execution` if it supports that.
   */
  readonly rewind?: Exclude<Rewind, "stateless">
  /** Continues in environments that cannot be rewound. Default: false. */
  readonly acceptUnrewound?: boolean
  /**
   * Restores the recorded files of the workspace: in a fork to its point, and in a resume to the last look before
   * commands of unknown outcome. Needs a kernel that records files (`files`). Default: false.
   */
  readonly restoreFiles?: boolean
  /** Changes of environments' documents, by plugin: JSON Merge Patches. */
  readonly world?: { readonly [plugin: string]: Json }
}

/** An environment cannot be rewound. Accept its current state, or fork at a position that needs no rewind. */
export class WorldNotRewound extends Data.TaggedError("WorldNotRewound")<{
  readonly plugin: string
  readonly at: number
  readonly reason: string
  readonly consequence?: string
  /** Its files are recorded, so that `restoreFiles` would bring them back. */
  readonly hasFiles?: boolean
}> {
  override get message() {
    const { plugin, at, reason, consequence, hasFiles } = this
    return (
      `The world of ${plugin} cannot be restored to @${at}: ${reason}.${consequence === undefined ? "" : ` ${consequence}`} ` +
      (hasFiles === true ? "Bring its recorded files back (`restoreFiles`, `--restore-files`), accept" : "Accept") +
      ' it as it is now (`acceptUnrewound`, `--accept-unrewound`), or fork on the recording (`io: "recorded"`, `--io recorded`).'
    )
  }
}

/** Reasons why a fork's worlds could not be restored. */
export type RestoreError =
  | WorldNotRewound
  | WorldDiffers
  | FilesRestoration.FilesNotRestored
  | OverrideInvalid
  | Environments.EnvironmentRefused
  | FileUnreadable
  | AppendError
  | LogError

/**
 * Restores each environment in a new process and verifies it: the document and the compared readings and outcomes must
 * equal the recorded ones. Fails for an environment that cannot be rewound, unless the caller accepts it, which the log
 * records.
 */
export const restore = (task: OpenTask, point: Point, options: RestoreOptions): Effect.Effect<void, RestoreError> =>
  Effect.gen(function* () {
    const { plugins } = point.recording
    const registry = yield* task.kernel.registry.state
    for (const plugin of plugins) {
      const found = SafeRecord.get(registry, plugin)
      // `FilesRestoration` restores them.
      if (found !== undefined && options.restoreFiles === true && FilesRestoration.isOfFiles(found)) continue
      yield* restoreOne(task, point, plugin, found?.active === true ? manifestOf(found) : undefined, options)
    }
  })

const restoreOne = (
  task: OpenTask,
  point: Point,
  plugin: string,
  manifest: Manifest | undefined,
  options: RestoreOptions,
) =>
  Effect.gen(function* () {
    const past = pastOf(task.id, point, plugin, manifest)
    const method = methodFor(manifest, past, options)
    const environment = manifest?.peas.environment
    if (method.kind === "none" || environment === undefined) {
      return yield* leaveAsItIs(task, point, plugin, environment, past, method, options)
    }
    const process = yield* Environments.processOf(task, plugin)
    const { reset, document } = past
    if (reset === undefined || document === undefined)
      return yield* Environments.resetOne(task, plugin, environment, openedWith(point, plugin))
    const engine = yield* RecordedEngine.changeSince(task.kernel.log, past.computedAt)
    const underOther = engine === undefined ? undefined : RecordedEngine.words(plugin, engine)
    if (underOther !== undefined) yield* ProgramLog.warning(underOther)
    const differs = <A, E, R>(effect: Effect.Effect<A, E | WorldDiffers, R>) =>
      Effect.mapError(effect, (error) =>
        error instanceof WorldDiffers && underOther !== undefined ? new WorldDiffers({ ...error, underOther }) : error,
      )
    const { agents } = reset
    const call = {
      taskId: task.instanceName,
      causationId: task.openedBy,
      ...defined({ agents }),
    }
    const patch = SafeRecord.get(options.world ?? {}, plugin)
    const wanted = patch === undefined ? document : merged(document, patch)
    const [state, checked] = yield* method.kind === "re-execution"
      ? differs(reexecute({ plugin, process, reset, isShared: isShared(manifest) }, past.events, call))
      : Effect.map(
          method.kind === "snapshot"
            ? process.restore(reset.options, wanted, call)
            : process.reset(reset.options, { ...call, ...agentsOf(reset) }),
          (state) => [state, noneCompared] as const,
        ).pipe(Environments.refusedBy(plugin))
    if (patch === undefined) yield* differs(compare(plugin, point.at, document, state))
    else yield* keepsOverride(plugin, state, patch)
    const readings =
      patch === undefined && method.kind === "snapshot" ? yield* differs(readAgain(plugin, process, past, call)) : 0
    task.documents.set(plugin, state)
    yield* task.record(
      {
        type: "EnvironmentRestored",
        causationId: task.openedBy,
        payload: {
          plugin,
          by: method.kind,
          at: point.at,
          checked: { ...checked, document: patch === undefined, readings: checked.readings + readings },
          ...defined({ engine }),
        },
      },
      ...(patch === undefined
        ? []
        : [{ type: "EnvironmentChanged", payload: { plugin, patch: JsonPatch.diff(document, state) } } as const]),
    )
    if (environment.spaces === undefined) return
    for (const start of WorldRewards.missingStart(task.id, point.at, point.recording.events)) {
      yield* task.record({ ...start, causationId: task.openedBy })
    }
  })

const isShared = (manifest: Manifest | undefined): boolean =>
  manifest !== undefined && (worldOf(manifest)?.maxAgents ?? 1) > 1

const openedWith = ({ recording }: Point, plugin: string): { readonly [plugin: string]: JsonObject } => {
  const options = SafeRecord.get(recording.opened.payload.environment ?? {}, plugin)
  return isObject(options) ? { [plugin]: options } : {}
}

/** A plugin may derive other values from an override, but must keep the overridden ones. */
const keepsOverride = (plugin: string, state: Json, patch: Json) =>
  JsonPatch.equal(merged(state, patch), state)
    ? Effect.void
    : new OverrideInvalid({
        override: `world/${plugin}`,
        expected: "a world that keeps the overridden values",
        found: `one in which ${JSON.stringify(JsonPatch.diff(merged(state, patch), state)).slice(0, 300)}`,
      })

interface Past {
  readonly reset: PayloadOf<"EnvironmentReset"> | undefined
  readonly document: Json | undefined
  readonly events: ReadonlyArray<Event>
  readonly commands: number
  readonly since: number
  readonly changedAt: number
  readonly unrecordedAt: number | undefined
  /** Positions of its documents and command outcomes since its reset. */
  readonly computedAt: ReadonlyArray<number>
}

const pastOf = (taskId: string, { recording, at }: Point, plugin: string, manifest: Manifest | undefined): Past => {
  const events = recording.events.filter(({ position }) => position <= at)
  // Recorded files have the name of a plugin that has no environment itself.
  const isFiles = plugin === FILES && manifest?.peas.environment === undefined
  const own = events.filter(
    (event) =>
      !isFiles &&
      (is(event, "EnvironmentReset") || is(event, "EnvironmentChanged") || is(event, "EnvironmentRestored")) &&
      event.payload.plugin === plugin,
  )
  const reset = own.findLast((event) => is(event, "EnvironmentReset"))
  const { environment } = EnvironmentState.taskScope(fold(EnvironmentState.projection, own), taskId)
  const actuators = new Map(
    recording.events.flatMap((event) =>
      is(event, "ActuatorCommanded") && event.payload.observed !== true
        ? [[event.payload.commandId, event.payload.actuator] as const]
        : [],
    ),
  )
  const isEnded = (event: Event) =>
    (is(event, "CommandSucceeded") || is(event, "CommandFailed")) &&
    actuators.get(event.payload.commandId)?.startsWith(`${plugin}/`) === true
  const sent = recording.events.filter(
    (event) =>
      is(event, "CommandDispatched") && actuators.get(event.payload.commandId)?.startsWith(`${plugin}/`) === true,
  )
  return {
    reset: reset !== undefined && is(reset, "EnvironmentReset") ? reset.payload : undefined,
    document: SafeRecord.get(environment, plugin),
    events,
    commands: sent.filter(({ position }) => position <= at).length,
    since: sent.filter(({ position }) => position > at).length,
    changedAt: own.at(-1)?.position ?? 0,
    unrecordedAt: UnrecordedState.lastIn(plugin, events, actuators),
    computedAt: [...own, ...events.filter(isEnded)].flatMap(({ position }) =>
      position >= (reset?.position ?? 0) ? [position] : [],
    ),
  }
}

type Method = { readonly kind: Rewind | "reset" } | { readonly kind: "none"; readonly reason: string }

/** A reset is enough if the environment keeps no state, or received no command. */
const methodFor = (
  manifest: Manifest | undefined,
  { commands, unrecordedAt }: Past,
  { rewind, world }: RestoreOptions,
): Method => {
  if (manifest === undefined) return { kind: "none", reason: "it takes part no more" }
  const { environment } = manifest.peas
  if (environment === undefined) return { kind: "none", reason: "it keeps no world that could be put back" }
  if (instanceOf(manifest) !== "task") return { kind: "none", reason: "one process of it serves all tasks" }
  const methods = environment.rewind ?? []
  const isOverridden = SafeRecord.get(world ?? {}, manifest.name) !== undefined
  const wanted = isOverridden
    ? "snapshot"
    : (rewind ??
      (["snapshot", "re-execution"] as const).find(
        (method) => methods.includes(method) && !(method === "snapshot" && unrecordedAt !== undefined),
      ))
  if (rewind === undefined && !isOverridden && methods.includes("stateless")) return { kind: "stateless" }
  if (unrecordedAt !== undefined && wanted !== "re-execution") {
    return { kind: "none", reason: `its state after the command that succeeded @${unrecordedAt} is not recorded` }
  }
  if (wanted !== undefined && methods.includes(wanted)) return { kind: wanted }
  if (commands === 0 && !isOverridden) return { kind: "reset" }
  const can = methods.length === 0 ? "none" : methods.join(", ")
  return { kind: "none", reason: `expected a manifest whose rewind has ${wanted ?? "a way"}, found ${can}` }
}

/**
 * Leaves an environment that cannot be rewound in its current state. This matters if it has a document, whose state is
 * gone with its process, or if the task has commanded it since.
 */
const leaveAsItIs = (
  task: OpenTask,
  { at }: Point,
  plugin: string,
  environment: Environment | undefined,
  { since, reset, document }: Past,
  method: Method,
  { acceptUnrewound = false, world = {} }: RestoreOptions,
) =>
  Effect.gen(function* () {
    const reason = "reason" in method ? method.reason : ""
    if (SafeRecord.get(world, plugin) !== undefined) {
      const [override, expected] = [`world/${plugin}`, "a plugin that restores snapshots"]
      return yield* new OverrideInvalid({ override, expected, found: reason })
    }
    const matters = document !== undefined || since > 0
    const why =
      document === undefined && since > 0
        ? `${reason}, and the task commanded it ${since === 1 ? "once" : `${since} times`} since`
        : reason
    if (matters && !acceptUnrewound) {
      const found = SafeRecord.get(yield* task.kernel.registry.state, plugin)
      const hasFiles = task.files !== undefined && found !== undefined && FilesRestoration.isOfFiles(found)
      return yield* new WorldNotRewound({ plugin, at, reason: why, hasFiles })
    }
    if (matters) task.unrewound.add(plugin)
    if (environment !== undefined) {
      yield* Environments.resetOne(task, plugin, environment, reset === undefined ? {} : { [plugin]: reset.options })
    }
    yield* task.record({
      type: "EnvironmentRestored",
      causationId: task.openedBy,
      payload: {
        plugin,
        by: "nothing",
        at,
        reason: plainText(why),
        checked: { document: false, readings: 0, outcomes: 0 },
      },
    })
  })

/** Repeats the readings that were taken after the last change of the environment, and compares them. */
const readAgain = (
  plugin: string,
  process: Components,
  { events, changedAt }: Past,
  call: { readonly taskId: string; readonly causationId: string },
) =>
  Effect.gen(function* () {
    const last = new Map<string, Event & { readonly payload: PayloadOf<"SensorRead"> }>()
    for (const event of events) {
      if (!is(event, "SensorRead") || event.position < changedAt || event.actor.startsWith("plugin:")) continue
      const { sensor, agentId } = event.payload
      if (sensor.startsWith(`${plugin}/`)) last.set(JSON.stringify([sensor, agentId]), event)
    }
    for (const { position, payload } of last.values()) {
      const { sensor, agentId } = payload
      const reading = yield* process
        .read(sensor.slice(plugin.length + 1), forAgent(call, agentId))
        .pipe(Environments.refusedBy(plugin))
      yield* compare(plugin, position, payload.reading, reading, `the reading of ${whose(sensor, agentId)}`)
    }
    return last.size
  })
