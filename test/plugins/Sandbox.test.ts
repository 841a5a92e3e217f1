import { spawn } from "node:child_process"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Grants } from "../../src/plugins/Grants.ts"
import { layer } from "../../src/plugins/PluginHost.ts"
import * as Sandbox from "../../src/plugins/Sandbox.ts"
import * as Tools from "../../src/plugins/Tools.ts"
import { isAlive, start, temporaryDirectory, writeFiles } from "./fixtures.ts"

const provide = Effect.provide(layer)

const nothing: Grants = { read: [], write: [], net: [], env: [], run: [], runAny: false }
const confinement = { runner: "/runner.ts", directory: "/plugin", grants: nothing, denoDir: "/deno" }

describe("command", () => {
  it("without grants everything is denied but reading the plugin's own directory", () => {
    const { permissions } = Sandbox.command({ deno: "/bin/deno" }, confinement)
    expect(permissions).toEqual([
      ...["--deny-write", "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import"],
      ...["--deny-net", "--deny-env", "--allow-read=/plugin"],
    ])
  })

  it("what is granted is allowed by name instead of denied; running and writing never are", () => {
    const grants = {
      ...nothing,
      read: ["/work"],
      write: ["/work"],
      net: ["a.org", "b.org:1"],
      env: ["TOKEN"],
      run: ["git"],
      runAny: true,
    }
    const { permissions } = Sandbox.command({ deno: "/bin/deno" }, { ...confinement, grants })
    expect(permissions).toEqual([
      ...["--deny-write", "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import"],
      ...["--allow-net=a.org,b.org:1", "--allow-env=TOKEN", "--allow-read=/plugin,/work"],
    ])
  })

  it("what is forbidden is denied where a grant would reach it, and is not granted itself", () => {
    const read = ["/work", "/work/.log/side/other"]
    const forbidden = ["/work/.log/log.db", "/work/.log/side", "/elsewhere/log.db"]
    const own = { directory: "/work/.log/side/own", forbidden }
    const flags = (grants: Grants) =>
      Sandbox.command({ deno: "/bin/deno" }, { ...confinement, ...own, grants }).permissions.slice(-2)
    expect(flags({ ...nothing, read })).toEqual([
      "--allow-read=/work/.log/side/own,/work",
      "--deny-read=/work/.log/log.db,/work/.log/side",
    ])
    expect(flags(nothing)).toEqual(["--deny-env", "--allow-read=/work/.log/side/own"])
  })

  it("of the host's environment only what is granted is passed on, and nothing that steers Deno", () => {
    const grants = { ...nothing, env: ["TOKEN", "DENO_V8_FLAGS", "LD_PRELOAD", "ABSENT"] }
    const host = { TOKEN: "t", DENO_V8_FLAGS: "x", LD_PRELOAD: "y", OTHER: "z" }
    expect(Sandbox.command({ deno: "/bin/deno" }, { ...confinement, grants }, host).env).toEqual({
      ...{ TOKEN: "t", DENO_DIR: "/deno", DENO_NO_PACKAGE_JSON: "1", DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    })
  })

  it("where setpriv is there, the process dies with its parent and gains no privileges", () => {
    const { command, args } = Sandbox.command({ deno: "/bin/deno", setpriv: "/bin/setpriv" }, confinement)
    expect([command, ...args].slice(0, 6)).toEqual([
      "/bin/setpriv",
      "--pdeathsig",
      "KILL",
      "--no-new-privs",
      "/bin/deno",
      "run",
    ])
    expect(args.at(-1)).toBe("/runner.ts")
  })
})

describe("a plugin without grants", () => {
  const attempts = {
    "read a file of the system": `Deno.readTextFileSync("/etc/passwd")`,
    "read beside its directory": `Deno.readTextFileSync("../workspace/.keep")`,
    "write a file": `Deno.writeTextFileSync("own.txt", "")`,
    "use the network": `await fetch("http://127.0.0.1:9999/")`,
    "listen on the network": `Deno.listen({ port: 0 })`,
    "start a command": `new Deno.Command("/usr/bin/id").outputSync()`,
    "start a command by Node's module": `(await import("node:child_process")).execFileSync("/usr/bin/id", { env: {} })`,
    "read the environment": `Deno.env.toObject()`,
    "read one variable": `Deno.env.get("PATH")`,
    "load a library": `Deno.dlopen("libc.so.6", {})`,
    "ask the system about itself": `Deno.hostname()`,
    "import a file of the system": `await import("file:///etc/passwd")`,
    "import a file of the system as text": `await import("file:///etc/passwd", { with: { type: "text" } })`,
    "import from the network": `await import("https://example.org/x.js")`,
    "ask for more": `if ((await Deno.permissions.request({ name: "run" })).state !== "granted") throw new Error("not granted")`,
    "keep something in localStorage": `localStorage.setItem("a", "b")`,
    "keep something in a cache": `await caches.open("x")`,
  }

  it.scopedLive.each(Object.entries(attempts))("cannot %s", ([, source]) =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: { attempt: async () => { ${source}; return "done" } } }`,
        sensors: ["attempt"],
      })
      const error = yield* Effect.flip(process.read("attempt"))
      expect(error._tag).toBe("CallFailed")
      expect(error.message).toMatch(/Requires \w+ access|Not a directory|Failed to create cache storage|: not granted$/)
    }).pipe(provide),
  )

  it.scopedLive("cannot import a file of the system in its first line", () =>
    Effect.gen(function* () {
      const entry = `import text from "/etc/passwd" with { type: "text" }; export default { sensors: { look: () => text } }`
      const error = yield* Effect.flip(start({ entry, sensors: ["look"] }))
      expect(error).toMatchObject({ _tag: "PluginFailedToLoad" })
      expect(error.message).toContain("Requires read access")
    }).pipe(provide),
  )

  it.scopedLive("reads its own files, and imports its own modules", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: { own: () => Deno.readTextFileSync("looper-plugin.json").length > 0 } }`,
        sensors: ["own"],
      })
      expect(yield* process.read("own")).toBe(true)
    }).pipe(provide),
  )
})

