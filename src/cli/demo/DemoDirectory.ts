/** The directory for the demo's copies of its repository. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, type Option } from "effect"
import { BadInput } from "../command/BadInput.ts"

export const place = (given: Option.Option<string>) =>
  given._tag === "Some" ? named(given.value) : Effect.acquireRelease(temporary, removed)

const named = (directory: string) =>
  Effect.suspend(() => {
    const absolute = path.resolve(directory)
    const found = fs.statSync(absolute, { throwIfNoEntry: false })
    const bad = (what: string) =>
      new BadInput({ input: `--directory ${directory}`, expected: "a new or an empty directory", found: what })
    if (found?.isDirectory() === false) return bad("a file")
    if (found !== undefined && fs.readdirSync(absolute).length > 0) return bad("one with files in it")
    fs.mkdirSync(absolute, { recursive: true })
    return Effect.succeed(fs.realpathSync(absolute))
  })

const temporary = Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-demo-"))))

const removed = (directory: string) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
