import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { temporary } from "../../record/recorded.ts"
import { inRepository } from "../../repository.ts"
import * as Hindcast from "../hindcast.ts"
import { runInProcess } from "../inProcess.ts"

const WRITER = `
const write = (content) => ({ act: "workspace/write_file", args: { path: "a.txt", content } })
const commands = [write("one\\n"), write("one\\ntwo\\n"), write("three\\n")]
export default {
  name: "writer",
  version: "1",
  decide: ({ step }) => commands[step] ?? { done: "achieved", reason: "written" },
}
`

const made = (name: string): string => {
  const directory = temporary(name)
  fs.mkdirSync(directory, { recursive: true })
  return directory
}

describe("an agent of ours whose files are recorded", () => {
  it("shows who wrote a line, and goes on from a moment with the files of that moment", async () => {
    const [cwd, elsewhere, besides] = [made("here"), made("there"), made("besides")]
    const agent = path.join(besides, "writer.mjs")
    fs.writeFileSync(agent, WRITER)
    const log = path.join(besides, "agent.db")
    const hindcast = async (...args: ReadonlyArray<string>) => {
      const said = await runInProcess([...args, "--log", log], { cwd })
      return { ...said, json: () => JSON.parse(said.stdout) }
    }
    const acting = ["--agent", agent, "--gate", "allow", "--sandbox", "flags", "--json"]
    const ran = await hindcast(
      ...["run", ...acting, "--goal", "write", "--record-files", "--plugin", inRepository("plugins/workspace")],
    )
    expect(ran).toMatchObject({ code: 0 })

    const { versions } = (await hindcast("files", "history", "a.txt", "--json")).json()
    const causes = versions.map(({ cause }: { cause: string }) => cause)
    expect(causes).toEqual(["call", "call", "call"])
    const at = `@${versions[1].position}`
    const [opened] = await Hindcast.listed(["--type", "TaskOpened", "--log", log])
    const goal = { position: opened?.position, id: opened?.id, content: "write" }
    expect(versions[0].calls[0]).toMatchObject({ goal })
    expect(versions[0].calls[0]).not.toHaveProperty("prompt")
    const blamed = (await hindcast("files", "blame", "a.txt")).stdout
    expect(blamed).toMatch(/goal +"write" \(@\d+\)/)
    expect(blamed).not.toContain("prompt")

    const refused = await hindcast("fork", at, ...acting)
    expect(refused.stderr).toContain("--restore-files")
    const other = await hindcast("fork", at, ...acting, "--restore-files", "--workspace", elsewhere)
    expect(other.stderr).toContain("works there since its import")
    expect(fs.readdirSync(elsewhere)).toEqual([])
    fs.writeFileSync(path.join(cwd, "a.txt"), "of a person\n")
    const forked = await hindcast("fork", at, ...acting, "--restore-files")
    expect(forked.json()).toMatchObject({ worlds: [{ plugin: "workspace", by: "snapshot" }] })
    expect(fs.readFileSync(path.join(cwd, "a.txt"), "utf8")).toBe("three\n")

    const { taskId } = ran.json()
    const resumed = await hindcast("resume", taskId, ...acting, "--restore-files")
    expect(resumed.stderr).toContain("expected an open task")
    const recorded = await hindcast("fork", at, ...acting, "--restore-files", "--io", "recorded")
    expect(recorded).toMatchObject({ code: 1, stderr: expect.stringContaining("a recorded one executes nothing") })
  })
})
