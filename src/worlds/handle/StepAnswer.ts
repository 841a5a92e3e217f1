/** What the step of a world answers, decoded. */

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

/** What an agent got for a step. */
const Got = Schema.Struct(Own)

export type Got = typeof Got.Type

/** What the agent that acted got, and with it what others got. */
const Answer = Schema.Struct({
  ...Own,
  others: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Got }), { default: () => ({}) }),
})

/** What agents got while the time of a world passed, by agent. */
const Ticked = Schema.Record({ key: Schema.String, value: Got })

export const tickedOf = (
  world: string,
  steps: Gotten,
): Either.Either<{ readonly [agent: string]: Got }, UnexpectedAnswer> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(Ticked)(steps),
    ({ message }) => new UnexpectedAnswer({ world, expected: "the steps of a tick", found: message }),
  )

/** What each agent got for the step of one, by agent. */
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
        found: reason === null ? message : `a step that was taken, and whose result could not be recorded (${reason})`,
      }),
    onRight: ({ others, ...own }) => SafeRecord.set(others, agent, own),
  })
