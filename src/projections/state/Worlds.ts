/**
 * The worlds of a scope with their views. Documents and manifests come from the same moment, so the past is drawn by
 * the plugin's version of that time.
 */

import type { Either } from "effect"
import { type Json, valueAt } from "../../values/Json.ts"
import type { InvalidOptions } from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as View from "../../views/View.ts"
import type { Scope } from "./EnvironmentState.ts"
import type { PluginRegistry } from "./PluginRegistry.ts"

/** A plugin's world with a view, at a moment. */
export interface World {
  readonly plugin: string
  readonly document: Json
  /** The view, or its flaws if another version of Hindcast accepted it. */
  readonly view: Either.Either<View.View, InvalidOptions>
  /** Whether the document no longer follows its events (see `OutOfStep`). */
  readonly outOfStep: boolean
}

/** The worlds of a scope that have a view, by plugin name. */
export const worldsOf = (
  { environment, outOfStep = {} }: Pick<Scope, "environment" | "outOfStep">,
  registry: PluginRegistry,
): ReadonlyArray<World> =>
  Object.entries(environment)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([plugin, document]) => {
      const view = valueAt(SafeRecord.get(registry, plugin)?.manifest ?? {}, ["peas", "environment", "view"])
      if (view === undefined) return []
      return [{ plugin, document, view: View.decode(view), outOfStep: Object.hasOwn(outOfStep, plugin) }]
    })
