/**
 * Consent to start a plugin that only Deno's permissions confine. They have been bypassed in the past, so such a plugin
 * needs as much trust as your own programs. A person consents once per version; plugins that ship with Hindcast need no
 * consent.
 */
import { Data, type Effect, Schema } from "effect"
import { type Layer, tierOf } from "./layers/Layer.ts"

/** With `flags`, a program consents to every plugin. */
export const ConsentOption = Schema.Literal("flags").annotations({ description: '"flags"' })

/**
 * Whether plugins in this layer need consent. Deno's permissions do not hold an environment written in Python, so it
 * needs consent wherever it has no disk and no network of its own. They hold nothing of an MCP server either, whose
 * command or host has a grant of its own (`Grants.decideGrants`): it needs none.
 */
export const isNeeded = (layer: Layer, runtime?: Runtime): boolean => {
  if (runtime === "mcp") return false
  return runtime === "python" ? tierOf(layer) === "flags" : layer === "none"
}

/** The program that runs a plugin's entry. Default: Deno. */
export type Runtime = "mcp" | "python" | undefined

/**
 * Decides whether a plugin may start, right before a start that needs consent.
 *
 * @param said whether the host's user consents to every plugin; the log gets that consent before the start
 */
export type MayStart = (said: boolean) => Effect.Effect<boolean, unknown>

/** Consent once, or install a second layer: nobody consented to this version of a plugin without one. */
export class SandboxConsentMissing extends Data.TaggedError("SandboxConsentMissing")<{
  readonly plugin: string
  readonly version: string
  /** Why there is no second layer: a sentence without a full stop. */
  readonly why: string
  /** How to get a second layer on this machine: a sentence, if there is a way. */
  readonly improve?: string
  /** How to consent: a sentence. Default: by `--sandbox flags`. */
  readonly say?: string
  readonly runtime?: Runtime
}> {
  override get message() {
    const { plugin, version, why, improve, say = HOW_TO_CONSENT, runtime } = this
    const confinement =
      runtime === "python"
        ? `Python code has no confinement of its own on this machine (${why}), and what the runner refuses it, hostile code can get around`
        : `only Deno's permissions would confine it on this machine (${why}), and a hole in them would give the plugin all your rights`
    return (
      `Plugin ${plugin} ${version} is not started: ${confinement}. ${say}` +
      `${improve === undefined ? "" : ` A second layer is safer. ${improve}`}`
    )
  }
}

const HOW_TO_CONSENT =
  'If you trust it, pass `--sandbox flags` once to `hindcast plugin add` or `hindcast run` (in a program: `host: { consent: "flags" }`). The log records this for this version on this machine.'
