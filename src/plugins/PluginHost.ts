import { Context, Effect, Layer, type Scope } from "effect"
import { type PluginError, PluginUnavailable } from "./PluginError.ts"
import * as PluginProcess from "./PluginProcess.ts"
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

/** Starts plugins as Deno processes on this machine. What the machine has for that is looked up once, at first use. */
export const layer: Layer.Layer<PluginHost> = Layer.effect(
  PluginHost,
  Effect.map(Effect.cached(Tools.find), (tools) => ({
    start: (spec) =>
      Effect.flatMap(
        Effect.mapError(tools, (reason) => new PluginUnavailable({ plugin: spec.manifest.name, reason })),
        (found) => PluginProcess.make(spec, found),
      ),
  })),
)
