import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { CallError } from "../../plugins/PluginError.ts"
import { plainText } from "../../values/Json.ts"
import type { InstanceError } from "./Instance.ts"

/** What can go wrong with a plugin, as against with the log. */
export type PluginFailure = CallError | Exclude<InstanceError, LogError>

/**
 * Handles what went wrong with a plugin. A failure of a plugin is a fact for the log; a failure of the log itself is not,
 * and ends what was going on.
 */
export const onPluginFailure =
  <B, E2>(handle: (failure: PluginFailure) => Effect.Effect<B, E2>) =>
  <A, E extends { readonly _tag: string }>(
    effect: Effect.Effect<A, E>,
  ): Effect.Effect<A | B, Exclude<E, PluginFailure> | E2> =>
    Effect.catchAll(
      effect,
      (error): Effect.Effect<B, Exclude<E, PluginFailure> | E2> =>
        isPluginFailure(error) ? handle(error) : Effect.fail(error as Exclude<E, PluginFailure>),
    )

const isPluginFailure = (error: { readonly _tag: string }): error is PluginFailure =>
  Object.hasOwn(PLUGIN_FAILURES, error._tag)

/** A record, so that the compiler misses none. */
const PLUGIN_FAILURES: { readonly [Tag in PluginFailure["_tag"]]: true } = {
  PluginExited: true,
  PluginStuck: true,
  CallTimedOut: true,
  CallFailed: true,
  AnswerInvalid: true,
  PluginUnavailable: true,
  PluginFailedToLoad: true,
  ExportsDisagree: true,
  SandboxUnavailable: true,
  SandboxConsentMissing: true,
  LinkLeaves: true,
  TooManyFiles: true,
  CopyChanged: true,
  NotInRegistry: true,
  PluginInQuarantine: true,
  WorldLost: true,
}

/** What the log says of a plugin's failure: its own code and message where it threw, else what kind of failure it was. */
export const failureOf = (error: PluginFailure): Failure =>
  error._tag === "CallFailed"
    ? { code: plainText(error.error.code).slice(0, MAX_CODE) || "Error", message: plainText(error.error.message) }
    : { code: error._tag, message: plainText(error.message) }

/** Longest code of a failure, in characters. */
const MAX_CODE = 100
