/** A world: an environment that can be stepped. Its handle, its errors, and how one is opened on a kernel. */

export { open, type WorldOptions } from "./handle/PluginWorld.ts"
export * from "./handle/World.ts"
export * from "./handle/WorldError.ts"
