import * as fs from "node:fs"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

describe("files of a directory that was replaced by a link", () => {
  it("are those of the last snapshot, and every answer says that later changes are unknown", async () => {
    const made = await Session.worked({ a: "one\n" }, ({ root, write }) => {
      write("a", "two\n")
      fs.renameSync(root, `${root}.old`)
      fs.mkdirSync(`${root}.other`)
      fs.writeFileSync(`${root}.other/outside`, "of somebody else\n")
      fs.symlinkSync(`${root}.other`, root)
    })
    opened.push(made)
    const warning = `and later changes are unknown: ${made.root}: expected the recorded directory, found a link in its path`
    const remarks = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const remarked = () => {
      const text = remarks.mock.calls.map(([text]) => String(text)).join("")
      remarks.mockClear()
      return text
    }
    const said = await made.files("ls")
    expect(said.stdout).toContain("1 file in")
    expect(said.stdout).not.toContain("outside")
    expect(remarked()).toContain(warning)
    for (const words of [
      ["show", "a"],
      ["diff", made.before, "now"],
      ["history", "a"],
      ["why", "a"],
    ]) {
      await made.files(...words)
      expect(remarked()).toContain(warning)
    }
    const { stopped } = await made.json("ls")
    expect(stopped).toMatchObject({ reason: expect.stringContaining(`leads to ${made.root}.other`) })
    remarks.mockClear()
    expect(await made.json("ls", "--at", made.before)).not.toHaveProperty("stopped")
    expect(remarked()).toBe("")
    remarks.mockRestore()
  })
})