describe("a plugin with grants", () => {
  it.scopedLive("reads the workspace where its manifest asks for it", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: { note: (ctx) => Deno.readTextFileSync(ctx.workspace + "/note.txt") } }`,
        sensors: ["note"],
        permissions: { read: ["."] },
        workspace: { "note.txt": "hello" },
      })
      expect(yield* process.read("note")).toBe("hello")
    }).pipe(provide),
  )

  it.scopedLive("asks the host to read, write and run within them, and every request is in the log", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { actuators: { copy: async (ctx) => {
          await ctx.writeFile("copy.txt", await ctx.readFile("note.txt"))
          const { code, stdout } = await ctx.run("cat", ["copy.txt"])
          const denied = await ctx.run("id").catch((error) => error.code)
          return { code, stdout, denied } } } }`,
        actuators: ["copy"],
        permissions: { read: ["."], write: ["."], run: ["cat"] },
        workspace: { "note.txt": "hello" },
      })
      const causationId = "01890000-0000-7000-8000-000000000000"
      const answer = yield* process.act("copy", {}, { causationId })
      expect(answer).toEqual({ result: { code: 0, stdout: "hello", denied: "RunNotGranted" } })
      const brokered = events.filter(({ type }) => type.startsWith("Broker"))
      expect(brokered.map((event) => event.causationId)).toEqual(Array(8).fill(causationId))
      expect(brokered.map(({ type, payload }) => [type, payload])).toMatchObject([
        ["BrokerRequested", { method: "readFile", request: { path: "note.txt" } }],
        ["BrokerAnswered", { answer: { bytes: 5 } }],
        ["BrokerRequested", { method: "writeFile", request: { path: "copy.txt", bytes: 5 } }],
        ["BrokerAnswered", { answer: { bytes: 5 } }],
        ["BrokerRequested", { method: "run", request: { command: "cat", args: ["copy.txt"] } }],
        ["BrokerAnswered", { answer: { code: 0 } }],
        ["BrokerRequested", { method: "run", request: { command: "id" } }],
        ["BrokerAnswered", { error: { code: "RunNotGranted" } }],
      ])
      expect(JSON.stringify(brokered)).not.toContain("hello")
    }).pipe(provide),
  )

  it.scopedLive("a command that runs for a call ends with the call", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `let told
        export default { sensors: { wait: (ctx) => ctx.run("sleep", ["60"]), after: () => told },
          actuators: { leave: (ctx) => { told = new Promise((r) => setTimeout(r, 0)).then(() => ctx.readFile("x")).catch((e) => e.code); return 1 } } }`,
        sensors: ["wait", "after"],
        actuators: ["leave"],
        permissions: { run: ["sleep"] },
      })
      expect(yield* Effect.flip(process.read("wait", { timeoutMs: 100 }))).toMatchObject({ _tag: "CallTimedOut" })
      yield* process.act("leave", {})
      expect(yield* process.read("after")).toBe("CallOver")
      expect(events.filter(({ type }) => type === "BrokerAnswered").map(({ payload }) => payload)).toMatchObject([
        { error: { code: "Cancelled" } },
      ])
    }).pipe(provide),
  )
})

