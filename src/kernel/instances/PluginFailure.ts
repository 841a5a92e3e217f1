/** Tells failures of plugins from failures of the log. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { CallError } from "../../plugins/PluginError.ts"
import { plainText } from "../../values/Json.ts"
import type { InstanceError } from "./Instance.ts"

export type PluginFailure = CallError | Exclude<InstanceError, LogError>

/** Handles errors of a plugin, which are facts to record. An error of the log passes through and ends the operation. */
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

/** A record, so that the compiler reports a missing tag. */
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

/** The failure for the log: the code and message that the plugin threw, otherwise the error's tag and message. */
export const failureOf = (error: PluginFailure): Failure =>
  error._tag === "CallFailed"
    ? { code: plainText(error.error.code).slice(0, MAX_CODE) || "Error", message: plainText(error.error.message) }
    : { code: error._tag, message: plainText(error.message) }

const MAX_CODE = 100
