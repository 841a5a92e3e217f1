import { spawn } from "node:child_process"
import { once } from "node:events"
import * as os from "node:os"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { confirmationDigest } from "../../src/events/vocabulary/ConfirmationDigest.ts"
import { digest } from "../../src/values/Digest.ts"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { hindcast, listed } from "./hindcast.ts"
import { inTerminal } from "./terminal.ts"

const place = workplace()
afterAll(place.remove)

/** A log without a kernel, in which something waits. */
const waitingIn = async (
  name: string,
  args: { readonly [key: string]: string },
  recorder?: { readonly host: string; readonly pid: number },
) => {
  const log = place.file(name)
  const confirmationId = "019fffff-0000-7000-8000-00000000abcd"
  const question = {
    confirmationId,
    commandId: "c1",
    argsDigest: digest(args),
    expiresAt: Date.now() + 3_600_000,
    shown: { actuator: "desk/write", args, risk: "high", declared: "none", because: "its plugin may run git" },
  }
  const shownDigest = confirmationDigest(question)
  const task = recorder === undefined ? {} : { taskId: "t" }
  await Effect.runPromise(
    Effect.gen(function* () {
      const events = yield* EventLog
      if (recorder !== undefined)
        yield* events.append({
          stream: "task/t",
          taskId: "t",
          actor: "agent:clerk",
          events: [
            { type: "TaskOpened", payload: { goal: "Write", agent: "clerk", measures: [], plugins: [], recorder } },
          ],
        })
      yield* events.append({
        stream: `confirmation/${confirmationId}`,
        actor: "kernel",
        ...task,
        events: [{ type: "ConfirmationRequested", payload: { ...question, shownDigest } }],
      })
    }).pipe(Effect.provide(layerSqlite({ filename: log }))),
  )
  return { log: ["--log", log], id: confirmationId, shownDigest }
}

/** The number of a process that has ended. */
const deadProcess = async () => {
  const child = spawn(process.execPath, ["-e", ""])
  await once(child, "exit")
  return child.pid ?? 0
}

const decisions = (log: ReadonlyArray<string>) => listed(["--type", "ConfirmationDecided", ...log])

describe("what a person approves", () => {
  it("is listed shortened, with how much more there is and where, and shown whole", async () => {
    const { log, id, shownDigest } = await waitingIn("long.db", { path: "a\u3164.txt", content: "x".repeat(1_000) })
    const { stdout: listed } = await hindcast(["confirm", "ls", ...log])
    expect(listed).toMatch(new RegExp(`^${id}$`, "m"))
    expect(listed).toMatch(/^ {2}desk\/write, risk high$/m)
    expect(listed).toMatch(new RegExp(`^ {2}… 8\\d\\d more characters: node \\S+ confirm show ${id} --log \\S+$`, "m"))
    expect(listed).toContain("No kernel is at work on this log")
    const { stdout: shown } = await hindcast(["confirm", "show", id.slice(-6), ...log])
    expect(shown).toContain(`"path":"a\\u{3164}.txt","content":"${"x".repeat(1_000)}"}`)
    expect(shown).toMatch(/^ {2}because {3}its plugin may run git$/m)
    expect(shown).toContain(`digest ${shownDigest}`)
  })

  it("is printed with the approval; where no kernel is at work that is said, and the exit code is 3", async () => {
    const { log, id, shownDigest } = await waitingIn("dead.db", { path: "b.txt" })
    const { code, stdout, stderr } = await hindcast(["confirm", "approve", id, "--yes", ...log])
    expect(stdout).toContain('args      {"path":"b.txt"}')
    expect(stdout).toContain(`Approved ${id} @2`)
    expect(code).toBe(3)
    expect(stderr).toContain("the approval is recorded at @2, but no kernel is at work on this log")
    expect(await decisions(log)).toMatchObject([{ payload: { approved: true, shownDigest } }])
  })

  it("counts for a kernel that lives, on another machine and by a clock of another year, and not for one that is silent", async () => {
    for (const lives of [true, false]) {
      const { log, id } = await waitingIn(`elsewhere-${lives}.db`, { path: "d.txt" })
      const database = new Database(log[1] ?? "")
      const year2001 = 1_000_000_000_000
      database.prepare("INSERT INTO lease VALUES (1, 'far#x', 'far', 1, ?, ?)").run(year2001, year2001)
      database
        .prepare("INSERT INTO heartbeats VALUES ('x', 1, 5, ?, 'far', 1, 'another boot', 'pid:[1] time:[1]', '1')")
        .run(year2001)
      const beat = () => void database.exec("UPDATE heartbeats SET beat = beat + 1")
      const beating = lives ? setInterval(beat, 300) : undefined
      const { code } = await hindcast(["confirm", "approve", id, "--yes", ...log])
      clearInterval(beating)
      database.close()
      expect(code).toBe(lives ? 0 : 3)
    }
  })

  it("counts at once for a recorded program, which waits by itself, and not for one that is gone", async () => {
    const [host, pid] = [os.hostname(), process.pid]
    const gone = await waitingIn("gone.db", { path: "c.txt" }, { host, pid: await deadProcess() })
    expect((await hindcast(["confirm", "ls", ...gone.log])).stdout).toContain("No kernel")
    expect((await hindcast(["confirm", "approve", gone.id, "--yes", ...gone.log])).code).toBe(3)
    const { log, id } = await waitingIn("recorded.db", { path: "c.txt" }, { host, pid })
    const { stdout: listed } = await hindcast(["confirm", "ls", ...log])
    expect(listed).not.toContain("No kernel")
    const { code, stdout, stderr } = await hindcast(["confirm", "approve", id, "--yes", ...log])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`Approved ${id} @3`)
  })

  it("needs a word of its own where it is too long to be shown whole", async () => {
    const { log, id, shownDigest } = await waitingIn("huge.db", { content: "y".repeat(20_000) })
    const refused = await hindcast(["confirm", "approve", id, "--yes", ...log])
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/found 3630 characters unseen\. .* --unseen\./),
    })
    expect(await decisions(log)).toEqual([])
    const { stdout } = await hindcast(["confirm", "show", id, "--all", ...log])
    expect(stdout).toContain("y".repeat(20_000))
    const other = await hindcast(["confirm", "approve", id, "--digest", "0".repeat(64), ...log])
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`expected ${shownDigest}, or its first 12`),
    })
    for (const bad of ["", "abc", shownDigest.toUpperCase()]) {
      expect((await hindcast(["confirm", "approve", id, `--digest=${bad}`, ...log])).code).toBe(1)
    }
    expect(await decisions(log)).toEqual([])
    await hindcast(["confirm", "approve", id, "--digest", shownDigest.slice(0, 12), ...log])
    expect(await decisions(log)).toMatchObject([{ payload: { approved: true, shownDigest } }])
  })

  it("is asked for at a terminal of 60 columns, and no answer leaves it waiting", async () => {
    const { log, id } = await waitingIn("terminal.db", { content: `${"z".repeat(90)}END` })
    const program = inTerminal(["confirm", "approve", id, ...log], { columns: 60 })
    const lines = await program.shows("[y/N]")
    expect(lines.join("").replaceAll(" ", "")).toContain(`"content":"${"z".repeat(90)}END"`)
    expect(lines.filter((line) => /^ {2}(args|risk)/.test(line))).toHaveLength(2)
    program.type("\r")
    expect(await program.ended).toBe(0)
    expect(await decisions(log)).toEqual([])
  })
})
