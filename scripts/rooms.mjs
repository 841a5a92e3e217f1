/**
 * `node scripts/rooms.mjs`, part of `npm run check`: requires at most `MOST` modules per folder of `src/`,
 * `examples/demo/` and `examples/season/`, an opening comment in every module, and service types named like
 * `EventLog.Service`, not derived from tags.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const MOST = 18

const root = fileURLToPath(new URL("..", import.meta.url))
const folders = ["src", "examples/demo", "examples/season"]
  .map((house) => path.join(root, house))
  .flatMap((house) => [house, ...fs.readdirSync(house, { recursive: true }).map((name) => path.join(house, name))])
const crowded = folders
  .filter((place) => fs.statSync(place).isDirectory())
  .map((folder) => [path.relative(root, folder), fs.readdirSync(folder).filter((name) => name.endsWith(".ts"))])
  .filter(([, modules]) => modules.length > MOST)

for (const [folder, modules] of crowded) {
  console.error(`${folder}: expected at most ${MOST} modules on one level, found ${modules.length}. Give it rooms.`)
}

const unopened = folders.filter(
  (file) => file.endsWith(".ts") && !/^(#!.*\n)?\/\*\*/.test(fs.readFileSync(file, "utf8")),
)
for (const file of unopened) {
  console.error(`${path.relative(root, file)}: expected a comment first that says what it holds, found none.`)
}

const derived = folders.filter(
  (file) => file.endsWith(".ts") && /Context\.Tag\.Service<|typeof \w+\.Service\b/.test(fs.readFileSync(file, "utf8")),
)
for (const file of derived) {
  console.error(
    `${path.relative(root, file)}: expected the type of a service by its name, such as \`EventLog.Service\`, found one derived from its tag.`,
  )
}
process.exitCode = crowded.length + unopened.length + derived.length === 0 ? 0 : 1
