import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as SmallFile from "../../src/platform/SmallFile.ts"

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-small-"))
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const written = (name: string, text: string): string => {
  const file = path.join(directory, name)
  fs.writeFileSync(file, text)
  return file
}

describe("a file that people write", () => {
  it("is read whole, whatever its characters are", () => {
    const text = "näh ∑ 🦉\n".repeat(20_000)
    expect(SmallFile.read(written("long.yaml", text))).toBe(text)
    expect(SmallFile.read(written("empty.yaml", ""))).toBe("")
  })

  it("is refused where it has no end, as a device, and read no further than asked", () => {
    expect(() => SmallFile.read("/dev/zero")).toThrow("more than 16 MiB")
    expect(SmallFile.readUpTo("/dev/zero", 100_000)).toHaveLength(100_000)
    expect(SmallFile.readUpTo(written("some.yaml", "abcdef"), 3).toString()).toBe("abc")
  })

  it("fails as the file system does where there is none", () => {
    expect(() => SmallFile.read(path.join(directory, "none"))).toThrow("ENOENT")
    expect(() => SmallFile.read(directory)).toThrow("EISDIR")
  })
})
