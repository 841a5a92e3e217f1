/** The service that starts plugins in this machine's sandbox, with the user's consent. */
import { Context, Effect, Layer, type Scope } from "effect"
import * as Options from "../../values/Options.ts"
import type { Listing } from "../mcp/Listing.ts"
import { isLocal } from "../mcp/ServerEntry.ts"
import { PluginUnavailable } from "../PluginError.ts"
import * as Consent from "../sandbox/Consent.ts"
import { SandboxLimits } from "../sandbox/Limits.ts"
import type { AvailableLayer } from "../sandbox/Sandbox.ts"
import * as Tier from "../sandbox/Tier.ts"
import * as Tools from "../sandbox/Tools.ts"
import type * as PluginProcess from "./PluginProcess.ts"
import type { PluginError } from "./PluginProcess.ts"
import type { ProcessSpec } from "./ProcessSpec.ts"
import type * as ServerProcess from "./ServerProcess.ts"

/** Starts plugins. */
export class PluginHost extends Context.Tag("hindcast/PluginHost")<PluginHost, PluginHost.Service>() {}

/** Types of the service. */
export declare namespace PluginHost {
  /** A host of plugins. */
  export interface Service {
    /**
     * Starts a plugin's process and completes the handshake. Closing the scope stops the process. If only Deno's
     * permissions would confine it, starting needs consent; see `ProcessSpec.consent`.
     */
    readonly start: (spec: ProcessSpec) => Effect.Effect<PluginProcess.PluginProcess, PluginError, Scope.Scope>
    /** Starts or reaches an MCP server of the user's choice once, and lists what it offers. */
    readonly listServer: (input: ServerProcess.ListInput) => Effect.Effect<Listing, PluginError>
    /** The confinement of a plugin that would start now. */
    readonly confinement: Effect.Effect<HostConfinement, Tools.DenoMissing | Tier.SandboxUnavailable>
  }
}

/** `PluginHost.Service`, for modules that import this one as a namespace. */
export type Service = PluginHost.Service

/**
 * The confinement of plugins. `isConsented`: the host's user consents to every plugin that only Deno's permissions
 * confine.
 */
export interface HostConfinement extends Tier.ChosenTier {
  readonly isConsented: boolean
}

/** How to confine plugins on this machine. */
export interface HostOptions {
  /** Requiring a tier that the machine lacks is an error. Default: `auto`, the strongest available tier. */
  readonly sandbox?: Tier.WantedTier
  /**
   * `flags` consents to starting every plugin, even one that only Deno's permissions confine. `sandbox: "flags"`
   * implies it. Default: without a second layer, only plugins start that ship with Hindcast or that the log holds a
   * consent for.
   */
  readonly consent?: "flags"
  /** Defaults for limits that a process's specification omits. */
  readonly limits?: SandboxLimits
}

/** How to confine plugins that judge tasks. */
export type JudgingHostOptions = Omit<HostOptions, "sandbox">

/** Schema of `HostOptions`. */
export const HostOptions = Options.of<HostOptions>({
  optional: { sandbox: Tier.WantedTier, consent: Consent.ConsentOption, limits: SandboxLimits },
}).annotations({ description: "an object with sandbox, consent or limits" })

/** Schema of `JudgingHostOptions`. Plugins that judge tasks always run in the strongest available tier. */
export const JudgingHostOptions = Options.of<JudgingHostOptions>({
  optional: { consent: Consent.ConsentOption, limits: SandboxLimits },
}).annotations({ description: "an object with consent or limits" })

/**
 * Starts plugins as Deno processes. It looks up the machine's tools once, at first use; if a tier is required,
 * immediately, so that a kernel without that tier does not start.
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
      const foundFor = (plugin: string) =>
        Effect.catchTag(found, "DenoMissing", ({ message }) => new PluginUnavailable({ plugin, reason: message }))
      return {
        listServer: (input) =>
          isLocal(input.server)
            ? Effect.flatMap(foundFor(input.name), ({ tools, chosen }) => listServer(input, confiningBy(tools, chosen)))
            : listServer(input, undefined),
        confinement: Effect.map(found, ({ chosen }) => ({ ...chosen, isConsented: hostConsents })),
        start: (spec) =>
          Effect.gen(function* () {
            const { tools, chosen } = yield* foundFor(spec.manifest.name)
            const confining = confiningBy(tools, chosen)
            const limited = { ...spec, limits: { ...limits, ...spec.limits } }
            if (Consent.isNeeded(chosen.layer, spec.manifest.runtime)) yield* assertConsent(spec, chosen, hostConsents)
            return yield* spec.manifest.runtime === "mcp"
              ? startServer(limited, confining)
              : startProcess(limited, confining)
          }),
      }
    }),
  )

const confiningBy = (tools: Tools.Tools, { layer, libraries }: Tier.ChosenTier): AvailableLayer => ({
  tools,
  layer,
  libraries,
})

const serverProcess = Effect.promise(() => import("./ServerProcess.ts"))

const startServer = (...args: Parameters<typeof ServerProcess.make>) =>
  Effect.flatMap(serverProcess, ({ make }) => make(...args))

const listServer = (...args: Parameters<typeof ServerProcess.list>) =>
  Effect.flatMap(serverProcess, ({ list }) => list(...args))

/** Loaded at first use, because many programs start no plugin. */
const startProcess = (...args: Parameters<typeof PluginProcess.make>) =>
  Effect.flatMap(
    Effect.promise(() => import("./PluginProcess.ts")),
    ({ make }) => make(...args),
  )

/** Fails without consent, also if it cannot be looked up. */
const assertConsent = ({ manifest, consent }: ProcessSpec, { why, improve }: Tier.ChosenTier, hostConsents: boolean) =>
  Effect.gen(function* () {
    const { name: plugin, version } = manifest
    const isGiven = yield* (consent?.(hostConsents) ?? Effect.succeed(hostConsents)).pipe(
      Effect.mapError((cause) => {
        const found = cause instanceof Error ? cause.message : String(cause)
        return new PluginUnavailable({
          plugin,
          reason: `the consent to its start cannot be looked up: ${found}`,
        })
      }),
    )
    if (isGiven === true) return
    const better = improve === undefined ? {} : { improve }
    return yield* new Consent.SandboxConsentMissing({ plugin, version, why, runtime: manifest.runtime, ...better })
  })

/**
 * Starts plugins in a given layer, whatever else the machine has, and with consent to everything. For tests of each
 * layer.
 */
export const layerIn = (confining: AvailableLayer, limits: SandboxLimits = {}): Layer.Layer<PluginHost> => {
  const { layer, libraries } = confining
  const why = "it was chosen by the program"
  return Layer.succeed(PluginHost, {
    confinement: Effect.succeed({ tier: Tier.tierOf(layer), layer, libraries, why, isConsented: true }),
    listServer: (input) => listServer(input, confining),
    start: (spec) => {
      const limited = { ...spec, limits: { ...limits, ...spec.limits } }
      return spec.manifest.runtime === "mcp" ? startServer(limited, confining) : startProcess(limited, confining)
    },
  })
}

/** Starts plugins in the strongest tier of this machine. */
export const layer: Layer.Layer<PluginHost> = Layer.orDie(layerOf({}))

const chooseTier = (sandbox: Tier.WantedTier) =>
  Effect.flatMap(Tools.find, (tools) => Effect.map(Tier.choose(tools, sandbox), (chosen) => ({ tools, chosen })))

const requiredTierMissing =
  (wanted: Tier.Tier) =>
  ({ message }: Tools.DenoMissing) =>
    new Tier.SandboxUnavailable({ wanted, found: "Deno is missing", remedy: message })
