/** Runs a world under test in the plugin's real process. */

import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import { ACTION_MASK, OBSERVATION, worldOf } from "../../plugins/manifest/world.ts"
import type { Components } from "../../plugins/process/ComponentCalls.ts"
import type { RoundOutcome } from "../../plugins/process/RoundOutcome.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import type { DrivenSpaces, DrivenWorld, OpenWorld, Refusal, Stepped, WorldFacts } from "./DrivenWorld.ts"
import { episodeIn } from "./episodeChecks.ts"

/** A plugin's process and manifest. */
export interface WorldProcess {
  readonly manifest: Manifest
  readonly process: Pick<Components, "reset" | "read" | "round" | "restore">
}

/** Options of the world's episodes. */
export interface ProcessWorldOptions {
  /** The options of resets. Default: none. */
  readonly options?: JsonObject
  /** The agents that take part. Default: as many as the manifest allows, at most four. */
  readonly agents?: ReadonlyArray<string>
}

/** Default names of agents in a world for several. */
const NAMES = ["alice", "bob", "carol", "dave"]

/**
 * Opens copies of a world, each in a process that `start` starts. Fails if the process does not start, or if the plugin
 * has no world. Resets the first copy to learn who acts when; later copies are not reset.
 */
export const opening = (
  start: Effect.Effect<WorldProcess, unknown, Scope.Scope>,
  options: ProcessWorldOptions = {},
): OpenWorld => {
  let mode: WorldFacts["mode"] | undefined
  return Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const started = yield* Effect.mapError(Scope.extend(start, scope), refusalOf)
    const close = Scope.close(scope, Exit.void)
    const world = yield* drivenBy(started, options, close, mode)
    mode = world.facts.mode
    return world
  })
}

const drivenBy = (
  { manifest, process }: WorldProcess,
  { options: defaults = {}, agents: given }: ProcessWorldOptions,
  close: Effect.Effect<void>,
  mode: WorldFacts["mode"] | undefined,
): Effect.Effect<DrivenWorld, Refusal> =>
  Effect.gen(function* () {
    const world = worldOf(manifest)
    if (world === undefined)
      return yield* Effect.fail({
        code: "NoWorld",
        message: `${manifest.name} declares no spaces, so it is not a world`,
      })
    const agents = given ?? (world.maxAgents === 1 ? undefined : NAMES.slice(0, world.maxAgents))
    const masked = world.mask !== false
    const call = <A>(effect: Effect.Effect<A, unknown>) => Effect.mapError(effect, refusalOf)

    const reset = (seed: number, options: JsonObject = {}) =>
      call(process.reset({ ...defaults, ...options }, { seed, ...defined({ agents }) }))
    const read = (sensor: string, names: ReadonlyArray<string>) =>
      Effect.map(
        Effect.forEach(names, (agent) =>
          Effect.map(call(process.read(sensor, { agent })), (value) => [agent, value] as const),
        ),
        (values): { readonly [agent: string]: Json } => Object.fromEntries(values),
      )
    const masks = (names: ReadonlyArray<string>) => read(ACTION_MASK, masked ? names : [])

    // Only the document tells who acts when, not the manifest.
    const inTurns = Effect.map(
      Effect.either(reset(0)),
      (first) => first._tag === "Right" && episodeIn(first.right)?.turn !== undefined,
    )
    const facts: WorldFacts = {
      name: manifest.name,
      mode: mode ?? ((yield* inTurns) ? "turn-based" : world.maxAgents === 1 ? "single" : "parallel"),
      maxAgents: world.maxAgents,
      maxEpisodeSteps: world.maxSteps,
      endless: world.isEndless,
      mask: masked,
      advice: world.mask === "advice",
    }
    // A round without actions returns the document and changes nothing.
    const document = Effect.map(call(process.round({})), ({ state }) => state)
    const restore = (state: Json) => call(process.restore(defaults, state))
    const isRestored = manifest.peas.environment?.rewind?.includes("snapshot") === true
    return {
      facts,
      reset: (seed, options) =>
        Effect.gen(function* () {
          const document = yield* reset(seed, options)
          const names = agentsIn(document)
          const [observations, legal] = [yield* read(OBSERVATION, names), yield* masks(names)]
          return {
            agents: Object.fromEntries(
              names.map((agent) => [
                agent,
                {
                  spaces: spacesIn(document, agent) ?? world.spaces,
                  observation: observations[agent] ?? null,
                  info: episodeIn(document)?.info ?? {},
                  mask: legal[agent] ?? null,
                },
              ]),
            ),
            turn: turnIn(document),
            document,
          }
        }),
      step: (actions) =>
        Effect.gen(function* () {
          const { agents: outcomes, state } = yield* Effect.mapError(process.round(actions), thrownBy)
          const refused = Object.keys(actions).flatMap((agent) => refusalIn(outcomes[agent]))
          if (refused[0] !== undefined) return yield* Effect.fail(refused[0])
          const names = agentsIn(state)
          const stepped: Stepped = {
            results: resultsIn(outcomes),
            observations: yield* read(OBSERVATION, names),
            masks: yield* masks(names),
            turn: turnIn(state),
            document: state,
            named: namedIn(outcomes),
          }
          return stepped
        }),
      observe: Effect.gen(function* () {
        const names = agentsIn(yield* document)
        return { observations: yield* read(OBSERVATION, names), masks: yield* masks(names) }
      }),
      document,
      ...(isRestored ? { restore } : {}),
      close,
    }
  })

