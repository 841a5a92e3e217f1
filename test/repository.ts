import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A file or directory of the repository. What the build makes is in `built.ts`. */
export const inRepository = (...names: ReadonlyArray<string>): string => path.join(root, ...names)
