import { createRequire } from "node:module"
import { Schema } from "effect"

const require = createRequire(import.meta.url)

const Package = Schema.Struct({ version: Schema.String })

const versionOf = (path: string): string => Schema.decodeUnknownSync(Package)(require(path)).version

/** Hindcast's own version. `package.json` stands two directories up, from the sources and from the build alike. */
export const VERSION = versionOf("../../package.json")

/** The version of the Deno that plugins run in. */
export const DENO_VERSION = versionOf("deno/package.json")