describe("a plugin whose copy is kept in the workspace, beside the log", () => {
  const place = {
    directory: "workspace/.log/plugins/own",
    forbidden: ["workspace/.log/log.db", "workspace/.log/plugins"],
    workspace: { ".log/log.db": "log", ".log/plugins/other/main.ts": "export default 1", "note.txt": "note" },
    permissions: { read: [".", "data"], write: ["."] },
  }

  it.scopedLive("reads the workspace and itself, but neither log nor other plugins, by itself or by the host", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        ...place,
        entry: `export default { actuators: {
          alone: (ctx, { path }) => Deno.readTextFileSync(ctx.workspace + "/" + path),
          imports: async (ctx, { path }) => (await import("file://" + ctx.workspace + "/" + path)).default,
          asks: (ctx, { path }) => ctx.readFile(path),
          writes: (ctx, { path }) => ctx.writeFile(path, "gone").then(() => null),
        } }`,
        actuators: ["alone", "imports", "asks", "writes"],
      })
      const result = (name: string, path: string) => Effect.map(process.act(name, { path }), ({ result }) => result)
      const code = (name: string, path: string) =>
        Effect.map(Effect.flip(process.act(name, { path })), (error) =>
          error._tag === "CallFailed" ? error.error.code : error._tag,
        )
      const own = ".log/plugins/own/main.ts"
      expect(yield* result("alone", own)).toContain("export default")
      expect(yield* result("asks", own)).toContain("export default")
      expect([yield* result("alone", "note.txt"), yield* result("asks", "note.txt")]).toEqual(["note", "note"])
      for (const path of [".log/log.db", ".log/plugins/other/main.ts"]) {
        expect(yield* code("alone", path)).toBe("NotCapable")
        expect(yield* code("asks", path)).toBe("ReadForbidden")
        expect(yield* code("writes", path)).toBe("WriteForbidden")
      }
      const imported = yield* Effect.flip(process.act("imports", { path: ".log/plugins/other/main.ts" }))
      expect(imported.message).toContain("Requires read access")
      expect(yield* code("writes", own)).toBe("WriteForbidden")
    }).pipe(provide),
  )

  it.scopedLive("is not started where a path would split a permission flag in two", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(start({ entry: "export default {}", directory: "a,b" }))
      expect(error._tag).toBe("PluginUnavailable")
      expect(error.message).toContain("expected paths without commas and line breaks")
    }).pipe(provide),
  )
})

describe("a killed host", () => {
  it.scopedLive("leaves no plugin process behind, not even one that never reads its input", () =>
    Effect.gen(function* () {
      const tools = yield* Tools.find
      const base = yield* temporaryDirectory
      const spinning = `console.log(Deno.pid); for (;;);`
      yield* writeFiles(base, { "spin.ts": spinning, "host.mjs": HOST })
      const sandboxed = Sandbox.command(tools, {
        ...{ runner: path.join(base, "spin.ts"), directory: base, grants: nothing, denoDir: path.join(base, "deno") },
      })
      const host = spawn(process.execPath, [path.join(base, "host.mjs"), JSON.stringify(sandboxed)], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      const pid = yield* Effect.async<number>((resume) => {
        host.stdout.once("data", (line: Buffer) => resume(Effect.succeed(Number(line.toString()))))
      })
      expect(isAlive(pid)).toBe(true)
      host.kill("SIGKILL")
      yield* Effect.eventually(Effect.suspend(() => (isAlive(pid) ? Effect.fail("alive") : Effect.void)))
    }),
  )
})

/** A host that starts a plugin's command line and passes on what it prints. */
const HOST = `import { spawn } from "node:child_process"
const { command, args, cwd, env } = JSON.parse(process.argv[2])
spawn(command, args, { cwd, env, stdio: ["pipe", "inherit", "inherit"], detached: true })
setInterval(() => {}, 1000)
`
