/** Imports a plugin's entry and checks its exports. */

import type { Plugin, WorldPlugin } from "../author.ts"
import { isWorld } from "./world/ServedWorld.ts"

/** An entry's default export, with either kind of environment. */
export type AnyPlugin = Plugin | WorldPlugin

/** The import is computed, so that Deno's permissions apply to the plugin's whole module graph. */
export const importPlugin = async (entry: string): Promise<AnyPlugin> => {
  const loaded: { readonly default?: unknown } = await import(entry)
  const plugin = loaded.default
  const wrong = findWrong(plugin)
  if (wrong !== undefined) throw new TypeError(`expected ${wrong}`)
  return plugin as AnyPlugin
}

/** Describes why a default export is not a plugin. Undefined if it is one. */
const findWrong = (plugin: unknown): string | undefined => {
  if (!isRecord(plugin)) return "the entry's default export to be an object with sensors, actuators or environment"
  for (const kind of ["sensors", "actuators", "settle", "measures", "listeners"]) {
    const functions = plugin[kind]
    if (functions === undefined) continue
    if (!isRecord(functions)) return `${kind} to be an object of functions`
    const bad = Object.keys(functions).find((name) => typeof functions[name] !== "function")
    if (bad !== undefined) return `${kind}.${bad} to be a function`
  }
  const { provider } = plugin
  if (provider !== undefined && typeof provider !== "function") {
    if (!isRecord(provider) || typeof provider.generate !== "function") {
      return "provider to be an object with a function generate, or a class of such objects"
    }
  }
  const world = plugin.environment
  if (world === undefined) return undefined
  if (!isRecord(world) || typeof world.reset !== "function" || typeof world.state !== "function") {
    return "environment to be an object with the functions reset and state"
  }
  return world.step === undefined ? undefined : wrongWorld(world)
}

const wrongWorld = (world: { readonly [key: string]: unknown }): string | undefined => {
  const missing = ["step", "observe"].find((name) => typeof world[name] !== "function")
  if (missing !== undefined) return `environment.${missing} to be a function`
  const { mode } = world
  if (mode === undefined || mode === "parallel" || mode === "turn-based") return undefined
  return 'environment.mode to be "parallel" or "turn-based"'
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The exported components, including those of a world. The host compares them with the manifest. */
export const exportsOf = ({ sensors, actuators, environment, measures, settle, listeners, provider }: AnyPlugin) => {
  const world = isWorld(environment) ? environment : undefined
  return {
    sensors: [
      ...Object.keys(sensors ?? {}),
      ...(world === undefined ? [] : ["observation"]),
      ...(world?.mask === undefined ? [] : ["action_mask"]),
    ],
    actuators: [...Object.keys(actuators ?? {}), ...(world === undefined ? [] : ["step"])],
    environment: environment !== undefined,
    restores: typeof environment?.restore === "function",
    measures: Object.keys(measures ?? {}),
    settles: Object.keys(settle ?? {}),
    listeners: Object.keys(listeners ?? {}),
    ...(provider === undefined ? {} : { provider: true }),
  }
}
