/** Schemas of fields that several foreign data structures share. As in pydantic, null means absent. */

import { Effect, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import type { Environment } from "../handle/Environment.ts"
import { NoSuchAgent } from "../handle/WorldError.ts"

/** A field that may be missing or null; both decode to null. */
export const orNull = <A, I>(field: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(field), { default: () => null })

/** An object that may be missing; decodes to `{}`. */
export const orEmpty = Schema.optionalWith(JsonObject, { default: () => ({}) })

/** Seconds since 1970, as Python's `time.time()` returns them. */
export const Timestamp = Schema.Finite.annotations({ description: "seconds since 1970, a number" })

/** Converts epoch milliseconds to a `Timestamp`. */
export const secondsOf = (milliseconds: number): number => milliseconds / 1000

/** Runs an effect for an agent that takes part. Fails with `NoSuchAgent` for any other. */
export const forAgent = <A, E, R>(
  environment: Pick<Environment, "name" | "agents">,
  agent: string,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | NoSuchAgent, R> =>
  Effect.suspend((): Effect.Effect<A, E | NoSuchAgent, R> => {
    const agents = environment.agents()
    return agents.includes(agent) ? effect : Effect.fail(new NoSuchAgent({ world: environment.name, agent, agents }))
  })
