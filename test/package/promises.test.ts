import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { PACKAGE, program, shippedPlugin } from "../built.ts"
import { inRepository } from "../repository.ts"
import { makeProject, run } from "./consumer.ts"

const { directory, remove } = makeProject()
afterAll(remove)
fs.mkdirSync(path.join(directory, "node_modules"))
fs.symlinkSync(PACKAGE, path.join(directory, "node_modules", "hindcast"))

describe("a program that has hindcast/promise and no Effect", () => {
  it("ends by itself after it closed, though a follower was left", () => {
    fs.copyFileSync(program(import.meta.url, "promises"), path.join(directory, "promises.mjs"))
    const said = run(directory, process.execPath, "promises.mjs", "log.db", shippedPlugin("plugins", "text-room"))
    expect(JSON.parse(said)).toEqual({ moved: "succeeded", seen: ["TaskOpened", "CommandSucceeded"], closed: "Closed" })
  }, 60_000)

  it("compiles under the strictest options, with its agents, errors and iterations typed", () => {
    fs.copyFileSync(inRepository("test", "package", "programs", "promises.ts"), path.join(directory, "program.ts"))
    const options = {
      target: "ES2022",
      lib: ["ES2024", "DOM"],
      types: [],
      module: "NodeNext",
      moduleResolution: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
    }
    fs.writeFileSync(
      path.join(directory, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["program.ts"] }),
    )
    expect(run(directory, process.execPath, inRepository("node_modules", "typescript", "bin", "tsc"), "-p", ".")).toBe(
      "",
    )
  }, 240_000)
})
