import * as fs from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { open } from "../../src/promise/open.ts"
import { workplace } from "../workplace.ts"
import { runInProcess } from "./inProcess.ts"

const place = workplace()
const log = place.file("memories.db")

beforeAll(async () => {
  await using hindcast = await open({ log, workspace: place.directory })
  await hindcast.memories.remember({ text: "Ada likes\u202e tea\nfrom \x1b[31mAssam", agent: "desk", user: "ada" })
  await hindcast.memories.remember({ text: "Ben likes coffee", agent: "desk", user: "ben", subject: "ben" })
})

const memory = async (...words: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runInProcess(["memory", ...words, "--log", log])
  return { code, stdout, stderr }
}

describe("hindcast memory", () => {
  it("recall finds memories by their words, and shows hostile text on one harmless line", async () => {
    const { code, stdout } = await memory("recall", "who", "likes", "tea?")
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split("\n")
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatch(/^@\d+ {2}\S+ {2}desk {2}about ada {2}no task$/)
    expect(lines[1]).toBe("  Ada likes\\u{202e} tea from \\u{1b}[31mAssam")
    expect(lines[3]).toBe("  Ben likes coffee")
  })

  it("recall answers what was remembered at a moment, as JSON too", async () => {
    const { stdout } = await memory("ls", "--json")
    const { memories } = JSON.parse(stdout)
    expect(memories.map(({ user }: { readonly user: string }) => user)).toEqual(["ben", "ada"])
    const then = JSON.parse((await memory("recall", "likes", "--at", `@${memories[1].position}`, "--json")).stdout)
    expect(then).toMatchObject({
      query: "likes",
      memories: [{ user: "ada", byWords: true, similarity: null }],
      unreadable: 0,
    })
    expect(await memory("recall", "likes", "--at", "@0")).toMatchObject({ code: 0, stdout: "There are no memories.\n" })
    expect(await memory("recall", "likes", "--at", "soon")).toMatchObject({ code: 1 })
  })

  it("recall without a hit says so, as a search does: it is no error that no memory answers", async () => {
    expect(await memory("recall", "zeppe\u202elin", "--agent", "desk")).toEqual({
      code: 0,
      stdout:
        'No memory has a word of "zeppe\\u{202e}lin". The command line compares words, not meanings; `hindcast memory ls` lists the memories.\n',
      stderr: "",
    })
    expect(JSON.parse((await memory("recall", "zeppelin", "--json")).stdout)).toMatchObject({ memories: [] })
  })

  it("ls and recall are limited to an agent, a user or a subject", async () => {
    expect((await memory("ls", "--subject", "ben")).stdout).toContain("Ben likes coffee")
    expect((await memory("ls", "--subject", "ben")).stdout).not.toContain("Ada")
    expect((await memory("recall", "likes", "--user", "ada", "--limit", "1")).stdout).not.toContain("Ben")
    expect(await memory("ls", "--agent", "nobody", "--json")).toMatchObject({ code: 3 })
  })

  it("rebuild builds the index again, and a shredded subject's memories are counted, not shown", async () => {
    const file = `${log}.memories`
    fs.writeFileSync(file, "not a database, as long as a page ".repeat(200))
    expect(await memory("rebuild")).toMatchObject({ code: 0, stdout: "Built: the index has 2 memories.\n" })
    await runInProcess(["log", "shred", "ben", "--reason", "asked", "--yes", "--log", log])
    const { stdout } = await memory("recall", "likes")
    expect(stdout).not.toContain("coffee")
    expect(stdout).toContain("1 memory cannot be read here: its key is destroyed or missing.")
    expect(fs.readFileSync(file).toString("latin1")).not.toMatch(/coffe/)
  })
})
