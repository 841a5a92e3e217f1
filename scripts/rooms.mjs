/**
 * `node scripts/rooms.mjs`, part of `npm run check`: requires at most `MOST` modules per folder of `src/`,
 * `examples/demo/` and `examples/season/`, an opening comment in every module, and service types named like
 * `EventLog.Service`, not derived from tags. Refuses markers of merge conflicts in every tracked file.
 */
import { spawnSync } from "node:child_process"
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

// Also as a formatter of Markdown rewrites them: quoted seven times, or as a row of a table.
const MARKER = "^(\\| *)?(<{7}|>{7}|[|]{7}) |^\\| *={7} |^[> |]*(> ){6}>( |$)"
const { status, stdout, stderr } = spawnSync("git", ["grep", "-nIE", MARKER], { cwd: root, encoding: "utf8" })
const conflicts = stdout.split("\n").filter((line) => line !== "")
for (const line of conflicts) {
  console.error(`${line.split(":", 2).join(":")}: expected a merged file, found a marker of a merge conflict.`)
}
// `git grep` exits with 1 if it finds nothing.
if (status !== 0 && status !== 1) console.error(`git grep failed: ${stderr}`)
const isMerged = status === 1

process.exitCode = crowded.length + unopened.length + derived.length === 0 && isMerged ? 0 : 1
