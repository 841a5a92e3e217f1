/** Lets the provider of a plugin generate an answer, on behalf of a task. */

import { Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import type { Piece } from "../../../plugins/channel/OpenCall.ts"
import type { Generated } from "../../../plugins/Generated.ts"
import type { GenerateRequest } from "../../../plugins/process/ComponentCalls.ts"
import { defined } from "../../../values/defined.ts"
import { plainText } from "../../../values/Json.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import { failureOf, onPluginFailure, type PluginFailure } from "../../instances/PluginFailure.ts"
import { manifestOf } from "../../registry/Registry.ts"
import { ModelCallFailed } from "../ModelCalls.ts"
import type { OpenTask } from "../OpenTask.ts"

export type { Generated } from "../../../plugins/Generated.ts"

/** A request to a plugin's model. */
export interface ProviderRequest extends GenerateRequest {
  /** The plugin's name. */
  readonly provider: string
}

/** Options of a request to a plugin's model. */
export interface ProviderOptions {
  /** The event of the request, the cause of the provider's own requests to the host. */
  readonly causationId?: string
  /** Receives the pieces of the answer. */
  readonly onPiece?: (piece: Piece) => void
}

/** The default of a provider's `timeout`: 5 minutes, since a model that reasons may be silent for minutes. */
export const SILENCE_MS = 300_000

/**
 * Asks a plugin's provider, whose requests to the host are recorded in the task. Failures of the plugin fail as those
 * of a model. Interruption cancels the call in the plugin.
 */
export const generate = (
  task: OpenTask,
  { provider, ...request }: ProviderRequest,
  { causationId = task.openedBy, onPiece }: ProviderOptions = {},
): Effect.Effect<Generated, ModelCallFailed | LogError> => {
  const { model } = request
  const failed = (kind: ModelCallFailed["kind"], reason: string) =>
    new ModelCallFailed({ provider, model, kind, reason: plainText(reason) })
  return Effect.suspend(() => {
    let came = false
    const took = (piece: Piece) => {
      came = true
      onPiece?.(piece)
    }
    return Effect.gen(function* () {
      const registry = yield* task.kernel.registry.state
      const found = SafeRecord.get(registry, provider)
      if (found?.active === false) return yield* failed("unknown-model", `the plugin ${provider} is not active`)
      const { process, manifest, use } = yield* task.instance(provider, registry)
      const { generate } = process
      if (generate === undefined || manifest.provider === undefined) {
        return yield* failed("unknown-model", `the plugin ${provider} has no provider`)
      }
      const timeoutMs = manifest.provider.timeout ?? SILENCE_MS
      const options = { taskId: task.instanceName, causationId, timeoutMs, onPiece: took }
      return yield* use(generate(request, options))
    }).pipe(
      onPluginFailure((failure) => {
        const { code, message } = failureOf(failure)
        const kind = kindOf(failure, came)
        return failed(kind, failure._tag === "CallFailed" ? `${code}: ${message}` : message)
      }),
    )
  })
}

/** A plugin that does not start is no model; one that breaks while it answers may answer the next time. */
const kindOf = (failure: PluginFailure, came: boolean): ModelCallFailed["kind"] => {
  switch (failure._tag) {
    case "CallTimedOut":
      return "timed-out"
    case "AnswerInvalid":
      return "unreadable"
    case "PluginExited":
    case "PluginStuck":
      return came ? "cut-off" : "unreachable"
    case "CallFailed":
      return failure.error.code === "ArgumentsTooLarge" ? "context-too-long" : "invalid-request"
    default:
      return "unknown-model"
  }
}

/** The models that the plugins of a task offer, by name. */
export interface ProviderCapability {
  /** `plugin/model` */
  readonly name: string
  readonly description: string
  /** US dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number }
  /** `plugin@version`, the source of the price. */
  readonly version: string
  /** The environment variables that the plugin may read: their values are secrets. */
  readonly env: ReadonlyArray<string>
}

/** The models of a plugin's provider. */
export const offeredBy = (plugin: Parameters<typeof manifestOf>[0]): ReadonlyArray<ProviderCapability> => {
  const { name, version, provider, permissions } = manifestOf(plugin)
  return (provider?.models ?? []).map((model) => ({
    name: `${name}/${model.name}`,
    description: model.description ?? provider?.description ?? "",
    version: `${name}@${version}`,
    env: permissions.env ?? [],
    ...defined({ price: model.price }),
  }))
}
