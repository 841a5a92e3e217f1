/** Locates files of the installed package, and runs this program in a process of its own. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Data, Effect } from "effect"
import { main } from "./CommandHints.ts"

/** The package's root: three levels above both `src/cli/command` and `dist/cli/command`. */
const root = fileURLToPath(new URL("../../..", import.meta.url))

export const inPackage = (...names: ReadonlyArray<string>): string => path.resolve(root, ...names)

/** The directory that the demo's plugins read: the repository in a checkout of Hindcast, else the working directory. */
export const workspace = (): string => (fs.existsSync(inPackage(".git")) ? inPackage() : process.cwd())

export class OwnProgramFailed extends Data.TaggedError("OwnProgramFailed")<{
  readonly args: ReadonlyArray<string>
  readonly reason: string
}> {
  override get message() {
    return `\`hindcast ${this.args.join(" ")}\` failed: ${this.reason}`
  }
}

/** Runs a command of this program in a process of its own. Returns its output, wrapped to `columns` if given. */
export const run = (args: ReadonlyArray<string>, columns?: number): Effect.Effect<string, OwnProgramFailed> =>
  Effect.tryPromise({
    try: (signal) => {
      const env = { ...process.env, COLUMNS: columns === undefined ? undefined : String(columns) }
      return promisify(execFile)(process.execPath, [main, ...args], { signal, env })
    },
    catch: (cause) => new OwnProgramFailed({ args, reason: cause instanceof Error ? cause.message : String(cause) }),
  }).pipe(Effect.map(({ stdout }) => stdout.trimEnd()))
