/**
 * `node scripts/source-maps.mjs`, part of `npm run build`: keeps the lines in the source maps of `dist`, for stack
 * traces, and drops the columns: an eighth of the size, in a package without sources. The command line's bundle has no
 * map.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { linesOnly } from "./lines-only.mjs"

const dist = fileURLToPath(new URL("../dist", import.meta.url))
const ofCommandLine = path.join(dist, "cli") + path.sep

for (const name of fs.readdirSync(dist, { recursive: true })) {
  const file = path.join(dist, name)
  if (!file.endsWith(".js.map")) continue
  if (file.startsWith(ofCommandLine)) {
    const module = file.slice(0, -".map".length)
    fs.writeFileSync(module, fs.readFileSync(module, "utf8").replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"))
    fs.rmSync(file)
    continue
  }
  fs.writeFileSync(file, linesOnly(fs.readFileSync(file, "utf8")))
}
