/** The service that chooses critics for a rubric, and makes them from the registry, the plugin host and a model. */

import * as path from "node:path"
import { Context, Effect, Layer, Schema } from "effect"
import { firstEvent } from "../../events/log/AppendRequest.ts"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import { PluginHost } from "../../plugins/process/PluginHost.ts"
import { DenoMissing } from "../../plugins/sandbox/Tools.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { visible } from "../../values/PlainText.ts"
import { filesOf } from "../instances/ManagedProcess.ts"
import * as SandboxConsents from "../instances/SandboxConsents.ts"
import { NotInRegistry, Registry } from "../registry/Registry.ts"
import type { Rubric } from "../rules/Rubric.ts"
import { type Critic, type Target, targetsOf, unscored } from "./Critic.ts"
import * as CriticAssignment from "./CriticAssignment.ts"
import { CriticRequest } from "./CriticOptions.ts"
import * as CriticSet from "./CriticSet.ts"
import * as JudgingPlugins from "./JudgingPlugins.ts"
import type * as Model from "./Model.ts"
import * as ModelCritic from "./ModelCritic.ts"
import * as PluginCritic from "./PluginCritic.ts"
import * as PluginCriticProcess from "./PluginCriticProcess.ts"
import * as RecordedModel from "./RecordedModel.ts"

export type { CriticPreference } from "./CriticAssignment.ts"
export { CriticPreferenceInvalid } from "./CriticAssignment.ts"
export { CriticRequest } from "./CriticOptions.ts"
export { type CriticSet, Params } from "./CriticSet.ts"
export { VersionUnknown } from "./JudgingPlugins.ts"
export {
  type Model,
  type ModelAnswer,
  ModelFailed,
  ModelOptions,
  type ModelRequest,
  NoRecording,
  scripted,
} from "./Model.ts"
export { NothingRecorded } from "./RecordedModel.ts"

/** Reasons why a rubric has no critics. */
export type ChooseError =
  | Options.InvalidOptions
  | CriticAssignment.CriticPreferenceInvalid
  | RecordedModel.NothingRecorded
  | JudgingPlugins.VersionUnknown
  | LogError

/** Chooses the critics that decide rewards: rules, plugins' functions, a language model. */
export class Critics extends Context.Tag("hindcast/Critics")<Critics, Critics.Service>() {}

/** The type of the service: `Critics.Service`. */
export declare namespace Critics {
  /** The critics of a log. */
  export interface Service {
    /** Chooses the critics of a rubric by the current registry. Starts no process and calls no model yet. */
    readonly choose: (rubric: Rubric, request: CriticRequest) => Effect.Effect<CriticSet.CriticSet, ChooseError>
    /** Chooses with default options. */
    readonly chooseDefault: (rubric: Rubric) => Effect.Effect<CriticSet.CriticSet, LogError>
  }
}

/** Short form of `Critics.Service` for namespace imports. */
export type Service = Critics.Service

/** The services that critics need. */
export interface CriticsOptions {
  readonly log: EventLog.Service
  readonly host: PluginHost.Service
  readonly registry: JudgingPlugins.PluginVersions
  /** The directory of plugins' copies and Deno caches. */
  readonly directory: string
  /** The reason if no plugin can judge at all. */
  readonly lack?: string
}

/** The service over a log, a registry and a plugin host. `directory` has the plugins' copies. */
export const layer = ({
  directory,
}: Pick<CriticsOptions, "directory">): Layer.Layer<Critics, never, EventLog | PluginHost | Registry> =>
  Layer.effect(
    Critics,
    Effect.gen(function* () {
      return make({ log: yield* EventLog, host: yield* PluginHost, registry: yield* Registry, directory })
    }),
  )

/** The service over given services. */
export const make = (options: CriticsOptions): Critics.Service => {
  const choose = (rubric: Rubric, request: CriticRequest) =>
    Effect.gen(function* () {
      const decoded = yield* Options.decode("critics", CriticRequest, request, ["critics"])
      const { wishes: wanted = [], versions = {}, model, answersOf } = decoded
      const targets = targetsOf(rubric)
      const wishes = yield* CriticAssignment.checked(targets, wanted)
      const asking = answersOf === undefined ? model : yield* RecordedModel.of(options.log, answersOf)
      const plugins = yield* JudgingPlugins.of(options.registry, rubric, versions)
      const available = {
        model: asking !== undefined,
        pluginLacks: ({ plugin, name }: Target["measure"]) =>
          options.lack ?? JudgingPlugins.lackOf(plugins, plugin, name),
      }
      const choices = new Map(targets.map((target) => [target, CriticAssignment.assign(target, available, wishes)]))
      const decidedBy = (by: CriticAssignment.CriticAssignment["by"]) =>
        targets.filter((target) => choices.get(target)?.by === by)
      const [rules, byModel] = [decidedBy("rule"), decidedBy("model")]
      const members = [
        ...(rules.length === 0 ? [] : [CriticSet.ruleMember(rubric, rules)]),
        ...[...plugins].flatMap(([name, { version }]) => {
          const own = decidedBy("plugin").filter(({ measure }) => measure.plugin === name)
          return version === undefined || own.length === 0 ? [] : [pluginMember(options, name, version, own)]
        }),
        ...(asking === undefined || byModel.length === 0 ? [] : [modelMember(options, asking, byModel)]),
      ]
      const judging = [...plugins].filter(([name]) =>
        decidedBy("plugin").some(({ measure }) => measure.plugin === name),
      )
      return CriticSet.of(choices, members, {
        modelCalls: asking === undefined ? 0 : ModelCritic.callsFor(byModel, asking),
        params: {
          wishes,
          plugins: Object.fromEntries(judging.map(([name, { version }]) => [name, version?.digest ?? ""])),
          ...(asking === undefined || byModel.length === 0 ? {} : { model: ModelCritic.paramsOf(asking) }),
          ...defined({ answersOf }),
        },
      })
    })
  const chooseDefault = (rubric: Rubric) =>
    Effect.catchTags(choose(rubric, {}), {
      InvalidOptions: Effect.die,
      CriticPreferenceInvalid: Effect.die,
      NothingRecorded: Effect.die,
      VersionUnknown: Effect.die,
    })
  return { choose, chooseDefault }
}

