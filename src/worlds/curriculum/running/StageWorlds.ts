/** Finds the worlds of a curriculum's stages, and checks the curriculum against them. Pure. */

import { Either } from "effect"
import { manifestOf } from "../../../kernel/registry/Registry.ts"
import { ofManifests } from "../../../kernel/rules/Rubric.ts"
import { type Manifest, worldOf } from "../../../plugins/manifest/Manifest.ts"
import * as ComponentSchemas from "../../../plugins/schemas/ComponentSchemas.ts"
import type { PluginRegistry } from "../../../projections/state/PluginRegistry.ts"
import { digest } from "../../../values/Digest.ts"
import { defined } from "../../../values/defined.ts"
import type { JsonObject } from "../../../values/Json.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import type { Playing } from "../../scenario/Conducting.ts"
import { agentsOf, asJson, type Scenario } from "../../scenario/Document.ts"
import type { Flaw } from "../../scenario/source.ts"
import * as ScenarioWorld from "../../scenario/World.ts"
import type { Stage } from "../document/Document.ts"
import { type CurriculumInvalid, invalid, type Loaded } from "../document/decode.ts"
import type { Measures } from "../document/Ranges.ts"
import { flawsOf } from "../document/references.ts"

/** The world of a stage, as its tasks open it. */
export interface StageWorld {
  readonly plugin: string
  /** The options of the task's environments, by plugin. */
  readonly environment: { readonly [plugin: string]: JsonObject }
  readonly playing: Playing | undefined
  readonly goal: string
  /** Undefined for the kernel's default. */
  readonly maxSteps: number | undefined
  readonly measures: Measures
}

/** The worlds of all stages, by stage. */
export type StageWorlds = ReadonlyMap<string, StageWorld>

/**
 * Finds the worlds of all stages. Fails with a stage's requirements that its world lacks, and with criteria that its
 * measures can never meet.
 *
 * @param pluginOf the plugin of a stage's world; undefined if there is none
 */
export const of = (
  loaded: Loaded,
  registry: PluginRegistry,
  pluginOf: (world: string) => string | undefined,
): Either.Either<StageWorlds, CurriculumInvalid> => {
  const worlds = new Map<string, StageWorld>()
  const flaws: Array<Flaw> = []
  for (const [index, stage] of loaded.curriculum.stages.entries()) {
    const found = ofStage(loaded, registry, pluginOf, stage, `/stages/${index}`)
    if (Either.isRight(found)) worlds.set(stage.stage, found.right)
    else flaws.push(...found.left)
  }
  if (flaws.length === 0) flaws.push(...flawsOf(loaded.curriculum, ({ stage }) => worlds.get(stage)?.measures))
  return flaws.length === 0 ? Either.right(worlds) : Either.left(invalid(loaded, flaws))
}

const ofStage = (
  loaded: Loaded,
  registry: PluginRegistry,
  pluginOf: (world: string) => string | undefined,
  stage: Stage,
  path: string,
): Either.Either<StageWorld, ReadonlyArray<Flaw>> => {
  const plugin = pluginOf(stage.world)
  const installed = plugin === undefined ? undefined : SafeRecord.get(registry, plugin)
  const manifest = installed?.active === true ? manifestOf(installed) : undefined
  const environment = manifest?.peas.environment
  if (plugin === undefined || manifest === undefined || environment === undefined) {
    const expected = "the name of a world: a plugin with an environment, or one that comes with Hindcast"
    return Either.left([{ path: `${path}/world`, expected, found: JSON.stringify(stage.world) }])
  }
  const scenario = stage.scenario === undefined ? undefined : loaded.scenarios[stage.scenario]
  const played = scenario === undefined ? undefined : ScenarioWorld.of(scenario, registry, [plugin])
  const flaws = [
    ...optionFlaws(stage, manifest, path),
    ...crowdFlaws(stage, manifest, scenario, path),
    ...(played !== undefined && Either.isLeft(played)
      ? played.left.map(({ expected, found }) => ({ path: `${path}/scenario`, expected, found }))
      : []),
  ]
  if (flaws.length > 0) return Either.left(flaws)
  const options = { ...(played !== undefined && Either.isRight(played) ? played.right.options : {}), ...stage.options }
  const own = scenario?.description ?? stage.description ?? loaded.curriculum.description ?? environment.description
  const maxSteps = stage.max_steps ?? worldOf(manifest)?.maxSteps ?? undefined
  return Either.right({
    plugin,
    environment: scenario === undefined && stage.options === undefined ? {} : { [plugin]: options },
    playing: scenario === undefined ? undefined : { scenario, digest: digest(asJson(scenario)), plugin },
    goal: (stage.goal ?? own ?? stage.stage).trim(),
    maxSteps,
    measures: {
      live: ofManifests([manifest]).measures,
      ...Object.fromEntries(Object.entries(loaded.rubrics).map(([label, { measures }]) => [label, measures])),
    },
  })
}

const optionFlaws = ({ options = {} }: Stage, { peas, name }: Manifest, path: string): ReadonlyArray<Flaw> => {
  const schema = peas.environment?.options
  if (schema === undefined) {
    return Object.keys(options).length === 0
      ? []
      : [{ path: `${path}/options`, expected: `no options for ${name}`, found: "some" }]
  }
  const wrong = ComponentSchemas.validationError("options", schema, options)
  return wrong === undefined ? [] : [{ path: `${path}/options`, expected: `options of ${name}`, found: wrong }]
}

/** The agents of a stage's tasks, by name; undefined for one without a name. */
export const namesOf = ({ learner, cast = {} }: Stage): ReadonlyArray<string> | undefined =>
  learner === undefined ? undefined : [learner, ...Object.keys(cast)].sort()

const crowdFlaws = (
  stage: Stage,
  manifest: Manifest,
  scenario: Scenario | undefined,
  path: string,
): ReadonlyArray<Flaw> => {
  const names = namesOf(stage) ?? []
  const most = worldOf(manifest)?.maxAgents ?? 1
  if (names.length > most)
    return [{ path: `${path}/cast`, expected: `at most ${most} agents in ${manifest.name}`, found: `${names.length}` }]
  const roles = scenario === undefined ? [] : agentsOf(scenario).map(({ agent_id }) => agent_id)
  const fits = roles.length < 2 ? names.length < 2 || scenario === undefined : same(names, roles)
  return fits
    ? []
    : [
        {
          path: `${path}/learner`,
          expected: `learner and cast for the scenario's agents (${roles.join(", ")})`,
          found: names.join(", ") || "none",
        },
      ]
}

const same = (names: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  names.length === others.length && names.every((name) => others.includes(name))

/** The options that open a task of a stage. */
export const opening = ({ plugin, environment, goal, maxSteps }: StageWorld) => ({
  goal,
  plugins: [plugin],
  ...(Object.keys(environment).length === 0 ? {} : { environment }),
  ...defined({ maxSteps }),
})
