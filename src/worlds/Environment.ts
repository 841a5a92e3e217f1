/** The environment of any plugin, with its sensors and actuators. HAL and PiaSE are adapters over it. */

export * from "./handle/Environment.ts"
export { NoSuchEnvironment, open, type PluginEnvironmentOptions } from "./handle/PluginEnvironment.ts"
