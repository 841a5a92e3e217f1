/** The rate limits that a program declares for models, by their names. */

import { Schema } from "effect"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { RateLimit } from "./ModelPace.ts"

/** Limits by `provider/model`, or by `provider/*` for each other model of the provider. */
export interface RateLimits {
  readonly [name: string]: RateLimit
}

const MODEL_NAME = /^[^/\s]+\/\S.*$/

/** Schema of `RateLimits`. */
export const RateLimits: Schema.Schema<RateLimits> = Schema.Record({
  key: Schema.String.pipe(
    Schema.pattern(MODEL_NAME),
    Schema.annotations({ description: "a model as provider/model, or provider/*" }),
  ),
  value: Options.of<RateLimit>({
    optional: { requestsPerMinute: Options.wholeNumber(1), tokensPerMinute: Options.wholeNumber(1) },
  }),
}).annotations({ description: "an object of { requestsPerMinute, tokensPerMinute } by provider/model or provider/*" })

/** The limits of a model: its own, else those of its provider; empty without any. */
export const limitOf = (limits: RateLimits, provider: string, model: string): RateLimit =>
  SafeRecord.get(limits, `${provider}/${model}`) ?? SafeRecord.get(limits, `${provider}/*`) ?? {}
