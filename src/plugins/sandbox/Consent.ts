/**
 * Consent to starting a plugin where nothing but Deno's permissions confines it. They have proved not to hold alone, so that
 * such a plugin is trusted as much as a program of one's own. A person says so once for each version of it; what was shipped
 * with Hindcast needs no such word.
 */
import { Data, type Effect, Schema } from "effect"
import type { Layer } from "./Tier.ts"

/** The word by which a program consents to starting whatever it is told to start. */
export const ConsentOption = Schema.Literal("flags").annotations({ description: '"flags"' })

/** Whether a plugin is only started here with somebody's consent. */
export const isNeeded = (layer: Layer): boolean => layer === "none"

/**
 * Whether a plugin may be started where consent is needed; asked right before the start.
 *
 * @param said whether whoever runs the host consents to whatever is started: then it is recorded before it starts
 */
export type MayStart = (said: boolean) => Effect.Effect<boolean, unknown>

/** Say it once, or get a second layer: nobody consented to starting this version of a plugin without one. */
export class SandboxConsentMissing extends Data.TaggedError("SandboxConsentMissing")<{
  readonly plugin: string
  readonly version: string
  /** Why there is no second layer: one sentence, without its full stop. */
  readonly why: string
  /** What gives this machine a second layer, where anything does: a sentence. */
  readonly improve?: string
  /** How to consent: a sentence. Default: by `--sandbox flags`. */
  readonly say?: string
}> {
  override get message() {
    const { plugin, version, why, improve, say = SAY } = this
    return (
      `Plugin ${plugin} ${version} is not started: nothing but Deno's permissions would confine it on this machine (${why}), ` +
      `and through a hole in them a plugin does whatever you may do. ${say}` +
      `${improve === undefined ? "" : ` Safer is a second layer. ${improve}`}`
    )
  }
}

const SAY =
  'If you trust it, say `--sandbox flags` once, to `hindcast plugin add` or `hindcast run` (in a program: `host: { consent: "flags" }`): that is recorded, for this version on this machine.'
