/** The versions that a log records: Hindcast's own and Deno's. */

import { createRequire } from "node:module"
import { Schema } from "effect"

const require = createRequire(import.meta.url)

const Package = Schema.Struct({ version: Schema.String })

const versionOf = (path: string): string => Schema.decodeUnknownSync(Package)(require(path)).version

/** Hindcast's version. `package.json` is two directories up, both in the sources and in the build. */
export const VERSION = versionOf("../../package.json")

/** The version of Deno that runs plugins. */
export const DENO_VERSION = versionOf("deno/package.json")
