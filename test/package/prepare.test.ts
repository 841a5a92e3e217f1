import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
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

// npm also runs it for a package that `file:` names, as the project of `hindcast init` does: that has no sources.
it("prepare ends well in an installed package, which has no sources to build", () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-prepare-"))
  try {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(PACKAGE, "package.json"), "utf8"))
    fs.writeFileSync(path.join(directory, "package.json"), JSON.stringify({ scripts: { prepare: scripts.prepare } }))
    expect(execFileSync("npm", ["run", "prepare", "--silent"], { cwd: directory, encoding: "utf8" })).toBe("")
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
})
