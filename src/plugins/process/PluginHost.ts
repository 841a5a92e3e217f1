import { Context, Effect, Layer, type Scope } from "effect"
import * as Options from "../../values/Options.ts"
import { PluginUnavailable } from "../PluginError.ts"
import * as Consent from "../sandbox/Consent.ts"
import { SandboxLimits } from "../sandbox/Limits.ts"
import type { Confining } from "../sandbox/Sandbox.ts"
import * as Tier from "../sandbox/Tier.ts"
import * as Tools from "../sandbox/Tools.ts"
import type { PluginError } from "./PluginProcess.ts"
import * as PluginProcess from "./PluginProcess.ts"

/** Starts plugins. Another layer of this service can answer from a recording instead. */
export class PluginHost extends Context.Tag("hindcast/PluginHost")<
  PluginHost,
  {
    /**
     * Starts a plugin's process and completes the handshake; closing the scope stops it for sure. Where nothing but Deno's
     * permissions would confine it, it is started only with consent: see `ProcessSpec.consent`.
     */
    readonly start: (
      spec: PluginProcess.ProcessSpec,
    ) => Effect.Effect<PluginProcess.PluginProcess, PluginError, Scope.Scope>
    /** How plugins would be confined if they were started now. */
    readonly standing: Effect.Effect<ConsentPolicy, Tools.DenoMissing | Tier.SandboxUnavailable>
  }
>() {}

/** How plugins are confined, and whether whoever runs the host consents where it is by Deno's permissions alone. */
export interface ConsentPolicy extends Tier.ChosenTier {
  readonly said: boolean
}

/** How plugins are confined on this machine. */
export interface HostOptions {
  /** The sandbox tier. What is required and not to be had is an error. Default: `auto`, the strongest there is. */
  readonly sandbox?: Tier.Wanted
  /**
   * `flags` consents to starting every plugin also where nothing but Deno's permissions confines it; asking for
   * `sandbox: "flags"` does so as well. Default: only those start there that were shipped with Hindcast, and those to which
   * somebody consented before, as the log says.
   */
  readonly consent?: "flags"
  /** What bounds each process, where its own specification does not say. */
  readonly limits?: SandboxLimits
}

/** How plugins are confined that judge tasks. */
export type JudgingHostOptions = Omit<HostOptions, "sandbox">

/** Their schema. */
export const HostOptions = Options.of<HostOptions>({
  optional: { sandbox: Tier.Wanted, consent: Consent.ConsentOption, limits: SandboxLimits },
}).annotations({ description: "an object with sandbox, consent or limits" })

/** The same where plugins judge tasks: in the strongest tier that there is. */
export const JudgingHostOptions = Options.of<JudgingHostOptions>({
  optional: { consent: Consent.ConsentOption, limits: SandboxLimits },
}).annotations({ description: "an object with consent or limits" })

/**
 * Starts plugins as Deno processes on this machine. What the machine has for that is looked up once: at first use, or at
 * once where a tier is required, so that a kernel does not start without it.
 */
export const layerOf = (
  options: HostOptions,
): Layer.Layer<PluginHost, Options.InvalidOptions | Tier.SandboxUnavailable> =>
  Layer.effect(
    PluginHost,
    Effect.gen(function* () {
      const decoded = yield* Options.decode("PluginHost.layerOf", HostOptions, options, ["host"])
      const { sandbox = "auto", consent, limits } = decoded
      const said = sandbox === "flags" || consent === "flags"
      const found = yield* Effect.cached(look(sandbox))
      if (sandbox !== "auto") yield* Effect.catchTag(found, "DenoMissing", required(sandbox))
      return {
        standing: Effect.map(found, ({ chosen }) => ({ ...chosen, said })),
        start: (spec) =>
          Effect.gen(function* () {
            const { tools, chosen } = yield* found.pipe(
              Effect.catchTag(
                "DenoMissing",
                ({ message }) => new PluginUnavailable({ plugin: spec.manifest.name, reason: message }),
              ),
            )
            if (Consent.isNeeded(chosen.layer)) yield* permitted(spec, chosen, said)
            const limited = { ...spec, limits: { ...limits, ...spec.limits } }
            return yield* PluginProcess.make(limited, { tools, layer: chosen.layer, libraries: chosen.libraries })
          }),
      }
    }),
  )

/** Fails where nobody consented; also where it cannot be found out whether somebody did. */
const permitted = (
  { manifest, consent }: PluginProcess.ProcessSpec,
  { why, improve }: Tier.ChosenTier,
  said: boolean,
) =>
  Effect.gen(function* () {
    const { name: plugin, version } = manifest
    const given = yield* (consent?.(said) ?? Effect.succeed(said)).pipe(
      Effect.mapError((cause) => {
        const found = cause instanceof Error ? cause.message : String(cause)
        return new PluginUnavailable({
          plugin,
          reason: `whether somebody consented to its start is not known: ${found}`,
        })
      }),
    )
    if (given === true) return
    const better = improve === undefined ? {} : { improve }
    return yield* new Consent.SandboxConsentMissing({ plugin, version, why, ...better })
  })

/** Starts plugins in this layer, whatever the machine has besides, with everybody's consent: for tests of one layer after the other. */
export const layerIn = (confining: Confining, limits: SandboxLimits = {}): Layer.Layer<PluginHost> => {
  const { layer, libraries } = confining
  const why = "it was chosen by the program"
  return Layer.succeed(PluginHost, {
    standing: Effect.succeed({ tier: Tier.tierOf(layer), layer, libraries, why, said: true }),
    start: (spec) => PluginProcess.make({ ...spec, limits: { ...limits, ...spec.limits } }, confining),
  })
}

/** Starts plugins in the strongest tier that this machine has. */
export const layer: Layer.Layer<PluginHost> = Layer.orDie(layerOf({}))

const look = (sandbox: Tier.Wanted) =>
  Effect.flatMap(Tools.find, (tools) => Effect.map(Tier.choose(tools, sandbox), (chosen) => ({ tools, chosen })))

const required =
  (wanted: Tier.Tier) =>
  ({ message }: Tools.DenoMissing) =>
    new Tier.SandboxUnavailable({ wanted, found: "there is no Deno to confine", remedy: message })
