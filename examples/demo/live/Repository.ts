/** The small repository with a failing test that the demo's agents mend. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { inPackage } from "../../PackageFiles.ts"

/** The program of the repository's tests. */
const TESTS = "prices.test.mjs"

/** Longest run of the tests, in milliseconds. */
const TESTS_MS = 20_000

/** Copies the repository, as it is before anybody mends it, into a directory of this name. Returns its path. */
export const copyInto = (directory: string, name: string) =>
  Effect.sync(() => {
    const copy = path.join(directory, name)
    fs.cpSync(inPackage("examples", "live", "repository"), copy, { recursive: true })
    return copy
  })

/** What the tests say, and whether all of them passed. The same files give the same result, wherever they are. */
export interface TestResult {
  readonly passed: boolean
  readonly output: string
}

/** Runs the tests of a repository. */
export const runTests = (directory: string): Promise<TestResult> =>
  new Promise((resolve) => {
    // The tests may have been written by a model: they are told no keys.
    const options = { cwd: directory, timeout: TESTS_MS, encoding: "utf8", env: {} } as const
    execFile(process.execPath, [TESTS], options, (error, stdout) => {
      resolve({ passed: error === null, output: stdout.trimEnd() || "the tests did not run" })
    })
  })

/** Longest file that is read, in bytes. */
const LONGEST_FILE = 64 * 1024

/** Reads a file of a repository. Throws if it is elsewhere, also by a link, or too long. */
export const readFile = (directory: string, name: string): string => {
  const file = fs.realpathSync(path.resolve(directory, name))
  if (!file.startsWith(directory + path.sep)) throw new Error(`expected a file of the repository, found ${name}`)
  if (fs.statSync(file).size > LONGEST_FILE) throw new Error(`expected at most ${LONGEST_FILE} bytes, found more`)
  return fs.readFileSync(file, "utf8")
}
