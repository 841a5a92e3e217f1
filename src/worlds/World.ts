/**
 * A world: an environment that can be stepped. Exports its handle, its errors, and `open`, which runs it on a kernel.
 */

export { open, type WorldOptions } from "./handle/PluginWorld.ts"
export * from "./handle/World.ts"
export * from "./handle/WorldError.ts"
