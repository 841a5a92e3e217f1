/** A plugin's manifest, `looper-plugin.json`: what it may say, how it is checked, and how a plugin is loaded. */
export type { ManifestIssue } from "./characterChecks.ts"
export * from "./decode.ts"
export * from "./jsonSchema.ts"
export * from "./load.ts"
export * from "./schema.ts"
export type { SourceLocation } from "./sourceLocations.ts"
