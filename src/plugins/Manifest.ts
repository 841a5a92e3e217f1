/** A plugin's manifest, `looper-plugin.json`: what it may say, how it is checked, and how a plugin is loaded. */
export * from "./manifest/decode.ts"
export * from "./manifest/jsonSchema.ts"
export * from "./manifest/load.ts"
export type { Place } from "./manifest/places.ts"
export * from "./manifest/schema.ts"
