import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

/** One run of vitest: its last line, how it ends, and the files that it names as failed. */
interface Run {
  readonly line: string
  readonly code: number
  readonly failed?: ReadonlyArray<string>
}

/** What `.ci/suite` comes to where its first run of vitest, and each one after it, ends like this. */
const suite = (first: Run, again: Run) =>
  Effect.map(temporaryDirectory, (directory) => {
    const script = ({ line, code, failed }: Run) => {
      const naming = failed === undefined ? "" : `printf '%s\\n' ${failed.join(" ")} > "$HINDCAST_TEST_FAILED"; `
      return `${naming}echo '${line}'; exit ${code}`
    }
    const npx = `#!/usr/bin/env bash
if [ -e "${directory}/ran" ]; then ${script(again)}; fi
touch "${directory}/ran"
${script(first)}
`
    fs.writeFileSync(path.join(directory, "npx"), npx, { mode: 0o755 })
    const { status, stdout } = spawnSync(inRepository(".ci", "suite"), {
      env: { ...process.env, PATH: `${directory}:${process.env.PATH}` },
      encoding: "utf8",
    })
    return { status, last: stdout.trimEnd().split("\n").at(-1), told: stdout }
  })

const ONE_FAILED: Run = { line: "11 passed, 1 failed", code: 1, failed: ["a.test.ts"] }

describe.skipIf(process.platform === "win32")(".ci/suite", () => {
  it.scoped("a file that failed and holds alone passes, and is named", () =>
    Effect.gen(function* () {
      const { status, last, told } = yield* suite(ONE_FAILED, { line: "3 passed, 0 failed", code: 0 })
      expect({ status, last }).toEqual({ status: 0, last: "12 passed, 0 failed" })
      expect(told).toContain("FAILED AT FIRST, and held alone: a.test.ts")
    }),
  )

  it.scoped("a file that fails again fails, with as many tests as fail alone", () =>
    Effect.gen(function* () {
      const { status, last } = yield* suite(ONE_FAILED, { line: "1 passed, 2 failed", code: 1 })
      expect({ status, last }).toEqual({ status: 1, last: "10 passed, 2 failed" })
    }),
  )

  it.scoped("a file that fails again without a failed test fails", () =>
    Effect.gen(function* () {
      const { status, last } = yield* suite(ONE_FAILED, { line: "12 passed, 0 failed", code: 1 })
      expect({ status, last }).toEqual({ status: 1, last: "11 passed, 1 failed" })
    }),
  )

  it.scoped("a run that names no file fails, and nothing is tried again", () =>
    Effect.gen(function* () {
      const unnamed = { line: "11 passed, 1 failed", code: 1 }
      const { status, told } = yield* suite(unnamed, { line: "12 passed, 0 failed", code: 0 })
      expect(status).toBe(1)
      expect(told).not.toContain("once more")
    }),
  )
})

/** What a run of vitest over files of tests ends with, by `summary.ts`. */
const summaryOf = (files: { readonly [name: string]: string }) =>
  Effect.map(temporaryDirectory, (directory) => {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), text)
    const named = path.join(directory, "failed")
    const args = ["run", "--globals", "--root", directory, "--reporter", inRepository("test", "summary.ts")]
    const { status, stdout } = spawnSync(process.execPath, [inRepository("node_modules/vitest/vitest.mjs"), ...args], {
      env: { PATH: process.env.PATH, HINDCAST_TEST_FAILED: named },
      encoding: "utf8",
    })
    const failed = fs.existsSync(named) ? fs.readFileSync(named, "utf8").trim().split("\n") : undefined
    return { status, last: stdout.trimEnd().split("\n").at(-1), failed: failed?.map((file) => path.basename(file)) }
  })

const HOLDS = `it("holds", () => undefined)\n`
const FAILS = `it("fails", () => { throw new Error("no") })\n`

describe("the last line of a run of tests", () => {
  it.scopedLive("counts a hook that throws, and names its file", () =>
    Effect.gen(function* () {
      const hook = `describe("d", () => { afterAll(() => { throw new Error("no") }); ${HOLDS} })`
      const found = yield* summaryOf({ "a.test.ts": hook, "b.test.ts": HOLDS })
      expect(found).toEqual({ status: 1, last: "2 passed, 1 failed", failed: ["a.test.ts"] })
    }),
  )

  it.scopedLive("counts an error that belongs to no test, and names no file to try again", () =>
    Effect.gen(function* () {
      const rejecting = `${HOLDS}it("leaves", () => { Promise.reject(new Error("nobody's")) })\n`
      const found = yield* summaryOf({ "a.test.ts": rejecting, "b.test.ts": FAILS })
      expect(found).toEqual({ status: 1, last: "2 passed, 2 failed", failed: undefined })
    }),
  )
})
