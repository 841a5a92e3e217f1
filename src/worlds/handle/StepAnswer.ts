/** Decodes the answer of a world's step. */

import { Either, Schema } from "effect"
import type { Gotten } from "../../kernel/acting/WorldRewards.ts"
import { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Ended } from "./Environment.ts"
import { UnexpectedAnswer } from "./WorldError.ts"

const Own = {
  reward: Schema.Finite,
  rewards: Schema.Record({ key: Schema.String, value: Schema.Finite }),
  terminated: Schema.Boolean,
  truncated: Schema.Boolean,
  info: JsonObject,
}

/** One agent's result of a step. */
const Got = Schema.Struct(Own)

export type Got = typeof Got.Type

const Answer = Schema.Struct({
  ...Own,
  others: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Got }), { default: () => ({}) }),
})

const Ticked = Schema.Record({ key: Schema.String, value: Got })

export const tickedOf = (
  world: string,
  steps: Gotten,
): Either.Either<{ readonly [agent: string]: Got }, UnexpectedAnswer> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(Ticked)(steps),
    ({ message }) => new UnexpectedAnswer({ world, expected: "the steps of a tick", found: message }),
  )

/** Decodes the results of one agent's step, by agent. */
export const gotOf = (
  world: string,
  agent: string,
  { result, reason }: Pick<Ended, "result" | "reason">,
): Either.Either<{ readonly [agent: string]: Got }, UnexpectedAnswer> =>
  Either.mapBoth(Schema.decodeUnknownEither(Answer)(result), {
    onLeft: ({ message }) =>
      new UnexpectedAnswer({
        world,
        expected: "the result of a step",
        found: reason === null ? message : `a step whose result could not be recorded (${reason})`,
      }),
    onRight: ({ others, ...own }) => SafeRecord.set(others, agent, own),
  })
