/**
 * `node scripts/rooms.mjs`, part of `npm run check`: no folder of `src/` holds more modules on one level than a reader
 * takes in at once.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const MOST = 18

const src = fileURLToPath(new URL("../src", import.meta.url))
const folders = [src, ...fs.readdirSync(src, { recursive: true }).map((name) => path.join(src, name))]
const crowded = folders
  .filter((place) => fs.statSync(place).isDirectory())
  .map((folder) => [
    path.relative(path.dirname(src), folder),
    fs.readdirSync(folder).filter((name) => name.endsWith(".ts")),
  ])
  .filter(([, modules]) => modules.length > MOST)

for (const [folder, modules] of crowded) {
  console.error(`${folder}: expected at most ${MOST} modules on one level, found ${modules.length}. Give it rooms.`)
}
process.exitCode = crowded.length === 0 ? 0 : 1
