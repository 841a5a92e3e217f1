import { spawnSync } from "node:child_process"
import type { TestProject } from "vitest/node"
import type {} from "./built.ts"
import { inRepository } from "./repository.ts"

/** Builds `dist/` before the tests run, where it is not built from the sources: tests of the command line start the real program. */
export default function build(project: TestProject): void {
  project.provide("isBuilt", true)
  const { status, stdout, stderr } = spawnSync(process.execPath, [inRepository("scripts", "build.mjs")], {
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(`dist/ cannot be built:\n${stdout}${stderr}`)
}
