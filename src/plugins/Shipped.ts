/** Recognises the plugins of this package, by the digest of their files and never by name. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { Sha256 } from "../events/vocabulary/EventType.ts"
import { EMBEDDED } from "./Embedded.ts"

/** Display names of the shipped plugins, by digest. */
export type ShippedPlugins = ReadonlyMap<string, string>

/**
 * Reads the list that `npm run build` makes of `plugins/`, `packages/` and `examples/plugins/` (`scripts/shipped.mjs`).
 * If the list is missing or unreadable, no plugin counts as shipped.
 *
 * @param file Default: the embedded list in a build, the one in `dist` for the sources
 */
export const shippedPlugins = (file?: string): ShippedPlugins => {
  try {
    const list = file === undefined && EMBEDDED !== undefined ? EMBEDDED.shipped : read(file ?? listOfBuild())
    return new Map(Object.entries(decode(list)))
  } catch {
    return new Map()
  }
}

/** Whether the plugin with this digest ships with this package. */
export const isShipped = (digest: string): boolean => {
  known ??= shippedPlugins()
  return known.has(digest)
}

let known: ShippedPlugins | undefined

const decode = Schema.decodeUnknownSync(Schema.Record({ key: Sha256, value: Schema.String }))

const NAME = "shipped.json"

const read = (file: string): unknown => JSON.parse(fs.readFileSync(file, "utf8"))

/** Next to the compiled modules; the sources use the one in `dist`. */
const listOfBuild = (): string =>
  fileURLToPath(
    path.extname(import.meta.url) === ".ts"
      ? new URL(`../../dist/plugins/${NAME}`, import.meta.url)
      : new URL(NAME, import.meta.url),
  )
