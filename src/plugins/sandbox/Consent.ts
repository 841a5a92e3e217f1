/**
 * Consent to starting a plugin that only Deno's permissions confine. Deno's permissions have been bypassed in the past,
 * so such a plugin must be trusted like a program of one's own. A person consents once for each version of a plugin.
 * Plugins that ship with Hindcast need no consent.
 */
import { Data, type Effect, Schema } from "effect"
import type { Layer } from "./Tier.ts"

/** The option by which a program consents to starting every plugin. */
export const ConsentOption = Schema.Literal("flags").annotations({ description: '"flags"' })

/** Whether starting a plugin in this layer needs consent. */
export const isNeeded = (layer: Layer): boolean => layer === "none"

/**
 * Decides, right before a start that needs consent, whether the plugin may be started.
 *
 * @param said whether the user of the host consents to every plugin; that consent is recorded before the start
 */
export type MayStart = (said: boolean) => Effect.Effect<boolean, unknown>

/** Consent once, or install a second layer: nobody consented to starting this version of a plugin without one. */
export class SandboxConsentMissing extends Data.TaggedError("SandboxConsentMissing")<{
  readonly plugin: string
  readonly version: string
  /** Why there is no second layer: one sentence without a full stop. */
  readonly why: string
  /** How to get a second layer on this machine, in one sentence. Absent if there is no way. */
  readonly improve?: string
  /** How to consent, in one sentence. Default: by `--sandbox flags`. */
  readonly say?: string
}> {
  override get message() {
    const { plugin, version, why, improve, say = HOW_TO_CONSENT } = this
    return (
      `Plugin ${plugin} ${version} is not started: nothing but Deno's permissions would confine it on this machine (${why}), ` +
      `and through a hole in them a plugin does whatever you may do. ${say}` +
      `${improve === undefined ? "" : ` A second layer is safer. ${improve}`}`
    )
  }
}

const HOW_TO_CONSENT =
  'If you trust it, say `--sandbox flags` once, to `hindcast plugin add` or `hindcast run` (in a program: `host: { consent: "flags" }`): that is recorded, for this version on this machine.'
