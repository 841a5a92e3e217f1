import * as fs from "node:fs"
import type { Reporter, TestModule } from "vitest/node"

/**
 * A file that takes the names of the files of tests that failed, a line each: for whoever tries them again. It is not written where an
 * error belongs to no test, which trying files again would not repeat.
 */
const FAILED = "HINDCAST_TEST_FAILED"

/** Ends a run with one plain line of true counts, for machines that read only that. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const state = test.result().state
        if (state !== "pending") counts[state] += 1
      }
      // A file that does not load has no tests of its own to fail, nor has a `describe` whose hook throws.
      for (const part of [module, ...module.children.allSuites()]) {
        if (part.errors().length > 0) counts.failed += 1
      }
    }
    counts.failed += unhandledErrors.length
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""
    process.once("exit", () => process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`))
    const file = process.env[FAILED]
    if (file === undefined || unhandledErrors.length > 0) return
    const failed = modules.filter((module) => module.state() === "failed")
    fs.writeFileSync(file, failed.map(({ moduleId }) => `${moduleId}\n`).join(""))
  }
}
