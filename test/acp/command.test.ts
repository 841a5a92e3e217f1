import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as readline from "node:readline"
import { describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"

const AGENT = inRepository("test", "acp", "agent.mjs")

const RULES = "rules:\n  - { name: no-deleting, shell: ['rm *'], decision: deny, reason: Not here }\ndefault: allow\n"

/** Starts the command, and speaks to it as an editor. */
const editor = (log: string, gate: ReadonlyArray<string> = []) => {
  const args = [MAIN, "acp", "record", "--log", log, ...gate, "--", process.execPath, AGENT]
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const heard = async (fits: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error("the command ended")
      const message = JSON.parse(value)
      if (fits(message)) return message
    }
  }
  const prompted = async () => {
    say({ id: 1, method: "initialize", params: { protocolVersion: 1 } })
    await heard(({ id }) => id === 1)
    say({ id: 2, method: "session/new", params: { cwd: "/project", mcpServers: [] } })
    await heard(({ id }) => id === 2)
    const prompt = [{ type: "text", text: "delete x" }]
    say({ id: 3, method: "session/prompt", params: { sessionId: "s1", prompt } })
  }
  return { child, say, heard, prompted }
}

describe("hindcast acp record", () => {
  it("records a session as a task, and refuses what the rules deny without asking the editor", async () => {
    const log = temporary("acp.db")
    const rules = temporary("gate.yaml")
    fs.writeFileSync(rules, RULES)
    const { child, heard, prompted } = editor(log, ["--gate", rules])
    await prompted()
    const shown: Array<unknown> = []
    await heard((message) => shown.push(message) > 0 && message.id === 3)
    expect(JSON.stringify(shown)).toContain("chosen: n")
    expect(JSON.stringify(shown)).not.toContain("request_permission")
    child.stdin.end()
    expect(await once(child, "exit")).toEqual([0, null])
    const events = await eventsOf(log)
    expect(events[0]).toMatchObject({
      type: "TaskOpened",
      taskId: "acp-scripted-s1",
      payload: { goal: "delete x", recorder: { means: "acp" } },
    })
    expect(events.find(({ type }) => type === "CommandDenied")?.payload).toMatchObject({ rule: "no-deleting" })
    expect(events.find(({ type }) => type === "MessageSent")?.payload).toMatchObject({ content: "chosen: n" })
    expect(events.at(-1)?.type).toBe("TaskClosed")
  })

  it("keeps what it acknowledged when it is killed, and the next one continues the task", async () => {
    const log = temporary("acp.db")
    const first = editor(log)
    await first.prompted()
    await first.heard(({ method }) => method === "session/request_permission")
    first.child.kill("SIGKILL")
    await once(first.child, "exit")
    const second = editor(log)
    await second.prompted()
    await second.heard(({ method }) => method === "session/request_permission")
    second.say({ id: 0, result: { outcome: { outcome: "selected", optionId: "y" } } })
    await second.heard(({ id }) => id === 3)
    second.child.stdin.end()
    expect(await once(second.child, "exit")).toEqual([0, null])
    const events = await eventsOf(log)
    expect(new Set(events.flatMap(({ taskId }) => (taskId === null ? [] : [taskId])))).toEqual(
      new Set(["acp-scripted-s1"]),
    )
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type === "InputReceived")).toHaveLength(2)
    // The killed one's question is withdrawn, and its call did not run as far as anybody was told.
    expect(types.filter((type) => type === "ConfirmationWithdrawn")).toHaveLength(1)
    expect(types.filter((type) => type === "CommandDenied")).toHaveLength(1)
    expect(types.filter((type) => type === "CommandSucceeded")).toHaveLength(1)
  })
})
