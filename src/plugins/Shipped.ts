/** The plugins that ship with this package. They are recognised by the digest of their files, never by their names. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { Sha256 } from "../events/vocabulary/EventType.ts"
import { EMBEDDED } from "./Embedded.ts"

/** The names of the shipped plugins, for people, by the plugins' digests. */
export type ShippedPlugins = ReadonlyMap<string, string>

/**
 * The list that `npm run build` makes of `plugins/`, `packages/` and `examples/plugins/` (`scripts/shipped.mjs`). Where it is missing or
 * cannot be read no plugin counts as shipped.
 *
 * @param file Default: what is embedded in the build; for the sources, the one in `dist`
 */
export const shippedPlugins = (file?: string): ShippedPlugins => {
  try {
    const list = file === undefined && EMBEDDED !== undefined ? EMBEDDED.shipped : read(file ?? listOfBuild())
    return new Map(Object.entries(decode(list)))
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

const read = (file: string): unknown => JSON.parse(fs.readFileSync(file, "utf8"))

/** The list's file: beside the compiled modules. If the sources run, the file in `dist` is used. */
const listOfBuild = (): string =>
  fileURLToPath(
    path.extname(import.meta.url) === ".ts"
      ? new URL(`../../dist/plugins/${NAME}`, import.meta.url)
      : new URL(NAME, import.meta.url),
  )
