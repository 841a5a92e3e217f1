/** Finds the world to play: an imported plugin, or a plugin in a directory, which it imports. */
import * as fs from "node:fs"
import { Effect } from "effect"
import { Kernel } from "../../kernel/Kernel.ts"
import { worldOf } from "../../plugins/manifest/world.ts"
import type { NamedAction } from "../../plugins/manifest/worldFields.ts"
import * as ShippedPlugins from "../../plugins/ShippedPlugins.ts"
import type { Space } from "../../plugins/spaces/Space.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { adviceOf, BadInput } from "../command/BadInput.ts"
import * as RunPlugins from "../task/RunPlugins.ts"

export interface WorldToPlay {
  readonly plugin: string
  readonly title: string
  readonly action: Space
  readonly actions: ReadonlyArray<NamedAction>
}

/**
 * Finds the plugin of that name, else the plugin in that directory, else a world that comes with Hindcast. Unless the
 * output is JSON, asks the user for a missing consent.
 */
export const find = (typed: string, json: boolean) =>
  Effect.gen(function* () {
    const { plugins } = yield* Kernel
    const imported = yield* plugins.state
    const known = SafeRecord.get(imported, typed) !== undefined
    const shipped = ShippedPlugins.findWorld(typed)
    const directory = isDirectory(typed) ? typed : shipped
    if (!known && directory === undefined) {
      return yield* new BadInput({
        input: "WORLD",
        expected: "a plugin's directory, or the name of an imported plugin or of a world that comes with Hindcast",
        found: JSON.stringify(typed),
        ...adviceOf(typed, [...new Set([...Object.keys(imported), ...ShippedPlugins.worlds()])]),
        missing: true,
      })
    }
    const name =
      known || directory === undefined ? typed : (yield* RunPlugins.importPlugin(directory, json)).manifest.name
    const { manifest } = yield* plugins.manifest(name)
    const world = worldOf(manifest)
    if (world === undefined) {
      return yield* new BadInput({
        input: "WORLD",
        expected: "a world: a plugin whose environment has spaces",
        found: `${name}, which has none`,
        advice: "`hindcast run` lets an agent work in it.",
      })
    }
    if (!json) yield* RunPlugins.askConsents([name])
    const found: WorldToPlay = {
      plugin: name,
      title: manifest.peas.environment?.name ?? name,
      action: world.spaces.action,
      actions: manifest.peas.environment?.actions ?? [],
    }
    return found
  })

const isDirectory = (typed: string): boolean => fs.statSync(typed, { throwIfNoEntry: false })?.isDirectory() === true
