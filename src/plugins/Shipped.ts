/** The plugins that ship with this package. They are recognised by the digest of their files, never by their names. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { Sha256 } from "../events/vocabulary/EventType.ts"

/** The names of the shipped plugins, for people, by the plugins' digests. */
export type ShippedPlugins = ReadonlyMap<string, string>

/**
 * Reads the list that `npm run build` makes of `plugins/` and `examples/plugins/` (`scripts/shipped.mjs`). If the list
 * is missing or unreadable, no plugin counts as shipped.
 *
 * @param file Default: the list beside the compiled modules
 */
export const shippedPlugins = (file = LIST): ShippedPlugins => {
  try {
    return new Map(Object.entries(decode(JSON.parse(fs.readFileSync(file, "utf8")))))
  } catch {
    return new Map()
  }
}

/** Whether a plugin with this digest ships with this package. */
export const isShipped = (digest: string): boolean => {
  known ??= shippedPlugins()
  return known.has(digest)
}

let known: ShippedPlugins | undefined

const decode = Schema.decodeUnknownSync(Schema.Record({ key: Sha256, value: Schema.String }))

const NAME = "shipped.json"

/** The list is beside the compiled modules. When the sources run, it is still the one in `dist`. */
const LIST = fileURLToPath(
  path.extname(import.meta.url) === ".ts"
    ? new URL(`../../dist/plugins/${NAME}`, import.meta.url)
    : new URL(NAME, import.meta.url),
)
