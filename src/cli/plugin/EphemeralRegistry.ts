/** A temporary plugin registry, for checking a plugin without a log. */
import type { Option } from "effect"
import { Effect, Layer } from "effect"
import { layer as layerMemory } from "../../events/memory/MemoryEventLog.ts"
import * as PluginCopies from "../../kernel/registry/copies/PluginCopies.ts"
import * as Registry from "../../kernel/registry/Registry.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import * as OpenLog from "../command/OpenLog.ts"

/** A registry on an in-memory log. Its paths derive from the named log's path. */
export const registry = (log: Option.Option<string>, workspace: Option.Option<string>) =>
  Layer.unwrapEffect(
    Effect.map(OpenLog.workspaceOf(workspace), (workspace) =>
      Registry.layer({ directory: PluginCopies.directoryOf(OpenLog.shownOf(log)), workspace }),
    ),
  ).pipe(Layer.provide(Projector.layer), Layer.provide(layerMemory()))
