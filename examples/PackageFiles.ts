/** Finds files of the package `hindcast`: plugins, scenarios, agents and rubrics. */
import { createRequire } from "node:module"
import * as path from "node:path"

const root = path.dirname(createRequire(import.meta.url).resolve("hindcast/package.json"))

/** The path of a file or directory of the package. */
export const inPackage = (...names: ReadonlyArray<string>): string => path.join(root, ...names)
