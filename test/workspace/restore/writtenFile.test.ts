import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { Entry } from "../../../src/workspace/model/Entry.ts"
import * as RestoreInto from "../../../src/workspace/restore/RestoreInto.ts"
import * as WrittenFile from "../../../src/workspace/restore/WrittenFile.ts"
import { digestOf } from "../../../src/workspace/store/ContentStore.ts"

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-written-")))
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const entry = (text: string, more: Partial<Entry> = {}): Entry => ({
  kind: "file",
  mode: 0o640,
  size: text.length,
  digest: digestOf(Buffer.from(text)),
  ...more,
})

const at = (file: string) => path.join(root, file)

/** Makes a file with content and mode that a umask cannot change. */
const make = (file: string, text: string, mode = 0o640) => {
  fs.mkdirSync(path.dirname(at(file)), { recursive: true })
  fs.writeFileSync(at(file), text)
  fs.chmodSync(at(file), mode)
}

describe("a file on the disk", () => {
  it("differs from a recorded one in its presence, kind, content or mode, and in nothing else", () => {
    make("same", "text")
    make("special", "text", 0o2640)
    make("content", "TEXT")
    make("mode", "text", 0o600)
    fs.mkdirSync(at("directory"))
    fs.symlinkSync("text", at("link"))
    fs.symlinkSync("same", at("to-same"))
    make("real/file", "text")
    fs.symlinkSync("real", at("linked"))
    const link: Entry = entry("text", { kind: "link", mode: 0o777 })
    const differences: ReadonlyArray<readonly [string, Entry, string | undefined]> = [
      ["same", entry("text"), undefined],
      ["special", entry("text"), undefined],
      ["real/file", entry("text"), undefined],
      ["missing", entry("text"), "it is missing"],
      ["content", entry("text"), "its content differs from the recorded one"],
      ["mode", entry("text"), "its mode is 600"],
      ["directory", entry("text"), "it is no file"],
      ["directory", link, "it is no link"],
      ["to-same", entry("text"), "it is no file"],
      ["same", link, "it is no link"],
      ["link", link, undefined],
      ["link", { ...link, mode: 0o755 }, undefined],
      ["to-same", link, "its content differs from the recorded one"],
      ["linked/file", entry("text"), "it is missing"],
      ["same/below", entry("text"), "it is missing"],
    ]
    for (const [file, recorded, expected] of differences)
      expect([file, WrittenFile.difference(root, file, recorded)]).toEqual([file, expected])
  })

  it("is written through no link or file in the place of a directory, in any way", () => {
    make("plain", "mine")
    fs.mkdirSync(at("target"))
    fs.symlinkSync("target", at("away"))
    for (const way of ["create", "add", "replace"] as const)
      for (const above of ["plain", "away"])
        expect(() => WrittenFile.write(root, `${above}/new`, entry("x"), Buffer.from("x"), way)).toThrow(
          `${at(above)} is no directory`,
        )
    expect(fs.readdirSync(at("target"))).toEqual([])
    expect(fs.readFileSync(at("plain"), "utf8")).toBe("mine")
  })

  it("keeps its special bits when its mode is set, which needs a file", () => {
    make("program", "x", 0o2750)
    WrittenFile.setMode(root, "program", entry("x", { mode: 0o7700 }))
    expect(fs.statSync(at("program")).mode & 0o7777).toBe(0o2700)
    fs.mkdirSync(at("no-file"), { mode: 0o700 })
    expect(() => WrittenFile.setMode(root, "no-file", entry("x"))).toThrow("it is no file")
    fs.symlinkSync("program", at("to-program"))
    expect(() => WrittenFile.setMode(root, "to-program", entry("x"))).toThrow("ELOOP")
    WrittenFile.setMode(root, "to-program", entry("x", { kind: "link", mode: 0o600 }))
    expect([at("no-file"), at("program")].map((one) => fs.statSync(one).mode & 0o777)).toEqual([0o700, 0o700])
  })
})

it("writes the links of a tree after its files", () => {
  const link: Entry = entry("there", { kind: "link" })
  const all = new Map([
    ["a", link],
    ["b", entry("x")],
    ["c", link],
    ["d", entry("x")],
  ])
  expect(RestoreInto.linksLast(all).map(([file]) => file)).toEqual(["b", "d", "a", "c"])
})
