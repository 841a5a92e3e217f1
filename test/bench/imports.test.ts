import * as fs from "node:fs"
import * as path from "node:path"
import { expect, it } from "vitest"
import { inRepository } from "../repository.ts"

/** Modules of the build that the bench imports, which no compiler checks. */
const imported = fs
  .readdirSync(inRepository("bench"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".mjs") && !file.includes("node_modules"))
  .flatMap((file) =>
    [...fs.readFileSync(inRepository("bench", file), "utf8").matchAll(/"(?:\.\.\/)+dist\/([^"]+)\.js"/g)].map(
      ([, module = ""]) => [path.join("bench", file), module] as const,
    ),
  )

it("imports modules that exist", () => {
  expect(imported.length).toBeGreaterThan(20)
  const missing = imported.filter(
    ([, module]) => !fs.existsSync(inRepository("src", `${module}.ts`)) && !module.startsWith("cli/main"),
  )
  expect(missing).toEqual([])
})
