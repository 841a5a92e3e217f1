import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { PACKAGE } from "../built.ts"

/** A project of somebody's, with nothing around it that counts. */
export const makeProject = (): { readonly directory: string; readonly remove: () => void } => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-project-")))
  fs.writeFileSync(path.join(directory, "package.json"), '{ "private": true, "type": "module" }\n')
  return { directory, remove: () => fs.rmSync(directory, { recursive: true, force: true }) }
}

/** Runs a program to its end; throws what it printed where it fails. */
export const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): string => {
  const { VITEST: _, NODE_OPTIONS: __, ...env } = process.env
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? status}\n${stdout}${stderr}`)
  return stdout
}

const PROGRAM = `import * as Hindcast from "hindcast"
import type { Plugin } from "hindcast/plugin"
import * as Promises from "hindcast/promise"
import * as Projections from "hindcast/projections"
import * as Testing from "hindcast/testing"
import * as Worlds from "hindcast/worlds"

export const all: ReadonlyArray<unknown> = [Hindcast, Projections, Promises, Testing, Worlds]
export type Mine = Plugin
export const opened: Promise<Promises.Hindcast> = Promises.open({ log: "log.db" })
`

/**
 * Compiles a program that imports all of Hindcast, with nothing but the language's own library: no DOM, no types of Node. Answers
 * with the errors in Hindcast's declarations and in the program. (Those of `effect` ask for DOM's types or Node's.)
 *
 * @param tsc the compiler's path
 */
export const errorsOf = (tsc: string): ReadonlyArray<string> => {
  const { directory, remove } = makeProject()
  try {
    fs.mkdirSync(path.join(directory, "node_modules"))
    fs.symlinkSync(PACKAGE, path.join(directory, "node_modules", "hindcast"))
    fs.writeFileSync(path.join(directory, "program.ts"), PROGRAM)
    const language = { target: "ES2022", lib: ["ES2022"], types: [], module: "NodeNext", moduleResolution: "NodeNext" }
    const compilerOptions = { ...language, strict: true, skipLibCheck: false, noEmit: true }
    fs.writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }))
    const args = [tsc, "-p", directory, "--pretty", "false", "--listFiles"]
    const { stdout } = spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8" })
    const lines = stdout.split("\n")
    if (!lines.some((line) => line.endsWith("/dist/index.d.ts"))) throw new Error(`nothing was compiled: ${stdout}`)
    return lines.filter((line) => /error TS/.test(line) && !line.includes("node_modules/"))
  } finally {
    remove()
  }
}
