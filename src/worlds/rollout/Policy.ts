/** Policies of rollouts: functions from an agent's view to an action. */

import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Data, Effect } from "effect"
import { sha256 } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as Pcg32 from "../../values/random/Pcg32.ts"

/** The view of a policy before a step. */
export interface PolicyView {
  readonly observation: Json
  /** The legal actions, in the shape of the action space; null if the world has no mask. */
  readonly mask: Json
  /** The reward of the step before; 0 at the beginning of an episode. */
  readonly reward: number
  /** The index of the episode in its rollout, from 0. */
  readonly episode: number
  /** The number of steps before this one. */
  readonly step: number
  /** Returns a number from [0, 1). The numbers of each step depend only on the rollout's seed, the episode and the step. */
  readonly random: () => number
  /** Returns a whole number from [0, max), drawn the same way. */
  readonly integer: (max: number) => number
}

/**
 * A policy. It must be a function of its view alone: then the same seed gives the same episodes, however many run at a
 * time, and a rollout that was interrupted continues with the same result.
 */
export interface Policy {
  readonly name: string
  readonly version: string
  /** Chooses an action of the world's action space. */
  readonly act: (view: PolicyView) => Json | PromiseLike<Json>
}

/** A policy, or its function alone, which is named `policy@1`. */
export type AnyPolicy = Policy | Policy["act"]

/** The policy threw, or chose an action that is none. Everything before is in the log. Fix the policy, and continue. */
export class PolicyFailed extends Data.TaggedError("PolicyFailed")<{
  readonly policy: string
  readonly rolloutId: string
  readonly episode: number
  readonly step: number
  readonly cause: unknown
}> {
  override get message() {
    const { policy, rolloutId, episode, step, cause } = this
    const why = cause instanceof Error ? cause.message : String(cause)
    return (
      `The policy ${policy} failed at step ${step} of episode ${episode}: ${why}. Every step before is in the log. ` +
      `Fix the policy, and continue with \`hindcast rollout --continue ${rolloutId}\`.`
    )
  }
}

/** The file has no policy. Export one as its default. */
export class PolicyInvalid extends Data.TaggedError("PolicyInvalid")<{
  readonly file: string
  readonly found: string
  /** There is no such file. */
  readonly missing?: boolean
}> {
  override get message() {
    return `${this.file}: expected a function as default export, or an object with name, version and act, found ${this.found}`
  }
}

/** The policy with its name. */
export const named = (policy: AnyPolicy): Policy =>
  typeof policy === "function"
    ? { name: policy.name === "" ? "policy" : policy.name, version: "1", act: policy }
    : policy

/** `name@version`. */
export const nameOf = ({ name, version }: Policy): string => `${name}@${version}`

/** Imports the default export of a module. Its code runs in this process. */
export const load = (file: string): Effect.Effect<Policy, PolicyInvalid> =>
  Effect.gen(function* () {
    if (!fs.existsSync(file)) return yield* new PolicyInvalid({ file, found: "no such file", missing: true })
    const loaded: { readonly default?: unknown } = yield* Effect.tryPromise({
      try: () => import(pathToFileURL(path.resolve(file)).href),
      catch: (cause) => new PolicyInvalid({ file, found: cause instanceof Error ? cause.message : String(cause) }),
    })
    const found = loaded.default
    if (typeof found === "function") {
      const base = path.basename(file).replace(/\.[^.]*$/, "")
      return { name: base === "" ? "policy" : base, version: "1", act: found as Policy["act"] }
    }
    if (isPolicy(found)) return found
    return yield* new PolicyInvalid({ file, found: found === undefined ? "no default export" : typeof found })
  })

/** Whether a value has the form of a policy. */
export const isPolicy = (value: unknown): value is Policy => {
  if (typeof value !== "object" || value === null) return false
  const { name, version, act } = value as { readonly [key: string]: unknown }
  return typeof name === "string" && name !== "" && typeof version === "string" && typeof act === "function"
}

/** The state of an episode from which a view is made. */
export interface Seen {
  readonly readings: JsonObject
  readonly reward: number
  readonly episode: number
  readonly step: number
}

/** Makes the view of a step. Its random numbers cost nothing unless the policy draws. */
export const viewOf = (seed: number, { readings, reward, episode, step }: Seen): PolicyView => {
  let generator: Pcg32.Pcg32 | undefined
  const drawn = () => {
    generator ??= Pcg32.make(Number.parseInt(sha256(`${seed}/${episode}/${step}`).slice(0, 8), 16))
    return generator
  }
  return {
    observation: readings.observation ?? null,
    mask: readings.action_mask ?? null,
    reward,
    episode,
    step,
    random: () => drawn().number(),
    integer: (max) => drawn().integer(max),
  }
}
