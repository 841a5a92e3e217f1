import * as fs from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import { temporary } from "../../record/recorded.ts"
import * as Session from "./session.ts"

const PATH = process.env.PATH
const opened: Array<Session.Project> = []
afterEach(async () => {
  process.env.PATH = PATH
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

describe("recorded files where no program is on the PATH, neither bubblewrap nor Git", () => {
  it("are recorded, shown, blamed, searched and restored all the same", async () => {
    const nothing = temporary("nothing")
    fs.mkdirSync(nothing)
    process.env.PATH = nothing
    const made = await Session.project()
    opened.push(made)
    const { write, at, session, close, json, files } = made
    write("app.txt", "good\n")
    const { prompt, call } = session()
    await prompt("improve it")
    for (const text of ["better\n", "bad\n", "worse, bad\n"])
      await call("Write", { file_path: at("app.txt") }, () => write("app.txt", text))
    await close()
    const blame = await json("blame", "app.txt")
    expect(blame.versions.at(-1)?.calls[0]).toMatchObject({ actuator: "claude-code/Write" })
    const { versions } = await json("history", "app.txt")
    const places = versions.map(({ position }: { readonly position: number }) => position)
    // A shell that runs nothing but its own commands.
    const command = 'read -r text < app.txt; case "$text" in *bad) exit 1;; esac'
    const found = await json("bisect", "--run", command)
    expect(found).toMatchObject({ before: places[1], first: { position: places[2] }, monotonic: true })
    expect((await files("show", "app.txt", "--at", `@${places[1]}`)).stdout).toBe("better\n")
    expect(await json("restore", `@${places[1]}`, "--in-place", "--yes")).toMatchObject({ restored: 1, left: [] })
    expect(fs.readFileSync(at("app.txt"), "utf8")).toBe("better\n")
  })
})
