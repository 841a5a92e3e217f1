/** A plugin's manifest, `looper-plugin.json`: its schema, its checks and how a plugin is loaded. */
export type { ManifestIssue } from "./characterChecks.ts"
export * from "./decode.ts"
export * from "./guide.ts"
export * from "./jsonSchema.ts"
export * from "./load.ts"
export * from "./schema.ts"
export type { SourceLocation } from "./sourceLocations.ts"
export { STEP, type WorldFacts, withWorld, worldOf } from "./world.ts"
