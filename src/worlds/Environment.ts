/** The environment of any plugin, with its sensors and actuators: what HAL and PiaSE are adapters of. */

export * from "./handle/Environment.ts"
export { NoSuchEnvironment, open, type PluginEnvironmentOptions } from "./handle/PluginEnvironment.ts"
