import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { Readable } from "node:stream"
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { MAIN } from "../built.ts"
import { SERVER } from "../plugins/mcp/given.ts"
import { eventsOf } from "../record/recorded.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"

vi.setConfig({ testTimeout: 120_000 })

const place = workplace()
afterAll(place.remove)

const servers: Array<http.Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

let logs = 0
const newLog = () => place.file(`${++logs}.db`)
const add = (log: string, ...words: ReadonlyArray<string>) =>
  hindcast(["plugin", "add", "--log", log, ...words], { cwd: place.directory })

/** An agent that calls the actuators in order, and is done. */
const agent = (...acts: ReadonlyArray<{ readonly act: string; readonly args: object }>) =>
  place.file(
    `agent-${logs}.mjs`,
    `const PLAN = ${JSON.stringify(acts)}
export default { name: "caller", version: "1.0.0", decide: ({ step }) => PLAN[step] ?? { done: "achieved", reason: "done" } }`,
  )

/** Serves a tool over HTTP. Requests without the header get nothing, if there is one. Returns the port. */
const serving = async (authorization?: string): Promise<number> => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "remote", version: "2.0.0" }, { capabilities: { tools: {} } })
    server.registerTool(
      "greet",
      { description: "Greets", inputSchema: z.object({ name: z.string() }) },
      async ({ name }) => ({
        content: [{ type: "text", text: `Hello ${name}` }],
      }),
    )
    return server
  })
  const server = http.createServer(async (request, response) => {
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      response.writeHead(403).end()
      return
    }
    if (request.url === "/elsewhere") {
      response.writeHead(307, { location: "http://localhost:1/" }).end()
      return
    }
    const body =
      request.method === "POST" ? { body: Readable.toWeb(request) as ReadableStream, duplex: "half" as const } : {}
    const headers = request.headers as Record<string, string>
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? "GET", headers, ...body }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    // A list of changes is a stream without end.
    if (answer.body === null) response.end()
    else Readable.fromWeb(answer.body as import("node:stream/web").ReadableStream).pipe(response)
  })
  servers.push(server)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return port
}

