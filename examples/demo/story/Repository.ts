/** The small repository with a failing test that the demo's agents fix. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { inPackage } from "../../PackageFiles.ts"

const TESTS = "prices.test.mjs"

export const FILES = ["prices.mjs", TESTS] as const

const TESTS_MS = 20_000

/** Copies the unfixed repository into a directory of this name. Returns its path. */
export const copyInto = (directory: string, name: string) =>
  Effect.sync(() => {
    const copy = path.join(directory, name)
    fs.cpSync(inPackage("examples", "coding-agent", "repository"), copy, { recursive: true })
    return copy
  })

/** The result of the tests. The same files give the same result in any place. */
export interface TestResult {
  readonly passing: number
  /** A line for each failing test, or for tests that did not run. */
  readonly failing: ReadonlyArray<string>
}

export const runTests = (directory: string): Promise<TestResult> =>
  new Promise((resolve) => {
    // A model may have written the tests, so they get no keys.
    const options = { cwd: directory, timeout: TESTS_MS, encoding: "utf8", env: {} } as const
    execFile(process.execPath, [TESTS], options, (error, stdout) => {
      const said = (word: string) =>
        stdout.split("\n").flatMap((line) => (line.startsWith(word) ? [line.slice(word.length).trim()] : []))
      const failing = said("not ok ")
      const isSilent = error !== null && failing.length === 0
      resolve({ passing: said("ok ").length, failing: isSilent ? ["the tests did not run to their end"] : failing })
    })
  })

export const readFile = (directory: string, name: (typeof FILES)[number]): string =>
  fs.readFileSync(path.join(directory, name), "utf8")

export const writeFile = (directory: string, name: (typeof FILES)[number], content: string) => {
  fs.writeFileSync(path.join(directory, name), content)
  return { path: name, bytes: Buffer.byteLength(content) }
}
