/** The service that chooses critics for a rubric, and makes them from the registry, the plugin host and a model. */

import * as path from "node:path"
import { Context, Data, Effect, Layer, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import { judgedOf, type Manifest } from "../../plugins/manifest/Manifest.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import { PluginHost } from "../../plugins/process/PluginHost.ts"
import { DenoMissing } from "../../plugins/sandbox/Tools.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import * as Options from "../../values/Options.ts"
import { visible } from "../../values/PlainText.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { filesOf } from "../instances/ManagedProcess.ts"
import * as SandboxConsents from "../instances/SandboxConsents.ts"
import { manifestOf, NotInRegistry, Registry } from "../registry/Registry.ts"
import type { Rubric } from "../rules/Rubric.ts"
import { type Critic, type Target, targetsOf, unscored } from "./Critic.ts"
import * as CriticAssignment from "./CriticAssignment.ts"
import { CriticRequest } from "./CriticOptions.ts"
import * as CriticSet from "./CriticSet.ts"
import type * as Model from "./Model.ts"
import * as ModelCritic from "./ModelCritic.ts"
import * as PluginCritic from "./PluginCritic.ts"
import * as PluginCriticProcess from "./PluginCriticProcess.ts"
import * as RecordedModel from "./RecordedModel.ts"

export type { CriticPreference } from "./CriticAssignment.ts"
export { CriticPreferenceInvalid } from "./CriticAssignment.ts"
export { CriticRequest } from "./CriticOptions.ts"
export { type CriticSet, Params } from "./CriticSet.ts"
export {
  Asking,
  type Model,
  type ModelAnswer,
  ModelFailed,
  type ModelRequest,
  NoRecording,
  scripted,
} from "./Model.ts"
export { NothingRecorded } from "./RecordedModel.ts"

/** Name another version, or none: this one cannot judge. */
export class VersionUnknown extends Data.TaggedError("VersionUnknown")<{
  readonly plugin: string
  readonly version: string
  readonly reason: string
}> {
  override get message() {
    return `No version "${this.version}" of ${this.plugin} can judge: ${this.reason}.`
  }
}

export type ChooseError =
  | Options.InvalidOptions
  | CriticAssignment.CriticPreferenceInvalid
  | RecordedModel.NothingRecorded
  | VersionUnknown
  | LogError

/** Chooses the critics that decide rewards: rules, plugins' functions, a language model. */
export class Critics extends Context.Tag("hindcast/Critics")<
  Critics,
  {
    /** Chooses the critics of a rubric, by the current registry. No process is started and no model is called yet. */
    readonly choose: (rubric: Rubric, request: CriticRequest) => Effect.Effect<CriticSet.CriticSet, ChooseError>
    /** Chooses with default options. */
    readonly unasked: (rubric: Rubric) => Effect.Effect<CriticSet.CriticSet, LogError>
  }
>() {}

/** The services that critics are made from. */
export interface CriticsOptions {
  readonly log: Context.Tag.Service<EventLog>
  readonly host: Context.Tag.Service<PluginHost>
  readonly registry: Pick<Context.Tag.Service<Registry>, "state" | "versions" | "installed">
  /** The directory of plugins' copies and Deno caches. */
  readonly directory: string
  /** Why no plugin can judge, if that is so. */
  readonly lack?: string
}

export const layer = ({
  directory,
}: Pick<CriticsOptions, "directory">): Layer.Layer<Critics, never, EventLog | PluginHost | Registry> =>
  Layer.effect(
    Critics,
    Effect.gen(function* () {
      return make({ log: yield* EventLog, host: yield* PluginHost, registry: yield* Registry, directory })
    }),
  )

export const make = (options: CriticsOptions): Context.Tag.Service<Critics> => {
  const choose = (rubric: Rubric, request: CriticRequest) =>
    Effect.gen(function* () {
      const decoded = yield* Options.decode("critics", CriticRequest, request, ["critics"])
      const { wishes: wanted = [], versions = {}, model, answersOf } = decoded
      const targets = targetsOf(rubric)
      const wishes = yield* CriticAssignment.checked(targets, wanted)
      const asking = answersOf === undefined ? model : yield* RecordedModel.of(options.log, answersOf)
      const plugins = yield* pluginsOf(options, rubric, versions)
      const available = {
        model: asking !== undefined,
        pluginLacks: ({ plugin, name }: Target["measure"]) => options.lack ?? lackOf(plugins, plugin, name),
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
          ...(answersOf === undefined ? {} : { answersOf }),
        },
      })
    })
  // An empty request has no invalid options.
  const unasked = (rubric: Rubric) =>
    Effect.catchTags(choose(rubric, {}), {
      InvalidOptions: Effect.die,
      CriticPreferenceInvalid: Effect.die,
      NothingRecorded: Effect.die,
      VersionUnknown: Effect.die,
    })
  return { choose, unasked }
}

/**
 * The request for resuming a score set, from the params that `ScoringStarted` recorded: the same critics, with the
 * recorded versions of plugins. The caller detects a difference by the digest.
 */
export const askedAgain = (recorded: unknown): CriticRequest => {
  if (!Schema.is(CriticSet.Params)(recorded)) return {}
  const { wishes, plugins, answersOf } = recorded
  return { wishes, versions: plugins, ...(answersOf === undefined ? {} : { answersOf }) }
}

/** Critics for a program that runs no plugins: rules and a model. */
export const withoutPlugins = (log: Context.Tag.Service<EventLog>): Context.Tag.Service<Critics> =>
  make({
    ...{ log, directory: "", lack: "no plugin judges in this scoring" },
    host: {
      start: ({ manifest }) => new PluginUnavailable({ plugin: manifest.name, reason: "no plugin is run here" }),
      standing: new DenoMissing({ platform: "a program that runs no plugins" }),
    },
    registry: {
      state: Effect.succeed({}),
      versions: () => Effect.succeed([]),
      installed: (name) => new NotInRegistry({ name, known: [] }),
    },
  })

