/** The service that starts plugins in the sandbox of this machine, after checking the user's consent. */
import { Context, Effect, Layer, type Scope } from "effect"
import * as Options from "../../values/Options.ts"
import { PluginUnavailable } from "../PluginError.ts"
import * as Consent from "../sandbox/Consent.ts"
import { SandboxLimits } from "../sandbox/Limits.ts"
import type { AvailableLayer } from "../sandbox/Sandbox.ts"
import * as Tier from "../sandbox/Tier.ts"
import * as Tools from "../sandbox/Tools.ts"
import type * as PluginProcess from "./PluginProcess.ts"
import type { PluginError } from "./PluginProcess.ts"
import type { ProcessSpec } from "./ProcessSpec.ts"

/** Starts plugins. Another layer of this service can answer from a recording instead. */
export class PluginHost extends Context.Tag("hindcast/PluginHost")<PluginHost, PluginHost.Service>() {}

/** The type of the service: `PluginHost.Service`. */
export declare namespace PluginHost {
  /** A host of plugins. */
  export interface Service {
    /**
     * Starts a plugin's process and completes the handshake. The process is stopped when the scope closes. If only
     * Deno's permissions would confine it, it is started only with consent; see `ProcessSpec.consent`.
     */
    readonly start: (spec: ProcessSpec) => Effect.Effect<PluginProcess.PluginProcess, PluginError, Scope.Scope>
    /** How plugins would be confined if they were started now. */
    readonly confinement: Effect.Effect<HostConfinement, Tools.DenoMissing | Tier.SandboxUnavailable>
  }
}

/** `PluginHost.Service`, under a shorter name where this module is imported as a namespace. */
export type Service = PluginHost.Service

/**
 * The confinement of plugins, and whether the user of the host consents to starting any plugin that only Deno's
 * permissions confine (`isConsented`).
 */
export interface HostConfinement extends Tier.ChosenTier {
  readonly isConsented: boolean
}

/** Options for confining plugins on this machine. */
export interface HostOptions {
  /**
   * The sandbox tier. If a required tier is not available, that is an error. Default: `auto`, the strongest tier
   * available.
   */
  readonly sandbox?: Tier.WantedTier
  /**
   * `flags` consents to starting every plugin, even if only Deno's permissions confine it. `sandbox: "flags"` implies
   * this consent. Default: without a second layer, only plugins that ship with Hindcast are started, and plugins whose
   * start somebody consented to earlier, according to the log.
   */
  readonly consent?: "flags"
  /** Limits of each process, for values that its own specification leaves out. */
  readonly limits?: SandboxLimits
}

/** Options for confining plugins that judge tasks. */
export type JudgingHostOptions = Omit<HostOptions, "sandbox">

/** The schema of `HostOptions`. */
export const HostOptions = Options.of<HostOptions>({
  optional: { sandbox: Tier.WantedTier, consent: Consent.ConsentOption, limits: SandboxLimits },
}).annotations({ description: "an object with sandbox, consent or limits" })

/** The schema of `JudgingHostOptions`. Plugins that judge tasks always run in the strongest tier available. */
export const JudgingHostOptions = Options.of<JudgingHostOptions>({
  optional: { consent: Consent.ConsentOption, limits: SandboxLimits },
}).annotations({ description: "an object with consent or limits" })

/**
 * Starts plugins as Deno processes on this machine. The machine's tools are looked up once, at first use. If a tier is
 * required, they are looked up immediately, so that a kernel without that tier does not start.
 */
export const layerOf = (
  options: HostOptions,
): Layer.Layer<PluginHost, Options.InvalidOptions | Tier.SandboxUnavailable> =>
  Layer.effect(
    PluginHost,
    Effect.gen(function* () {
      const decoded = yield* Options.decode("PluginHost.layerOf", HostOptions, options, ["host"])
      const { sandbox = "auto", consent, limits } = decoded
      const hostConsents = sandbox === "flags" || consent === "flags"
      const found = yield* Effect.cached(chooseTier(sandbox))
      if (sandbox !== "auto") yield* Effect.catchTag(found, "DenoMissing", requiredTierMissing(sandbox))
      return {
        confinement: Effect.map(found, ({ chosen }) => ({ ...chosen, isConsented: hostConsents })),
        start: (spec) =>
          Effect.gen(function* () {
            const { tools, chosen } = yield* found.pipe(
              Effect.catchTag(
                "DenoMissing",
                ({ message }) => new PluginUnavailable({ plugin: spec.manifest.name, reason: message }),
              ),
            )
            if (Consent.isNeeded(chosen.layer)) yield* assertConsent(spec, chosen, hostConsents)
            const limited = { ...spec, limits: { ...limits, ...spec.limits } }
            return yield* startProcess(limited, { tools, layer: chosen.layer, libraries: chosen.libraries })
          }),
      }
    }),
  )

/** What runs a process is loaded with the first one: many programs start none. */
const startProcess = (...args: Parameters<typeof PluginProcess.make>) =>
  Effect.flatMap(
    Effect.promise(() => import("./PluginProcess.ts")),
    ({ make }) => make(...args),
  )

/** Fails if nobody consented, or if the consent cannot be looked up. */
const assertConsent = ({ manifest, consent }: ProcessSpec, { why, improve }: Tier.ChosenTier, hostConsents: boolean) =>
  Effect.gen(function* () {
    const { name: plugin, version } = manifest
    const isGiven = yield* (consent?.(hostConsents) ?? Effect.succeed(hostConsents)).pipe(
      Effect.mapError((cause) => {
        const found = cause instanceof Error ? cause.message : String(cause)
        return new PluginUnavailable({
          plugin,
          reason: `whether somebody consented to its start is not known: ${found}`,
        })
      }),
    )
    if (isGiven === true) return
    const better = improve === undefined ? {} : { improve }
    return yield* new Consent.SandboxConsentMissing({ plugin, version, why, ...better })
  })

/**
 * A host that starts plugins in a given layer, regardless of what else the machine has, and with consent to everything.
 * For tests of one layer after the other.
 */
export const layerIn = (confining: AvailableLayer, limits: SandboxLimits = {}): Layer.Layer<PluginHost> => {
  const { layer, libraries } = confining
  const why = "it was chosen by the program"
  return Layer.succeed(PluginHost, {
    confinement: Effect.succeed({ tier: Tier.tierOf(layer), layer, libraries, why, isConsented: true }),
    start: (spec) => startProcess({ ...spec, limits: { ...limits, ...spec.limits } }, confining),
  })
}

/** Starts plugins in the strongest tier of this machine. */
export const layer: Layer.Layer<PluginHost> = Layer.orDie(layerOf({}))

const chooseTier = (sandbox: Tier.WantedTier) =>
  Effect.flatMap(Tools.find, (tools) => Effect.map(Tier.choose(tools, sandbox), (chosen) => ({ tools, chosen })))

const requiredTierMissing =
  (wanted: Tier.Tier) =>
  ({ message }: Tools.DenoMissing) =>
    new Tier.SandboxUnavailable({ wanted, found: "there is no Deno to confine", remedy: message })
