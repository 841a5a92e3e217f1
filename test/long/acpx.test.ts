/** `hindcast acp` with a client of ACP that others wrote: acpx, which works without an editor. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import * as ScriptedModel from "../../src/hooks/check/ScriptedModel.ts"
import { MAIN } from "../built.ts"
import { eventsOf } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"
import { codingAgents, RUNS_HERE } from "./codingAgents.ts"

const homeOf = codingAgents()

const write = (name: string) => ({ tool: "workspace__write_file", args: { path: name, content: "hi\n" } })

describe.runIf(RUNS_HERE)("acpx with `hindcast acp`", { timeout: 180_000 }, () => {
  it("answers questions about commands, and goes on with a session after its agent ended", async () => {
    const { project, variables, hindcast } = homeOf("acpx")
    expect(await hindcast("plugin", "add", inRepository("plugins", "workspace"))).toMatchObject({ code: 0 })
    const model = await ScriptedModel.start([
      ...[write("one.txt"), { text: "One is written." }, write("two.txt"), { text: "Two is not written." }],
    ])
    const agent = [process.execPath, MAIN, "acp", "--model", "openai-compatible/scripted"].join(" ")
    // The owner of acpx's session ends after a second, and the agent with it.
    const acpx = (...words: ReadonlyArray<string>): Promise<string> =>
      new Promise((resolve) =>
        execFile(
          "acpx",
          ["--ttl", "1", "--verbose", "--agent", agent, ...words],
          { cwd: project, env: { ...process.env, ...variables, OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` } },
          // It fails where a person refused.
          (_, stdout, stderr) => resolve(stdout + stderr),
        ),
      )
    try {
      expect(await acpx("sessions", "new")).toContain("created session")
      expect(await acpx("--approve-all", "prompt", "Write one")).toContain("One is written.")
      expect(fs.readFileSync(path.join(project, "one.txt"), "utf8")).toBe("hi\n")
      await agentsEnd(project)
      const again = await acpx("--deny-all", "prompt", "Write two")
      expect(again).toContain("session/load")
      expect(again).toContain("Two is not written.")
      expect(fs.existsSync(path.join(project, "two.txt"))).toBe(false)
    } finally {
      await model.close()
    }
    const events = await eventsOf(path.join(project, ".hindcast", "log.db"))
    expect(new Set(events.flatMap(({ taskId }) => taskId ?? [])).size).toBe(1)
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => /^Confirmation|^Command(?:Succeeded|Denied)$/.test(type))).toEqual([
      ...["ConfirmationRequested", "ConfirmationDecided", "CommandSucceeded"],
      ...["ConfirmationRequested", "ConfirmationDecided", "CommandDenied"],
    ])
  })
})

/** Waits until no kernel holds the log of a project. */
const agentsEnd = async (project: string) => {
  const lease = () => execHindcast(project)
  await expect.poll(lease, { timeout: 60_000, interval: 500 }).toBe("stopped")
}

/** What the list of tasks says of the only task. */
const execHindcast = (project: string): Promise<string> =>
  new Promise((resolve) =>
    execFile(process.execPath, [MAIN, "task", "ls", "--json"], { cwd: project }, (_, stdout) =>
      resolve(/"(running|waiting|stopped)"/.exec(stdout)?.[1] ?? stdout),
    ),
  )
