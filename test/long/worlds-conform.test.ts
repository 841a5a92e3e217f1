import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { checkWorld } from "../../src/testing.ts"
import { inRepository } from "../repository.ts"

const WORLDS = fs
  .readdirSync(inRepository("packages", "worlds"), { withFileTypes: true })
  .filter(
    (entry) =>
      entry.isDirectory() && fs.existsSync(inRepository("packages", "worlds", entry.name, "looper-plugin.json")),
  )
  .map(({ name }) => name)

describe("the worlds of packages/worlds", () => {
  it.each(WORLDS)(
    "%s passes the conformance checks, and goes on after it was restored",
    { timeout: 300_000 },
    async (name) => {
      const { findings } = await checkWorld(inRepository("packages", "worlds", name), { consent: "flags" })
      expect(findings.filter(({ status }) => status === "failed")).toEqual([])
      expect(findings.find((finding) => finding.name === "restore-continues")).toMatchObject({ status: "passed" })
    },
  )
})
