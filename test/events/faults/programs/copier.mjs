/**
 * Copies a log, and tells, as a line of JSON, what was copied or why not, and which files are there then.
 *
 * Input: { action: "backup" | "restore", options, limit?, dies? }: limit, how many bytes a file may have at most; dies, whether the
 * process is killed when the first pages were copied.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either } from "effect"
import { backup, restore } from "../../../../dist/events/index.js"

const { action, options, limit, dies } = JSON.parse(fs.readFileSync(0, "utf8"))

const onPages = () => {
  process.kill(process.pid, "SIGKILL")
  // The signal may take a moment, and nothing more may happen.
  for (;;);
}

if (limit !== undefined) execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${limit}:`])
const copy = { backup, restore }[action]
const answer = await Effect.runPromise(Effect.either(copy({ ...options, ...(dies ? { onPages } : {}) })))
const told = Either.match(answer, {
  onLeft: ({ _tag, message }) => ({ tag: _tag, message }),
  onRight: ({ head }) => ({ tag: "Copied", message: `@${head.position}` }),
})
fs.writeSync(1, `${JSON.stringify({ ...told, files: fs.readdirSync(path.dirname(options.to)).sort() })}\n`)
