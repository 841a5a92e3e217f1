/** An agent's budget for one task, checked before each request to its model. */

import { Schema } from "effect"
import { defined } from "../values/defined.ts"
import * as Options from "../values/Options.ts"

/** The limits of one task. Default of each: none. A limit of 0 allows no request at all. */
export interface Budget {
  /** Requests to the model that it answered or may charge for. */
  readonly steps?: number
  /** Tokens of all requests and answers. */
  readonly tokens?: number
  /** Cost of all requests, in US dollars. An answer of unknown price ends the requests. */
  readonly usd?: number
  /** Time since the agent began, in milliseconds. */
  readonly wallMs?: number
  /** Commands to actuators. */
  readonly commands?: number
}

const Amount: Schema.Schema<number> = Schema.Number.pipe(
  Schema.filter((value) => value >= 0 && Number.isFinite(value)),
  Schema.annotations({ description: "a number, 0 or more" }),
)

const Count = Options.wholeNumber(0)

/** Schema of `Budget`. */
export const Budget = Options.of<Budget>({
  optional: { steps: Count, tokens: Count, usd: Amount, wallMs: Amount, commands: Count },
}).annotations({ description: "an object with limits: steps, tokens, usd, wallMs, commands" })

export interface Used {
  readonly steps: number
  readonly tokens: number | undefined
  /** Undefined if the price of a request is unknown. */
  readonly usd: number | undefined
  readonly wallMs: number
  readonly commands: number
}

export interface Exceeded {
  readonly budget: keyof Budget
  readonly limit: number
  readonly used: number
  readonly reason: string
}

const BUDGETS = ["steps", "commands", "tokens", "usd", "wallMs"] as const

const UNITS: { readonly [name in keyof Required<Budget>]: string } = {
  steps: "turns",
  commands: "commands",
  tokens: "tokens",
  usd: "US dollars",
  wallMs: "ms",
}

const UNPRICED = "the price of its model is unknown: prices are those of the package @pydantic/genai-prices"

/** The first budget that is used up, or undefined. Pure. */
export const exceeded = (budget: Budget, used: Used): Exceeded | undefined => {
  for (const name of BUDGETS) {
    const limit = budget[name]
    if (limit === undefined) continue
    const amount = used[name]
    if (amount === undefined) {
      const unknown = name === "usd" ? UNPRICED : "what its model used is unknown"
      const reason = `its budget is ${limit} ${UNITS[name]}, and ${unknown}`
      return { budget: name, limit, used: 0, reason }
    }
    if (amount >= limit) {
      return { budget: name, limit, used: amount, reason: `its budget of ${limit} ${UNITS[name]} is used up` }
    }
  }
  return undefined
}

/** The part of what is left that each of several called agents may use; undefined without limits. Pure. */
export const share = (budget: Budget, used: Used, leftMs: number, together: number): Budget | undefined => {
  const rest = (name: "steps" | "commands" | "tokens" | "usd") => {
    const limit = budget[name]
    // Nothing is left of a budget whose use is unknown.
    const left = limit === undefined ? undefined : Math.max(0, limit - (used[name] ?? limit)) / together
    return left === undefined || name === "usd" ? left : Math.floor(left)
  }
  const shared = defined({
    ...{ steps: rest("steps"), commands: rest("commands"), tokens: rest("tokens"), usd: rest("usd") },
    wallMs: Number.isFinite(leftMs) ? leftMs : undefined,
  })
  return Object.keys(shared).length === 0 ? undefined : shared
}
