import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import type { Grants } from "../../src/plugins/manifest/Grants.ts"
import { DEFAULTS, limitsOf } from "../../src/plugins/sandbox/Limits.ts"
import { tierOf } from "../../src/plugins/sandbox/layers/Layer.ts"
import * as Sandbox from "../../src/plugins/sandbox/Sandbox.ts"
import { temporaryDirectory } from "../temporary.ts"
import { start } from "./fixtures.ts"
import { inLayer, isBounded, layers, namespaces, sayWhichLayers, strongest } from "./layers.ts"

const provide = inLayer(strongest)

const nothing: Grants = { read: [], write: [], net: [], env: [], run: [], runAny: false }
const confinement = { runner: "/runner.ts", directory: "/plugin", grants: nothing, denoDir: "/deno", limits: DEFAULTS }
const tools = {
  deno: "/bin/deno",
  setpriv: "/bin/setpriv",
  prlimit: "/bin/prlimit",
  nice: "/bin/nice",
  sh: "/bin/sh",
  bwrap: "/bin/bwrap",
}

const DENIALS = ["--deny-write", "--deny-net", "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import"]

describe("command", () => {
  const bare: Sandbox.AvailableLayer = { tools: { deno: "/bin/deno" }, layer: "none", libraries: [] }

  it("without grants everything is denied but reading the plugin's own directory", () => {
    const { permissions } = Sandbox.command(bare, confinement)
    expect(permissions).toEqual([...DENIALS, "--deny-env", "--allow-read=/plugin"])
  })

  it("what is granted is allowed by name instead of denied; running, writing and the network never are", () => {
    const grants = {
      ...nothing,
      read: ["/work"],
      write: ["/work"],
      net: ["a.org", "b.org:1"],
      env: ["TOKEN"],
      run: ["git"],
      runAny: true,
    }
    const { permissions } = Sandbox.command(bare, { ...confinement, grants })
    expect(permissions).toEqual([...DENIALS, "--allow-env=TOKEN", "--allow-read=/plugin,/work"])
  })

  it("what is forbidden is denied where a grant would reach it, and is not granted itself", () => {
    const read = ["/work", "/work/.log/side/other"]
    const forbidden = ["/work/.log/log.db", "/work/.log/side", "/elsewhere/log.db"]
    const own = { directory: "/work/.log/side/own", forbidden }
    const flags = (grants: Grants) => Sandbox.command(bare, { ...confinement, ...own, grants }).permissions.slice(-2)
    expect(flags({ ...nothing, read })).toEqual([
      "--allow-read=/work/.log/side/own,/work",
      "--deny-read=/work/.log/log.db,/work/.log/side",
    ])
    expect(flags(nothing)).toEqual(["--deny-env", "--allow-read=/work/.log/side/own"])
  })

  it("of the host's environment only what is granted is passed on, and nothing that steers Deno", () => {
    const grants = { ...nothing, env: ["TOKEN", "DENO_V8_FLAGS", "LD_PRELOAD", "ABSENT"] }
    const host = { TOKEN: "t", DENO_V8_FLAGS: "x", LD_PRELOAD: "y", OTHER: "z" }
    expect(Sandbox.command(bare, { ...confinement, grants }, host).env).toEqual({
      TOKEN: "t",
      DENO_DIR: "/deno",
      DENO_NO_PACKAGE_JSON: "1",
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
      DENO_WEBGPU_BACKEND: "none",
      MALLOC_ARENA_MAX: "2",
      MALLOC_MMAP_THRESHOLD_: "1048576",
    })
  })

  it("a process in the flags tier stands back, is bounded, dies with its parent and gains no privileges", () => {
    const limits = limitsOf({ heapMiB: 64, memoryMiB: 100, descriptors: 99, niceness: 7 }, { wasmPages: 10 })
    const { command, args } = Sandbox.command({ tools, layer: "none", libraries: [] }, { ...confinement, limits })
    expect([command, ...args].slice(0, 17)).toEqual([
      ...["/bin/nice", "-n", "7"],
      ...["/bin/prlimit", `--data=${(544 + 64 + 100) * 1024 * 1024}`, "--nofile=99", "--core=0", "--"],
      ...["/bin/sh", "-c", `ulimit -f 0 && trap "" XFSZ && exec "$@"`, "hindcast"],
      ...["/bin/setpriv", "--pdeathsig", "KILL", "--no-new-privs", "/bin/deno"],
    ])
    expect(args.slice(-2)).toEqual(["--v8-flags=--max-old-space-size=64,--wasm-max-mem-pages=10", "/runner.ts"])
  })

  it("a process of a user of its own keeps the right to read, and no other", () => {
    const { command, args } = Sandbox.command({ tools, layer: "user", libraries: [] }, confinement)
    const line = [command, ...args].join(" ")
    expect(line).toMatch(
      /setpriv --pdeathsig KILL --no-new-privs --reuid=(\d+) --regid=\1 --clear-groups --bounding-set=/,
    )
    for (const set of ["bounding-set", "inh-caps", "ambient-caps"])
      expect(line).toContain(`--${set}=-all,+dac_read_search `)
  })

  it("a process in the layer bubblewrap finds on its disk what it may read, and what it needs, and writes nothing", () => {
    const base = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-disk-"))
    const at = (name: string) => path.join(base, name)
    for (const name of ["work", "work/data", "plugin", "deno"]) fs.mkdirSync(at(name))
    fs.writeFileSync(at("runner.ts"), "")
    const grants = { ...nothing, read: [at("work/data"), at("work"), at("missing")] }
    const own = { runner: at("runner.ts"), directory: at("plugin"), denoDir: at("deno"), limits: DEFAULTS, grants }
    const { command, args } = Sandbox.command({ tools, layer: "bubblewrap", libraries: ["/lib/libc.so.6"] }, own)
    fs.rmSync(base, { recursive: true })
    const line = [command, ...args].join(" ").replaceAll(base, "")
    expect(line).toContain("/bin/bwrap --unshare-all --die-with-parent --cap-drop ALL --ro-bind /plugin /plugin")
    const disk = ["/work", "/work/data", "/runner.ts", "/plugin", "/bin/deno", "/lib/libc.so.6", "/deno"]
    expect(line).toContain(disk.map((place) => `--ro-bind ${place} ${place}`).join(" "))
    expect(line).toContain("--proc /proc --dev /dev --remount-ro /dev --remount-ro / --chdir /plugin -- /bin/deno run")
    expect(args).not.toContain("--bind")
    expect(args).not.toContain("--tmpfs")
  })
})

