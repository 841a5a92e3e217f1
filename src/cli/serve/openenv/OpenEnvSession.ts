/** One environment for one client: a world of the log, an episode at a time. */
import { Cause, Effect } from "effect"
import type { JsonObject } from "../../../values/Json.ts"
import { ActionRefused } from "../../../worlds/handle/WorldError.ts"
import * as Failure from "../../command/Failure.ts"
import type { OpenedWorld, OpenedWorlds, Settings } from "../OpenedWorlds.ts"
import * as Messages from "./Messages.ts"

/** The world that each session opens. */
export interface Served extends Settings {
  readonly world: string
  readonly log?: string
}

/** A session: an answer for each message, in order. */
export interface OpenEnvSession {
  readonly world: OpenedWorld["world"]
  readonly reset: (given: Messages.Reset) => Effect.Effect<JsonObject, Messages.Problem>
  readonly step: (fields: JsonObject) => Effect.Effect<JsonObject, Messages.Problem>
  readonly state: () => JsonObject
  readonly close: Effect.Effect<void>
}

/** Opens a world for a session. */
export const open = (worlds: OpenedWorlds, served: Served): Effect.Effect<OpenEnvSession, Messages.Problem> =>
  worlds.open(served).pipe(
    Effect.mapError((error): Messages.Problem => {
      const problem = problemOf(Cause.fail(error), "FACTORY_ERROR")
      return isFull(error) ? { ...problem, code: "CAPACITY_REACHED" } : problem
    }),
    Effect.map(({ number, world }) => {
      let [episode, task, steps]: [string | null, string | null, number] = [null, null, 0]
      return {
        world,
        reset: (given) =>
          Effect.gen(function* () {
            const shown = yield* world.reset(Messages.resetOptions(given))
            task = yield* world.taskId
            episode = given.episode_id ?? task
            steps = 0
            return Messages.begun(shown)
          }).pipe(failing),
        step: (fields) =>
          Effect.gen(function* () {
            const result = yield* world.step(Messages.actionIn(fields, world.spaces().action))
            steps += 1
            return Messages.stepped(result)
          }).pipe(failing),
        state: () => ({ episode_id: episode, step_count: steps, task }),
        close: worlds.close(number),
      }
    }),
  )

const isFull = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "TooManyWorlds"

const failing = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, Messages.Problem> =>
  Effect.mapError(effect, (error) =>
    problemOf(Cause.fail(error), isOutside(error) ? "VALIDATION_ERROR" : "EXECUTION_ERROR"),
  )

const isOutside = (error: unknown): boolean => error instanceof ActionRefused && error.code === "ActionOutsideSpace"

const problemOf = (cause: Cause.Cause<unknown>, otherwise: Messages.Code): Messages.Problem => {
  const { tag, message } = Failure.ofCause(cause, [])
  return { code: tag === "InvalidOptions" ? "VALIDATION_ERROR" : otherwise, message }
}
