import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { LogInfo } from "../../src/studio/wire/Log.ts"
import type { TaskHead, TaskList } from "../../src/studio/wire/Task.ts"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, playLostKey } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")

beforeAll(async () => {
  await playLostKey(log)
})
afterAll(place.remove)

/** Starts `hindcast studio`, and answers its address once it says so. */
const studio = async (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [MAIN, "studio", ...args, "--log", log], { stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) => {
    let stderr = ""
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    child.on("close", (code) => resolve({ code, stderr }))
  })
  for await (const line of createInterface({ input: child.stdout })) return { child, ended, line }
  throw new Error((await ended).stderr)
}

describe("hindcast studio", () => {
  it("prints the address once, which opens the log, and ends with Ctrl-C", async () => {
    const { child, ended, line } = await studio("--json")
    const url = new URL(JSON.parse(line).url)
    const token = url.hash.replace("#token=", "")
    expect(url.hostname).toBe("127.0.0.1")
    expect(url.pathname).toBe("/")
    const authorization = `Bearer ${token}`
    const info = await (await fetch(new URL("/api/log", url), { headers: { authorization } })).json()
    expect(info).toMatchObject({ name: "log.db", allows: { answer: false, fork: false, write: false } })
    expect((await fetch(new URL("/api/log", url))).status).toBe(401)
    if (process.platform === "linux") {
      for (const file of ["cmdline", "environ"]) {
        expect(fs.readFileSync(`/proc/${child.pid}/${file}`, "utf8")).not.toContain(token)
      }
    }
    child.kill("SIGINT")
    const { code, stderr } = await ended
    expect(code).toBe(130)
    expect(stderr).not.toContain(token)
  })

  it("begins at a task, at a moment, or where a link was copied, and says what it allows", async () => {
    const { stdout } = await hindcast(["task", "ls", "--log", log, "--json"])
    const [{ id }] = JSON.parse(stdout).tasks
    for (const [typed, path] of [
      [String(id), `/t/main/${id}`],
      ["@5", expect.stringMatching(/^\/t\/main\/.*@5$/)],
      ["http://127.0.0.1:1/t/main/x/@7?pane=why#token=old", "/t/main/x/@7"],
      // The first event belongs to no task: all events of the timeline are shown.
      ["@1", "/l/main/@1"],
      ["http://127.0.0.1:1/l/main/@7#token=old", "/l/main/@7"],
      ["/search?text=key", "/search"],
    ] as const) {
      const { child, ended, line } = await studio(typed)
      expect(new URL(line).pathname).toEqual(path)
      expect(line).not.toContain("old")
      child.kill("SIGINT")
      await ended
    }
  })

  it("lets two agents go on at the same time, and frees the log when both are done", async () => {
    const agent = inRepository("examples", "agents", "knows-the-way.mjs")
    const { child, ended, line } = await studio("--json", "--fork", "--agent", agent, "--gate", "allow")
    const url = new URL(JSON.parse(line).url)
    const headers = { authorization: `Bearer ${url.hash.replace("#token=", "")}` }
    const get = async <A>(asked: string): Promise<A> =>
      JSON.parse(await (await fetch(new URL(asked, url), { headers })).text())
    const [{ id: task, from: at } = { id: "", from: 0 }] = (await get<TaskList>("/api/tasks")).rows
    const [named] = (await get<LogInfo>("/api/log")).agents
    const ordered = [1, 2].map(async (seed) => {
      const body = JSON.stringify({ timeline: "main", task, at, agent: named, seed })
      const response = await fetch(new URL("/api/forks", url), {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
      })
      return { status: response.status, made: JSON.parse(await response.text()) }
    })
    expect(await Promise.all(ordered)).toEqual([
      { status: 200, made: { timeline: expect.stringMatching(/^fork-[12]$/), task } },
      { status: 200, made: { timeline: expect.stringMatching(/^fork-[12]$/), task } },
    ])
    const { forks } = await get<TaskHead>(`/api/task?task=${task}`)
    expect(forks.map(({ timeline }) => timeline).sort()).toEqual(["fork-1", "fork-2"])
    child.kill("SIGINT")
    await ended
    expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })
  })

  it("says what to do where it cannot begin", async () => {
    const failing = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await hindcast(["studio", ...args, "--json"], { cwd: place.directory })
      const { error } = JSON.parse(stderr)
      expect(stdout).toBe("")
      return { code, ...error }
    }
    const letter = place.file("letter.db", "This is a letter, and no log at all. ".repeat(20))
    expect(await failing("--log", "none.db")).toMatchObject({ code: 3, tag: "LogMissing" })
    expect(await failing("--log", letter)).toMatchObject({ code: 1, tag: "LogFormatUnsupported" })
    expect(await failing("nobody", "--log", log)).toMatchObject({ code: 3, tag: "TaskNotFound" })
    expect(await failing("@99999", "--log", log)).toMatchObject({ code: 3, tag: "PositionOutOfRange" })
    expect(await failing("https://x.example/y", "--log", log)).toMatchObject({ code: 1, tag: "BadInput" })
    expect(await failing("--fork", "--log", log)).toMatchObject({ code: 1, tag: "BadInput" })
    expect(await failing("--agent", "none.mjs", "--log", log)).toMatchObject({ code: 3, tag: "AgentUnavailable" })
    expect(await failing("--port", "x", "--log", log)).toMatchObject({ code: 1 })
    const { digest } = (await document(["plugin", "show", "text-room", "--log", log])) as { readonly digest: string }
    for (const [draw, expected, found, code = 1] of [
      ["text-room", "PLUGIN@DIGEST", '"text-room"'],
      [`text-room@${digest.slice(0, 15)}`, "at least 16", "with 15 digits"],
      [`text-rom@${digest}`, "a plugin of this log", "text-room", 3],
      [`text-room@${"0".repeat(16)}`, "the digest of a version", `text-room@${digest.slice(0, 16)}`, 3],
      [`text-room@${digest}`, "viewHtml", "has none"],
    ] as const) {
      const failed = await failing("--draw", draw, "--log", log)
      expect(failed).toMatchObject({ code, tag: "BadInput" })
      expect(failed.message).toContain(expected)
      expect(failed.message).toContain(found)
    }
    const taken = http.createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? String(address.port) : ""
    expect(await failing("--port", port, "--log", log)).toMatchObject({ code: 1, tag: "PortUnavailable" })
    taken.close()
  })
})
