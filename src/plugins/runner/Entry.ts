/** Imports a plugin's entry and checks what it exports. */

import type { Plugin } from "../author.ts"

/** Uses a computed `import`, so that the plugin's whole module graph is subject to permissions. */
export const importPlugin = async (entry: string): Promise<Plugin> => {
  const loaded: { readonly default?: unknown } = await import(entry)
  const plugin = loaded.default
  const wrong = findWrong(plugin)
  if (wrong !== undefined) throw new TypeError(`expected ${wrong}`)
  return plugin as Plugin
}

/** Says what is wrong with a default export, or returns undefined if it is a plugin. */
const findWrong = (plugin: unknown): string | undefined => {
  if (!isRecord(plugin)) return "the entry's default export to be an object with sensors, actuators or environment"
  for (const kind of ["sensors", "actuators", "measures"]) {
    const functions = plugin[kind]
    if (functions === undefined) continue
    if (!isRecord(functions)) return `${kind} to be an object of functions`
    const bad = Object.keys(functions).find((name) => typeof functions[name] !== "function")
    if (bad !== undefined) return `${kind}.${bad} to be a function`
  }
  const world = plugin.environment
  if (world === undefined) return undefined
  const isWorld = isRecord(world) && typeof world.reset === "function" && typeof world.state === "function"
  return isWorld ? undefined : "environment to be an object with the functions reset and state"
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The names of what a plugin exports. The host compares them with the manifest. */
export const exportsOf = ({ sensors, actuators, environment, measures }: Plugin) => ({
  sensors: Object.keys(sensors ?? {}),
  actuators: Object.keys(actuators ?? {}),
  environment: environment !== undefined,
  restores: typeof environment?.restore === "function",
  measures: Object.keys(measures ?? {}),
})
