import { Context, Effect, Layer, type Scope } from "effect"
import { type PluginError, PluginUnavailable } from "./PluginError.ts"
import * as PluginProcess from "./PluginProcess.ts"
import type { Confining } from "./Sandbox.ts"
import type { SandboxLimits } from "./sandbox/Limits.ts"
import * as Tier from "./sandbox/Tier.ts"
import * as Tools from "./Tools.ts"

/** Starts plugins. Another layer of this service can answer from a recording instead. */
export class PluginHost extends Context.Tag("hindcast/PluginHost")<
  PluginHost,
  {
    /** Starts a plugin's process and completes the handshake; closing the scope stops it for sure. */
    readonly start: (
      spec: PluginProcess.ProcessSpec,
    ) => Effect.Effect<PluginProcess.PluginProcess, PluginError, Scope.Scope>
  }
>() {}

/** How plugins are confined on this machine. */
export interface HostOptions {
  /** The sandbox tier. What is required and not to be had is an error. Default: `auto`, the strongest there is. */
  readonly sandbox?: Tier.Wanted
  /** What bounds each process, where its own specification does not say. */
  readonly limits?: SandboxLimits
}

/**
 * Starts plugins as Deno processes on this machine. What the machine has for that is looked up once: at first use, or at
 * once where a tier is required, so that a kernel does not start without it.
 */
export const layerOf = (options: HostOptions): Layer.Layer<PluginHost, Tier.SandboxUnavailable> =>
  Layer.effect(
    PluginHost,
    Effect.gen(function* () {
      const { sandbox = "auto", limits } = options
      const confining = yield* Effect.cached(confiningOf(sandbox))
      if (sandbox !== "auto") yield* Effect.catchTag(confining, "DenoMissing", required(sandbox))
      return {
        start: (spec) =>
          Effect.flatMap(
            Effect.catchTag(
              confining,
              "DenoMissing",
              ({ message }) => new PluginUnavailable({ plugin: spec.manifest.name, reason: message }),
            ),
            (found) => PluginProcess.make({ ...spec, limits: { ...limits, ...spec.limits } }, found),
          ),
      }
    }),
  )

/** Starts plugins in the strongest tier that this machine has. */
export const layer: Layer.Layer<PluginHost> = Layer.orDie(layerOf({}))

const confiningOf = (sandbox: Tier.Wanted): Effect.Effect<Confining, Tools.DenoMissing | Tier.SandboxUnavailable> =>
  Effect.flatMap(Tools.find, (tools) => Effect.map(Tier.choose(tools, sandbox), ({ tier }) => ({ tools, tier })))

const required =
  (wanted: Tier.Tier) =>
  ({ message }: Tools.DenoMissing) =>
    new Tier.SandboxUnavailable({ wanted, found: "there is no Deno to confine", remedy: message })
