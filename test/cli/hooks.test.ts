import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as HookPlaces from "../../src/cli/hooks/HookPlaces.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed, start } from "./hindcast.ts"
import { at, bash, HOOK, hook } from "./hookCommand.ts"

const place = workplace()
afterAll(() => place.remove())

describe("hindcast hooks", () => {
  it("writes the settings of a client, records its sessions and denies by rules, which are bound to their text", async () => {
    const HINDCAST_STATE = place.file("state")
    const CLAUDE_CONFIG_DIR = place.file("claude")
    const log = place.file("sessions.db")
    const rules = place.file("gate.yaml")
    fs.writeFileSync(
      rules,
      "rules:\n  - { name: no-deleting, shell: ['rm *'], decision: deny, reason: Not here }\ndefault: allow\n",
    )
    const env = { HINDCAST_STATE, CLAUDE_CONFIG_DIR }
    const settings = path.join(CLAUDE_CONFIG_DIR, "settings.json")

    const dry = await hindcast(["hooks", "install", "--dry-run"], { env })
    expect(dry.stdout).toContain(`Would write the hooks to ${settings}:`)
    expect(fs.existsSync(settings)).toBe(false)
    const installed = await hindcast(
      ["hooks", "install", "claude-code", "--log", log, "--gate", rules, "--json", "--no-check"],
      {
        env,
      },
    )
    expect(JSON.parse(installed.stdout)).toMatchObject({ file: settings, log, changed: true, gate: rules })
    const again = await hindcast(["hooks", "install", "--dry-run"], { env })
    expect(again.stdout).toContain(`${settings} already has the hooks.`)
    expect(again.stdout).not.toContain("Would write")
    const [{ hooks }] = JSON.parse(fs.readFileSync(settings, "utf8")).hooks.PreToolUse
    expect(hooks[0].args).toEqual([fs.realpathSync(HOOK), "claude-code"])

    const server = start(["hooks", "serve", "--json"], { env })
    await new Promise((resolve) => server.child.stdout.once("data", resolve))
    const passed = { code: 0, stdout: "", stderr: "" }
    expect(await hook(at("UserPromptSubmit", { prompt: "go" }), env)).toEqual(passed)
    expect(await hook(at("PreToolUse", bash("ls", "c1")), env)).toEqual(passed)
    expect(await hook(at("PostToolUse", { ...bash("ls", "c1"), tool_response: "a" }), env)).toEqual(passed)
    const denied = await hook(at("PreToolUse", bash("rm a", "c2")), env)
    expect(denied).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(denied.stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(/no-deleting.*Not here/),
    })
    expect(await hook(at("PreToolUse", bash("npm test", "c4")), env)).toEqual(passed)
    const second = await hindcast(["hooks", "serve"], { env })
    expect(second.stdout).toContain("already answers hooks")
    const { token } = JSON.parse(fs.readFileSync(path.join(HINDCAST_STATE, "hooks", "door.json"), "utf8"))
    const told = await hindcast(["hooks", "serve", "--json"], { env })
    expect(JSON.parse(told.stdout)).toMatchObject({ log })
    expect(told.stdout + told.stderr).not.toContain(token)

    // An agent could have written other rules: they decide nothing.
    fs.writeFileSync(rules, "default: allow\n")
    const other = await hook({ ...at("PreToolUse", bash("ls", "c1")), session_id: "s2" }, env)
    expect(other.stdout).toMatch(/rules-changed.*has changed since it was accepted/)

    // Rules that are accepted count for the next session, though the server runs since before.
    await hindcast(["hooks", "install", "claude-code", "--log", log, "--gate", rules], { env })
    expect(await hook({ ...at("PreToolUse", bash("rm a", "c1")), session_id: "s3" }, env)).toEqual(passed)

    const elsewhere = await hindcast(["hooks", "install", "--dry-run", "--log", place.file("other.db")], { env })
    expect(elsewhere.stdout).toContain(`Process ${server.child.pid} still records to ${log}`)

    // The server is killed: nothing passes that is not recorded, and what comes after no tool goes on.
    server.child.kill("SIGKILL")
    await server.ended
    const alone = { ...env, HINDCAST_HOOKS_START: "never" }
    expect(await hook(at("PreToolUse", bash("ls", "c3")), alone)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("this call is refused"),
    })
    expect(await hook(at("PostToolUse", { ...bash("ls", "c1"), tool_response: "a" }), alone)).toMatchObject({ code: 1 })

    // The next server continues the session.
    const next = start(["hooks", "serve", "--json"], { env })
    await new Promise((resolve) => next.child.stdout.once("data", resolve))
    expect(await hook(at("PostToolUse", { ...bash("npm test", "c4"), tool_response: "ok" }), env)).toEqual(passed)
    next.child.kill("SIGINT")
    await next.ended

    const removed = await hindcast(["hooks", "uninstall", "--json"], { env })
    expect(JSON.parse(removed.stdout)).toMatchObject({ changed: true })
    expect(JSON.parse(fs.readFileSync(settings, "utf8"))).toEqual({})

    const { tasks } = (await document(["task", "ls", "--log", log])) as {
      tasks: ReadonlyArray<{ id: string; goal: string }>
    }
    expect(tasks.map(({ id }) => id).sort()).toEqual(["claude-code-s", "claude-code-s2", "claude-code-s3"])
    const events = (await listed(["--log", log, "--limit", "100"])) as ReadonlyArray<Record<string, unknown>>
    expect(events.map(({ type }) => type)).toContain("CommandDenied")
    const ended = events.find(
      ({ type, payload }) => type === "CommandSucceeded" && JSON.stringify(payload).includes("/c4"),
    )
    expect(ended).toMatchObject({ taskId: "claude-code-s" })
    expect((await hindcast(["log", "verify", "--log", log])).code).toBe(0)
  })

  it("starts a server by its first hook, also where the file of a killed one names a process that is another now", async () => {
    const HINDCAST_STATE = place.file("own")
    const env = { HINDCAST_STATE }
    fs.mkdirSync(path.join(HINDCAST_STATE, "hooks"), { recursive: true, mode: 0o700 })
    const stale = { socket: path.join(HINDCAST_STATE, "hooks", "1-a.sock"), token: "t", pid: process.pid, log: "x" }
    fs.writeFileSync(path.join(HINDCAST_STATE, "hooks", "door.json"), JSON.stringify(stale), { mode: 0o600 })
    expect(await hook(at("PreToolUse", bash("ls", "c1")), env)).toEqual({ code: 0, stdout: "", stderr: "" })
    const door = fs.readFileSync(path.join(HINDCAST_STATE, "hooks", "door.json"), "utf8")
    const { pid, log, token } = JSON.parse(door)
    try {
      // Every user of the machine may read a command line, and this user's other programs an environment.
      const shown = process.platform === "linux" ? ["cmdline", "environ"].map((name) => `/proc/${pid}/${name}`) : []
      expect(token).toMatch(/^.{16,}$/)
      for (const file of [...shown, log, `${log}-wal`].filter((file) => fs.existsSync(file)))
        expect(fs.readFileSync(file, "latin1"), file).not.toContain(token)
      expect(fs.statSync(path.join(HINDCAST_STATE, "hooks", "door.json")).mode & 0o77).toBe(0)
      expect(log).toBe(path.join(HINDCAST_STATE, "hooks", "sessions.db"))
    } finally {
      process.kill(pid, "SIGKILL")
    }
  })

  it("has a socket that other users cannot open, also where the store's path is too long for one", async () => {
    const long = place.file(path.join("x".repeat(60), "y".repeat(60)))
    fs.mkdirSync(long, { recursive: true })
    for (const HINDCAST_STATE of [place.file("sockets"), path.join(long, "state")]) {
      const env = { HINDCAST_STATE }
      const first = start(["hooks", "serve", "--json"], { env })
      await new Promise((resolve) => first.child.stdout.once("data", resolve))
      const file = path.join(HINDCAST_STATE, "hooks", "door.json")
      const { socket, token } = JSON.parse(fs.readFileSync(file, "utf8"))
      expect([fs.statSync(socket).isSocket(), fs.statSync(socket).mode & 0o77]).toEqual([true, 0])
      expect(fs.statSync(path.dirname(socket)).mode & 0o77).toBe(0)
      expect(await hook(at("PreToolUse", bash("ls", "c1")), env)).toEqual({ code: 0, stdout: "", stderr: "" })
      // The token is in no command line, for all users to read.
      expect(first.child.spawnargs.join(" ")).not.toContain(token)
      // A killed server leaves its socket. The next one removes it, and its own when it ends.
      first.child.kill("SIGKILL")
      await first.ended
      expect(fs.existsSync(socket)).toBe(true)
      const next = start(["hooks", "serve", "--json"], { env })
      await new Promise((resolve) => next.child.stdout.once("data", resolve))
      expect(fs.existsSync(socket)).toBe(false)
      const own = JSON.parse(fs.readFileSync(file, "utf8")).socket
      next.child.kill("SIGTERM")
      await next.ended
      expect([fs.existsSync(own), fs.existsSync(file)]).toEqual([false, false])
      expect(fs.existsSync(path.dirname(own))).toBe(path.dirname(own) === path.dirname(file))
    }
  })

  it("refuses a call whenever the server or the payload is not what it should be", async () => {
    const HINDCAST_STATE = place.file("strangers")
    fs.mkdirSync(path.join(HINDCAST_STATE, "hooks"), { recursive: true, mode: 0o700 })
    let answer: readonly [status: number, body: string] = [200, ""]
    const stranger = http.createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        if (answer[0] === 0) request.socket.destroy()
        else response.writeHead(answer[0]).end(answer[1])
      })
    })
    const socket = path.join(HINDCAST_STATE, "hooks", "1-a.sock")
    await new Promise<void>((resolve) => stranger.listen(socket, resolve))
    const door = { socket, token: "t", pid: process.pid, log: "x" }
    fs.writeFileSync(path.join(HINDCAST_STATE, "hooks", "door.json"), JSON.stringify(door))
    const env = { HINDCAST_STATE, HINDCAST_HOOKS_START: "never" }
    const call = at("PreToolUse", bash("ls", "c1"))
    const answers = [
      [401, "{}"],
      [500, "x"],
      [200, "x"],
      [200, "{}"],
      [200, '{"stdout":"","stderr":"","exitCode":7}'],
      [0, ""],
    ] as const
    for (const one of answers) {
      answer = one
      expect((await hook(call, env)).code, JSON.stringify(one)).toBe(2)
    }
    stranger.close()
    const latin = Buffer.from(JSON.stringify(at("PreToolUse", bash("rm caf\u00e9", "c1"))), "latin1")
    for (const payload of ["", "not json", "[]", "null", '{"hook_event_name":7}', latin])
      expect((await hook(payload, env)).code).toBe(2)
  })

  it("leaves settings alone that changed since they were read", () => {
    const file = place.file("changing.json", "{}\n")
    fs.writeFileSync(file, '{"model": "new"}\n')
    for (const text of ['{"hooks": {}}\n', undefined])
      expect(() => HookPlaces.replace(file, "{}\n", text)).toThrow("changed while it was edited")
    expect(fs.readFileSync(file, "utf8")).toBe('{"model": "new"}\n')
    expect(fs.readdirSync(place.directory).filter((name) => name.includes("changing"))).toEqual(["changing.json"])
    HookPlaces.replace(file, '{"model": "new"}\n', "{}\n")
    expect(fs.readFileSync(file, "utf8")).toBe("{}\n")
  })

  it("refuses settings that the client would ignore as a whole, and clients that it does not know", async () => {
    const CLAUDE_CONFIG_DIR = place.file("broken")
    fs.mkdirSync(CLAUDE_CONFIG_DIR)
    const settings = path.join(CLAUDE_CONFIG_DIR, "settings.json")
    fs.writeFileSync(settings, "{ // mine\n}")
    const env = { HINDCAST_STATE: place.file("state-2"), CLAUDE_CONFIG_DIR }
    const broken = await hindcast(["hooks", "install"], { env })
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("expected JSON") })
    expect(fs.readFileSync(settings, "utf8")).toBe("{ // mine\n}")
    expect(await hindcast(["hooks", "install", "vim"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("claude-code"),
    })
    expect((await hindcast(["hooks", "install", "--gate", place.file("none.yaml")], { env })).code).not.toBe(0)
  })
})