/** A plugin whose measures the rubric has, in the version that judges. Without a version, it is not in the registry. */
interface JudgingPlugin {
  readonly version?: Plugin
  readonly manifest?: Manifest
}

const pluginsOf = (options: CriticsOptions, rubric: Rubric, versions: NonNullable<CriticRequest["versions"]>) =>
  Effect.gen(function* () {
    const registry = yield* options.registry.state
    const names = new Set(rubric.measures.flatMap(({ plugin }) => plugin ?? []))
    const plugins = new Map<string, JudgingPlugin>()
    for (const name of names) {
      const installed = SafeRecord.get(registry, name)
      const wanted = SafeRecord.get(versions, name)
      if (installed === undefined) plugins.set(name, {})
      else if (wanted === undefined) plugins.set(name, { version: installed, manifest: manifestOf(installed) })
      else plugins.set(name, yield* inVersion(options, name, installed, wanted))
    }
    for (const [plugin, version] of Object.entries(versions)) {
      const reason = names.has(plugin) ? "it is not in the registry" : "the rubric has no measure of it"
      if (plugins.get(plugin)?.version === undefined) return yield* new VersionUnknown({ plugin, version, reason })
    }
    return plugins
  })

/** The last imported version with this name, or whose digest starts with it. */
const inVersion = ({ registry }: CriticsOptions, plugin: string, installed: Plugin, wanted: string) =>
  Effect.gen(function* () {
    const versions = yield* registry.versions(plugin)
    const found = versions.findLast(
      ({ version, digest }) => version === wanted || (wanted.length >= MIN_DIGEST_PREFIX && digest.startsWith(wanted)),
    )
    if (found === undefined) {
      const known = versions.map(({ version, digest }) => `${version} (${digest.slice(0, MIN_DIGEST_PREFIX)})`)
      return yield* new VersionUnknown({ plugin, version: wanted, reason: `expected one of ${known.join(", ")}` })
    }
    const { version, digest, source } = found
    const then = { ...installed, version, digest, source }
    return yield* registry.installed(plugin, then).pipe(
      Effect.map(({ manifest }): JudgingPlugin => ({ version: then, manifest })),
      // The copy is looked up again when judging starts; a problem with it is reported then.
      Effect.catchTags({
        PluginUnavailable: () => Effect.succeed<JudgingPlugin>({ version: then }),
        CopyChanged: () => Effect.succeed<JudgingPlugin>({ version: then }),
      }),
      // An explicit version is not looked up in the registry.
      Effect.catchTag("NotInRegistry", Effect.die),
    )
  })

/** Fewest digits of a digest that identify a version. */
const MIN_DIGEST_PREFIX = 8

/** Why a plugin cannot judge a measure; undefined if it can. */
const lackOf = (plugins: ReadonlyMap<string, JudgingPlugin>, plugin: string | undefined, measure: string) => {
  if (plugin === undefined) return "its measure is of no plugin"
  const { version, manifest } = plugins.get(plugin) ?? {}
  if (version === undefined) return `${plugin} is not in the registry`
  // Whether its copy is usable is known when judging starts. A broken copy does not make another critic decide.
  if (manifest === undefined || judgedOf(manifest).some(({ name }) => name === measure)) return undefined
  return `${plugin} ${version.version} has no function for it`
}

const pluginMember = (
  { log, host, registry, directory }: CriticsOptions,
  plugin: string,
  version: Plugin,
  targets: ReadonlyArray<Target>,
): CriticSet.Member => {
  const identity = { name: `plugin:${plugin}@${version.version}`, digest: version.digest, exact: true }
  return {
    ...{ ...identity, targets },
    open: ({ startedBy }) =>
      Effect.gen(function* () {
        const { manifest, digest, directory: copy } = yield* registry.installed(plugin, version)
        const judges = yield* PluginCriticProcess.make({
          ...{ host, manifest, digest, directory: copy },
          denoDir: path.join(directory, `${plugin}.deno`),
          consent: SandboxConsents.leave(log, { plugin, version: version.version, digest }),
          forbidden: [...(yield* filesOf(log.name, plugin)), directory],
          record: (event) =>
            log.append({
              stream: `plugin/${plugin}`,
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
        // An explicit version is not looked up in the registry.
        Effect.catchTag("NotInRegistry", Effect.die),
      ),
  }
}

/** A critic that leaves all of its targets unscored. */
const unable = (
  identity: Pick<Critic, "name" | "digest" | "exact">,
  targets: ReadonlyArray<Target>,
  reason: string,
) => ({
  ...identity,
  start: () => ({
    see: () => undefined,
    decide: Effect.succeed(targets.map((target) => unscored(target, reason))),
  }),
})

const modelMember = (
  { log }: CriticsOptions,
  asking: Model.Asking,
  targets: ReadonlyArray<Target>,
): CriticSet.Member => {
  const identity = ModelCritic.identityOf(asking)
  return {
    ...{ ...identity, exact: false, targets },
    open: ({ scoreSetId, startedBy }) =>
      Effect.succeed(
        ModelCritic.make(asking, targets, (event) =>
          Effect.flatMap(
            log.append({
              stream: RecordedModel.streamOf(scoreSetId),
              actor: `critic:${identity.name}`,
              events: [{ causationId: startedBy, ...event }],
            }),
            ({ events: [first] }) =>
              first === undefined ? Effect.dieMessage("an append answered without events") : Effect.succeed(first.id),
          ),
        ),
      ),
  }
}