describe("hindcast plugin add --mcp", () => {
  it("adds a server by its command; an agent then uses its tools", async () => {
    const log = newLog()
    const added = await add(log, "--mcp", "notes", "--", process.execPath, SERVER, "plain")
    expect(added.stderr).toBe("")
    expect(added.stdout).toMatch(
      /^notes 1\.2\.3\+[0-9a-f]{8} .*: The MCP server scripted 1\.2\.3\n {2}1 sensor, 12 actuators/,
    )
    const caller = agent({ act: "notes/echo", args: { text: "hello" } })
    const ran = await hindcast(
      ["run", "--log", log, "--agent", caller, "--goal", "call", "--gate", "allow", "--workspace", place.directory],
      { cwd: place.directory },
    )
    expect(ran.stdout).toMatch(/notes\/echo \{"text":"hello"\} +succeeded/)
    const again = await add(log, "--mcp", "notes", "--", process.execPath, SERVER, "plain")
    expect(again.stdout).toContain("Already imported, unchanged; it is active.")
    const changed = await add(log, "--mcp", "notes", "--", process.execPath, SERVER, "changed")
    expect(changed.stdout).toMatch(/files changed: looper-plugin\.json, server\.json\n.*Updated from 1\.2\.3/s)
  })

  it("adds a server by its URL; redirects and other hosts get nothing", async () => {
    const port = await serving()
    const log = newLog()
    const added = await add(log, "--mcp", "remote", "--url", `http://127.0.0.1:${port}/mcp`)
    expect(added.stderr).toBe("")
    expect(added.stdout).toMatch(
      new RegExp(`^remote 2\\.0\\.0.*\\n.*1 actuator.*\\n.*\\n {2}net +127\\.0\\.0\\.1:${port}`),
    )
    const ran = await hindcast(
      [
        "run",
        "--log",
        log,
        "--agent",
        agent({ act: "remote/greet", args: { name: "Ada" } }),
        "--goal",
        "call",
        "--gate",
        "allow",
      ],
      { cwd: place.directory },
    )
    expect(ran.stdout).toMatch(/remote\/greet \{"name":"Ada"\} +succeeded/)
    const results = (await eventsOf(log)).filter(({ type }) => type === "CommandSucceeded")
    expect(JSON.stringify(results)).toContain("Hello Ada")
    const moved = await add(log, "--mcp", "moved", "--url", `http://127.0.0.1:${port}/elsewhere`)
    expect(moved.stderr).toContain("a redirect to http://localhost:1/")
    expect(moved.code).toBe(1)
  })

  it("sends headers from variables that it does not store", async () => {
    const secret = "Bearer s3cret-of-the-server"
    const port = await serving(secret)
    const log = newLog()
    const url = `http://127.0.0.1:${port}/mcp`
    const words = ["plugin", "add", "--log", log, "--mcp", "remote", "--url", url]
    const inSecret = { cwd: place.directory, env: { REMOTE_TOKEN: secret } }
    expect((await hindcast(words, inSecret)).stderr).toContain("403")
    const added = await hindcast([...words, "--header", "Authorization=REMOTE_TOKEN"], inSecret)
    expect(added.stderr).toBe("")
    expect(added.stdout).toMatch(/\n {2}env +REMOTE_TOKEN +REMOTE_TOKEN/)
    const greeting = agent({ act: "remote/greet", args: { name: "Ada" } })
    const run = ["run", "--log", log, "--agent", greeting, "--goal", "call", "--gate", "allow"]
    expect((await hindcast(run, inSecret)).stdout).toMatch(/remote\/greet \{"name":"Ada"\} +succeeded/)
    const without = await hindcast(run, { cwd: place.directory })
    expect(without.stdout + without.stderr).toContain("expected the variable REMOTE_TOKEN with the value of a header")
    const stored = fs.readdirSync(place.directory, { recursive: true, withFileTypes: true })
    for (const file of stored.filter((one) => one.isFile()))
      expect(fs.readFileSync(path.join(file.parentPath, file.name), "utf8")).not.toContain("s3cret-of-the-server")
  })

  it.each([
    [["--mcp", "x", "--header", "A=B", "--", "true"], "--header: expected --url next to it"],
    [["--mcp", "x", "--url", "http://example.com/mcp", "--header", "A=PATH"], "expected https"],
    [
      ["--mcp", "x", "--url", "https://example.com/mcp", "--header", "A=PATH=x"],
      "expected a header and an environment",
    ],
    [
      ["--mcp", "x", "--url", "https://example.com/mcp", "--header", "A=HOME", "--header", "a=HOME"],
      "expected each header once, found a again",
    ],
    [
      ["--mcp", "x", "--url", "https://example.com/mcp", "--header", "A=NO_SUCH_VARIABLE"],
      "NO_SUCH_VARIABLE with a value",
    ],
    [["--mcp", "Bad Name", "--", "true"], "--mcp: expected a name of a-z"],
    [["--mcp", "x"], "expected the server's command after --"],
    [["--mcp", "x", "--url", "ftp://example.com"], "--url: expected a URL of http: or https:"],
    [["--mcp", "x", "--url", "http://localhost:1/mcp", "--", "true"], "--url: expected no command with it"],
    [["--url", "http://localhost:1/mcp"], "expected --mcp NAME with --url, --header and --call-timeout"],
    [[], "expected one source, or --mcp NAME -- COMMAND, found none"],
    [["one", "two"], "expected one source, or --mcp NAME -- COMMAND, found 2: one two"],
    [["--mcp", "x", "--", "no-such-program-here"], "expected no-such-program-here on the PATH"],
    [["--mcp", "x", "--", "true"], "its process ended with code 0 before it was ready"],
    [["--mcp", "x", "--url", "http://127.0.0.1:1/mcp"], "Plugin x did not load: expected an MCP server"],
  ])("refuses %j", async (words, expected) => {
    const log = newLog()
    const { code, stdout, stderr } = await add(log, ...words)
    expect(stderr).toContain(expected)
    expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: "" })
    expect(fs.existsSync(`${log}.mcp/x/server.json`)).toBe(false)
  })
})

describe("a host that is killed", () => {
  it("takes its server with it, in the middle of a call", async () => {
    const log = newLog()
    const mark = place.file(`mark-${logs}`)
    await add(log, "--mcp", "notes", "--", process.execPath, SERVER, "plain", mark)
    const caller = agent({ act: "notes/waits", args: {} })
    const args = [MAIN, "run", "--log", log, "--agent", caller, "--goal", "call", "--gate", "allow"]
    const host = spawn(process.execPath, args, { cwd: place.directory, stdio: ["ignore", "ignore", "pipe"] })
    host.stderr.resume()
    const isRunning = () =>
      fs.readdirSync("/proc").some((pid) => {
        try {
          return /^\d+$/.test(pid) && fs.readFileSync(path.join("/proc", pid, "cmdline"), "utf8").includes(mark)
        } catch {
          return false // It ended in the meantime.
        }
      })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    while (!fs.existsSync(mark)) await turn()
    expect(isRunning()).toBe(true)
    host.kill("SIGKILL")
    await once(host, "exit")
    while (isRunning()) await turn()
    const after = await hindcast(["task", "ls", "--log", log])
    expect(after.code).toBe(0)
  })
})