/**
 * The request that resumes a score set, from its recorded params: the same critics, with the recorded versions of
 * plugins. The digest reveals a difference.
 */
export const requestFromParams = (recorded: unknown): CriticRequest => {
  if (!Schema.is(CriticSet.Params)(recorded)) return {}
  const { wishes, plugins, answersOf } = recorded
  return { wishes, versions: plugins, ...defined({ answersOf }) }
}

/** Critics for a program that runs no plugins: rules and a model. */
export const withoutPlugins = (log: EventLog.Service): Critics.Service =>
  make({
    log,
    directory: "",
    lack: "no plugin judges in this scoring",
    host: {
      listServer: ({ name }) => new PluginUnavailable({ plugin: name, reason: "this program starts no plugins" }),
      start: ({ manifest }) => new PluginUnavailable({ plugin: manifest.name, reason: "no plugin is run here" }),
      confinement: new DenoMissing({ platform: "a program that runs no plugins" }),
    },
    registry: {
      state: Effect.succeed({}),
      versions: () => Effect.succeed([]),
      installed: (name) => new NotInRegistry({ name, known: [] }),
    },
  })

const pluginMember = (
  { log, host, registry, directory }: CriticsOptions,
  plugin: string,
  version: Plugin,
  targets: ReadonlyArray<Target>,
): CriticSet.Member => {
  const identity = { name: `plugin:${plugin}@${version.version}`, digest: version.digest, exact: true }
  return {
    ...identity,
    targets,
    open: ({ startedBy }) =>
      Effect.gen(function* () {
        const { manifest, digest, directory: copy } = yield* registry.installed(plugin, version)
        const judges = yield* PluginCriticProcess.make({
          host,
          manifest,
          digest,
          directory: copy,
          denoDir: path.join(directory, `${plugin}.deno`),
          consent: SandboxConsents.mayStart(log, { plugin, version: version.version, digest }),
          forbidden: [...(yield* filesOf(log.name, plugin)), directory],
          record: (event, judged) =>
            log.append({
              stream: `plugin/${plugin}`,
              ...defined({ subjectOfTask: judged }),
              actor:
                event.type === "PluginLogged"
                  ? `plugin:${plugin}@${visible(version.version)}`
                  : `critic:${identity.name}`,
              events: [{ causationId: startedBy, ...event }],
            }),
        })
        return PluginCritic.make(judges, targets)
      }).pipe(
        Effect.catchTags({
          PluginUnavailable: ({ message }) => Effect.succeed(unable(identity, targets, message)),
          CopyChanged: ({ message }) => Effect.succeed(unable(identity, targets, message)),
        }),
        Effect.catchTag("NotInRegistry", Effect.die),
      ),
  }
}

const unable = (
  identity: Pick<Critic, "name" | "digest" | "exact">,
  targets: ReadonlyArray<Target>,
  reason: string,
) => ({
  ...identity,
  start: () => ({
    observe: () => undefined,
    decide: Effect.succeed(targets.map((target) => unscored(target, reason))),
  }),
})

const modelMember = (
  { log }: CriticsOptions,
  asking: Model.ModelOptions,
  targets: ReadonlyArray<Target>,
): CriticSet.Member => {
  const identity = ModelCritic.identityOf(asking)
  return {
    ...identity,
    exact: false,
    targets,
    open: ({ scoreSetId, startedBy }) =>
      Effect.succeed(
        ModelCritic.make(asking, targets, (event, subjectOfTask) =>
          log
            .append({
              stream: RecordedModel.streamOf(scoreSetId),
              subjectOfTask,
              actor: `critic:${identity.name}`,
              events: [{ causationId: startedBy, ...event }],
            })
            .pipe(
              Effect.flatMap(firstEvent),
              Effect.map(({ id }) => id),
            ),
        ),
      ),
  }
}