sayWhichLayers()

describe.each(layers)("in the layer %s", (layer) => {
  it.scopedLive.each(isBounded ? ["process"] : [])("a plugin's limits are those of its %s, and are recorded", () =>
    Effect.gen(function* () {
      const { process, events } = yield* start({
        entry: `export default { sensors: { look: () => 1 } }`,
        sensors: ["look"],
        limits: { descriptors: 123, niceness: 5 },
      })
      const pid = yield* Effect.promise(() => innermost(process.pid))
      const limits = yield* Effect.promise(() => fs.promises.readFile(`/proc/${pid}/limits`, "utf8"))
      expect(limits).toMatch(/Max open files +123 +123/)
      expect(limits).toMatch(/Max core file size +0 +0/)
      expect(limits).toMatch(new RegExp(`Max data size +${(544 + 128 + 256) * 1024 * 1024} `))
      const stat = yield* Effect.promise(() => fs.promises.readFile(`/proc/${pid}/stat`, "utf8"))
      // After the command's name in parentheses, which may hold blanks, niceness is the 17th field: proc(5).
      expect(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]).toBe("5")
      // A user other than root may have to wait for it.
      const group = () => fs.promises.readFile(`/proc/${pid}/autogroup`, "utf8").catch(() => "nice 5")
      yield* Effect.promise(() => vi.waitFor(async () => expect(await group()).toContain("nice 5"), 10_000))
      const started = events.find(({ type }) => type === "PluginStarted")
      expect(started?.payload).toMatchObject({
        sandbox: tierOf(layer),
        layer,
        limits: { ...DEFAULTS, descriptors: 123, niceness: 5 },
      })
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("cannot import a file of the system in its first line", () =>
    Effect.gen(function* () {
      const entry = `import text from "/etc/passwd" with { type: "text" }; export default { sensors: { look: () => text } }`
      const error = yield* Effect.flip(start({ entry, sensors: ["look"] }))
      expect(error).toMatchObject({ _tag: "PluginFailedToLoad" })
      expect(error.message).toContain("Requires read access")
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("reads its own files, and imports its own modules", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: { own: () => Deno.readTextFileSync("looper-plugin.json").length > 0 } }`,
        sensors: ["own"],
      })
      expect(yield* process.read("own")).toBe(true)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("reads a variable that was granted, and no other", () =>
    Effect.gen(function* () {
      process.env.HINDCAST_TEST_GRANTED = "granted"
      const { process: plugin } = yield* start({
        entry: `export default { sensors: { own: () => Deno.env.get("HINDCAST_TEST_GRANTED"), other: () => Deno.env.get("PATH") } }`,
        sensors: ["own", "other"],
        permissions: { env: ["HINDCAST_TEST_GRANTED"] },
        grants: { env: ["HINDCAST_TEST_GRANTED"] },
      })
      expect(yield* plugin.read("own")).toBe("granted")
      expect((yield* Effect.flip(plugin.read("other"))).message).toContain("Requires env access")
    }).pipe(inLayer(layer)),
  )
})

/** The process inside of the processes that confine it. */
const innermost = async (pid: number): Promise<number> => {
  const children = (await fs.promises.readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim()
  return children === "" ? pid : innermost(Number(children.split(" ")[0]))
}

describe("a link that leaves what was granted", () => {
  const entry = `export default { sensors: { look: async (ctx) => {
    const tries = [() => Deno.readTextFileSync(ctx.workspace + "/link"), () => Deno.readTextFileSync(ctx.workspace + "/way/secret.txt"),
      () => ctx.readFile("link")]
    return await Promise.all(tries.map(async (read) => { try { return await read() } catch (e) { return e.code ?? e.name } })) } } }`
  const withLinks = (directory: string) =>
    Effect.promise(async () => {
      await fs.promises.mkdir(path.join(directory, "outside"), { recursive: true })
      await fs.promises.writeFile(path.join(directory, "outside/secret.txt"), "secret")
    })

  it.scopedLive("is refused in the flags tier before the plugin starts, by its name", () =>
    Effect.gen(function* () {
      const closed = path.join(yield* temporaryDirectory, "closed")
      fs.mkdirSync(closed, { mode: 0o000 })
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.chmodSync(closed, 0o700)))
      const targets = ["/etc/passwd", "../../outside/secret.txt", "/etc", "/missing/yet", "x/../../../outside"]
      for (const target of [...targets, path.join(closed, "yet")]) {
        const error = yield* Effect.flip(
          start({ entry, sensors: ["look"], permissions: { read: ["."] }, links: { "deep/link": target } }),
        )
        expect(error._tag, target).toBe("LinkLeaves")
        expect(error.message).toContain("/workspace/deep/link, which leads to")
        expect(error.message).toContain("apt-get install bubblewrap")
      }
    }).pipe(inLayer("none")),
  )

  it.scopedLive("may lead from one granted place to another, and a link into the log is refused", () =>
    Effect.gen(function* () {
      const sample = {
        entry: "export default {}",
        permissions: { read: ["."] },
        workspace: { "log.db": "log", "a.txt": "" },
      }
      const { process } = yield* start({ ...sample, links: { inside: "a.txt" } })
      expect(process.sandbox).toBe("flags")
      const error = yield* Effect.flip(
        start({ ...sample, links: { inside: "log.db" }, forbidden: ["workspace/log.db"] }),
      )
      expect(error).toMatchObject({ _tag: "LinkLeaves" })
    }).pipe(inLayer("none")),
  )

  it.scopedLive("may be one that Hindcast made for the commands of another log's plugin", () =>
    Effect.gen(function* () {
      const entry = `export default { sensors: { look: (ctx) =>
        ["fd/0", "stdout"].map((name) => { try { return Deno.readTextFileSync(ctx.workspace + "/a.db.plugins/p.deno/dev/" + name) } catch (e) { return e.name } }) } }`
      const dev = "a.db.plugins/p.deno/dev"
      const sample = { entry, sensors: ["look"], permissions: { read: ["."] } }
      const own = { [`${dev}/fd`]: "/proc/self/fd", [`${dev}/stdout`]: "/proc/self/fd/1" }
      const { process } = yield* start({ ...sample, links: own })
      expect(process.sandbox).toBe("flags")
      // Nothing is read through such a link.
      expect(yield* process.read("look")).toEqual(["NotCapable", expect.stringMatching(/^Not(Capable|Found)$/)])
      const others = [
        { [`${dev}/fd`]: "/proc/1/fd" },
        { [`${dev}/other`]: "/proc/self/fd" },
        { "p.deno/dev/fd": "/proc/self/fd" },
        { [`${dev}/fd/more`]: "/proc/self/fd" },
      ]
      for (const links of others) {
        const error = yield* Effect.flip(start({ ...sample, links }))
        expect(error._tag, JSON.stringify(links)).toBe("LinkLeaves")
      }
    }).pipe(inLayer("none")),
  )

  it.scopedLive("is refused in every tier where it is itself what was granted", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        start({ entry: "export default {}", permissions: { read: ["."] }, links: { way: "/etc" }, grantLink: "way" }),
      )
      expect(error).toMatchObject({ _tag: "LinkLeaves", target: "/etc" })
      expect(error.message).toContain("`--grant-read /etc` or `--grant-write /etc`")
    }).pipe(provide),
  )

  it.live.each(namespaces)("leads nowhere in the layer %s", (layer) =>
    Effect.gen(function* () {
      const links = { link: "../outside/secret.txt", way: "../outside" }
      const { process, workspace } = yield* start({ entry, sensors: ["look"], permissions: { read: ["."] }, links })
      yield* withLinks(path.dirname(workspace))
      expect(yield* process.read("look")).toEqual(["ENOENT", "ENOENT", "ReadNotGranted"])
    }).pipe(inLayer(layer), Effect.scoped),
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
      expect(yield* Effect.flip(process.read("wait", { timeoutMs: 1_000 }))).toMatchObject({ _tag: "CallTimedOut" })
      yield* process.act("leave", {})
      expect(yield* process.read("after")).toBe("CallOver")
      expect(events.filter(({ type }) => type === "BrokerAnswered").map(({ payload }) => payload)).toMatchObject([
        { error: { code: "Cancelled" } },
      ])
    }).pipe(provide),
  )
})

describe("a plugin whose copy is kept in the workspace, next to the log", () => {
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

  it.scopedLive("reaches no file of the user's store, though it was granted the home directory around it", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const store = path.join(home, ".local", "state", "hindcast")
      fs.mkdirSync(path.join(store, "logs"), { recursive: true })
      fs.writeFileSync(path.join(store, "logs", "record"), "trusted")
      fs.writeFileSync(path.join(home, "note.txt"), "note")
      const before = process.env.HINDCAST_STATE
      process.env.HINDCAST_STATE = store
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          process.env.HINDCAST_STATE = before
        }),
      )
      const started = yield* start({
        permissions: { read: [home], write: [home], run: ["cat"] },
        grants: { read: [home], write: [home] },
        entry: `export default { actuators: {
          alone: (ctx, { path }) => Deno.readTextFileSync(path),
          asks: (ctx, { path }) => ctx.readFile(path),
          writes: (ctx, { path }) => ctx.writeFile(path, "gone").then(() => null),
          runs: async (ctx, { path }) => (await ctx.run("cat", [path])).stdout,
        } }`,
        actuators: ["alone", "asks", "writes", "runs"],
      })
      const act = (name: string, path: string) => started.process.act(name, { path })
      const code = (name: string, path: string) =>
        Effect.map(Effect.flip(act(name, path)), (error) =>
          error._tag === "CallFailed" ? error.error.code : error._tag,
        )
      const record = path.join(store, "logs", "record")
      for (const name of ["alone", "asks", "runs"]) {
        expect((yield* act(name, path.join(home, "note.txt"))).result).toBe("note")
      }
      expect(yield* code("alone", record)).toBe("NotCapable")
      expect(yield* code("asks", record)).toBe("ReadForbidden")
      expect(yield* code("writes", record)).toBe("WriteForbidden")
      expect(yield* code("writes", path.join(store, "new"))).toBe("WriteForbidden")
      if (namespaces.includes(strongest)) expect((yield* act("runs", record)).result).toBe("")
      expect(fs.readFileSync(record, "utf8")).toBe("trusted")
    }).pipe(provide),
  )

  it.scopedLive("is not started where its cache cannot be made, and says so", () =>
    Effect.gen(function* () {
      // The plugin stands in a file's place.
      const error = yield* Effect.flip(start({ entry: "export default {}", directory: "deno/location_data" }))
      expect(error).toMatchObject({ _tag: "PluginUnavailable" })
      expect(error.message).toContain("location_data, which is not a file")
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
