import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { temporary } from "../../record/recorded.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** A session that changes a text with a control character, and adds a binary file. */
const changed = async (extra: Readonly<Record<string, string>> = {}) => {
  const made = await Session.project()
  opened.push(made)
  made.write("a.txt", "one\n\u001b[31mtwo\n")
  const { prompt, call } = made.session()
  await prompt("change it")
  await call("Bash", { command: "change" }, () => {
    made.write("a.txt", "one\n\u001b[31mtwo\nthree\n")
    made.write("b.bin", Uint8Array.of(0, 255, 1))
    for (const [file, content] of Object.entries(extra)) made.write(file, content)
  })
  await made.close()
  const { versions } = await made.json("history", "a.txt")
  return { ...made, range: versions.map(({ position }: { readonly position: number }) => `@${position}`) }
}

describe("files diff --patch", () => {
  it("writes bytes that `git apply` takes", async () => {
    const { files, range, write, root } = await changed()
    const { stdout, code, error } = await files("diff", ...range, "--patch")
    expect([code, error]).toEqual([0, ""])
    const into = temporary("patched")
    fs.mkdirSync(into)
    execFileSync("git", ["init", "-q"], { cwd: into })
    fs.writeFileSync(path.join(into, "a.txt"), "one\n\u001b[31mtwo\n")
    execFileSync("git", ["apply", "-"], { cwd: into, input: stdout })
    expect(fs.readFileSync(path.join(into, "a.txt"), "utf8")).toBe("one\n\u001b[31mtwo\nthree\n")
    expect([...fs.readFileSync(path.join(into, "b.bin"))]).toEqual([0, 255, 1])
    // Backwards, over the workspace itself.
    write("unrelated.txt", "stays\n")
    const back = await files("diff", ...range.toReversed(), "--patch")
    execFileSync("git", ["apply", "-"], { cwd: root, input: back.stdout })
    expect(fs.readdirSync(root).sort()).toEqual(["a.txt", "unrelated.txt"])
  })

  it("fails where a content is unknown, and writes nothing", async () => {
    const { files, range } = await changed({ ".env": "KEY=1\n" })
    const said = await files("diff", ...range, "--patch")
    expect(said).toMatchObject({ code: 1, stdout: "" })
    expect(said.error).toContain(".env: it holds secrets")
    expect((await files("diff", ...range, "a.txt", "--patch")).code).toBe(0)
    const both = await files("diff", ...range, "--patch", "--json")
    expect(both.error).toContain("no --json with it")
  })
})
