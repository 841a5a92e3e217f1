import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { expect, it } from "vitest"
import { built, PACKAGE } from "../built.ts"

// npm runs `prepare` whenever it links the package, as `npx hindcast` does in a checkout: also while programs run from `dist/`.
it("prepare leaves a dist/ alone that was built from these sources", () => {
  const files = () =>
    fs
      .readdirSync(built(), { recursive: true, encoding: "utf8" })
      .map((name) => [name, fs.statSync(built(name)).mtimeMs])
  const before = files()
  expect(execFileSync("npm", ["run", "prepare", "--silent"], { cwd: PACKAGE, encoding: "utf8" })).toBe("")
  expect(files()).toEqual(before)
  expect(before.length).toBeGreaterThan(100)
})