/** The agents that take part, including those whose episode is over. */
const agentsIn = (document: Json): ReadonlyArray<string> => {
  const agents = episodeIn(document)?.agents
  if (!isObject(agents)) return []
  return Object.entries(agents).flatMap(([name, its]) => (isObject(its) && its.status !== "left" ? [name] : []))
}

const spacesIn = (document: Json, agent: string): DrivenSpaces | undefined => {
  const agents = episodeIn(document)?.agents
  const its = isObject(agents) ? agents[agent] : undefined
  const spaces = isObject(its) ? its.spaces : undefined
  return isObject(spaces) ? { observation: spaces.observation, action: spaces.action } : undefined
}

const turnIn = (document: Json): string | null => {
  const turn = episodeIn(document)?.turn
  return typeof turn === "string" ? turn : null
}

const refusalIn = (outcome: RoundOutcome | undefined): ReadonlyArray<Refusal> =>
  outcome !== undefined && "error" in outcome ? [outcome.error] : []

const resultsIn = (outcomes: { readonly [agent: string]: RoundOutcome }): Stepped["results"] =>
  Object.fromEntries(
    Object.entries(outcomes).flatMap(([agent, outcome]) => ("ok" in outcome ? [[agent, outcome.ok]] : [])),
  )

/** The agents that the world's answer names, in its order. */
const namedIn = (outcomes: { readonly [agent: string]: RoundOutcome }): ReadonlyArray<string> =>
  Object.entries(outcomes)
    .flatMap(([agent, outcome]) =>
      "ok" in outcome && outcome.named !== undefined ? [{ agent, at: outcome.named }] : [],
    )
    .toSorted((a, b) => a.at - b.at)
    .map(({ agent }) => agent)

const thrownBy = (error: unknown): Refusal => ({ ...refusalOf(error), byStep: field(error, "_tag") === "CallFailed" })

/** A failed call as a refusal, with the world's own code and message if it threw. */
const refusalOf = (error: unknown): Refusal => {
  const tag = field(error, "_tag")
  const thrown = tag === "CallFailed" ? field(error, "error") : error
  const code = field(thrown, "code") ?? tag
  return {
    code: typeof code === "string" ? code : "Error",
    message: String(field(thrown, "message") ?? thrown),
    ended: tag !== "CallFailed" && tag !== "AnswerInvalid",
  }
}

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && key in value ? Reflect.get(value, key) : undefined
