/** Finds files of the package `hindcast`: plugins, scenarios, agents and rubrics. */
import { createRequire } from "node:module"
import * as path from "node:path"

const root = path.dirname(createRequire(import.meta.url).resolve("hindcast/package.json"))

export const inPackage = (...names: ReadonlyArray<string>): string => path.join(root, ...names)
