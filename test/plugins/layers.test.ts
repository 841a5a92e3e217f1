import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as AtomicFile from "../../src/platform/AtomicFile.ts"
import { pathsIn } from "../../src/plugins/sandbox/Libraries.ts"
import { DEFAULTS } from "../../src/plugins/sandbox/Limits.ts"
import { LAYERS } from "../../src/plugins/sandbox/layers/Layer.ts"
import { fstabLine, mountPoints } from "../../src/plugins/sandbox/layers/Mounts.ts"
import { userOf } from "../../src/plugins/sandbox/layers/User.ts"
import * as Sandbox from "../../src/plugins/sandbox/Sandbox.ts"
import { testLayer } from "../../src/plugins/sandbox/Trial.ts"
import { MAIN } from "../built.ts"
import { start, temporaryDirectory, writeFiles } from "./fixtures.ts"
import { confiningBy, inLayer, isThere, layers, layersNamed, namespaces, sayWhichLayers } from "./layers.ts"

sayWhichLayers()

/** What a program answers that runs in a Deno that may do everything, with nothing but a layer to hold it. */
const alone = <A>(layer: (typeof LAYERS)[number], source: string, answer: Schema.Schema<A>) =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    yield* writeFiles(base, { "plugin/main.ts": source, "deno/.keep": "" })
    const confining = confiningBy(layer)
    const [directory, denoDir] = [path.join(base, "plugin"), path.join(base, "deno")]
    const runner = path.join(directory, "main.ts")
    const grants = { read: [], write: [], net: [], env: [], run: [], runAny: false }
    const { command, args, env, cwd } = Sandbox.confined(
      confining,
      { runner, directory, denoDir, grants, limits: { ...DEFAULTS, niceness: 0 } },
      [confining.tools.deno, "run", "-A", "--quiet", "--no-config", runner],
      "nothing",
    )
    const text = execFileSync(command, [...args], { env, cwd, encoding: "utf8" })
    return Schema.decodeUnknownSync(Schema.parseJson(answer))(text)
  })

const Status = Schema.Record({ key: Schema.String, value: Schema.String })

const STATUS = `const lines = Deno.readTextFileSync("/proc/self/status").split("\\n").map((line) => line.split(":\\t"))
  console.log(JSON.stringify(Object.fromEntries(lines.filter(([name]) => /^(Cap...|NoNewPrivs)$/.test(name)))))`

/** Each tries to undo the disk it is on; they answer 0 where they succeed. */
const UNDO = `
  const libc = Deno.dlopen("libc.so.6", {
    mount: { parameters: ["buffer", "buffer", "buffer", "u64", "pointer"], result: "i32" },
    umount2: { parameters: ["buffer", "i32"], result: "i32" },
    unshare: { parameters: ["i32"], result: "i32" },
    chroot: { parameters: ["buffer"], result: "i32" },
  }).symbols
  const text = (value) => new TextEncoder().encode(value + "\\0")
  const [REMOUNT, BIND, DETACH, NEWNS] = [32n, 4096n, 2, 0x20000]
  const own = import.meta.dirname
  console.log(JSON.stringify({
    remount: libc.mount(text("none"), text(own), text("none"), REMOUNT | BIND, null),
    remountRoot: libc.mount(text("none"), text("/"), text("none"), REMOUNT | BIND, null),
    mount: libc.mount(text("tmpfs"), text(own), text("tmpfs"), 0n, null),
    umount: libc.umount2(text(own), DETACH), umountProc: libc.umount2(text("/proc"), DETACH),
    unshare: libc.unshare(NEWNS), chroot: libc.chroot(text(own)),
  }))`

const DENIED = { remount: -1, remountRoot: -1, mount: -1, umount: -1, umountProc: -1, unshare: -1, chroot: -1 }

describe.each(layers)("a process in the layer %s", (layer) => {
  const READS = "0000000000000004"
  const NONE = "0000000000000000"

  it.scopedLive.each(layer === "none" ? [] : [layer])("has no capability and gains none, but to read as %s", () =>
    Effect.gen(function* () {
      const left = layer === "user" ? READS : NONE
      const status = yield* alone(layer, STATUS, Status)
      expect(status).toMatchObject({ NoNewPrivs: "1", CapEff: left, CapPrm: left, CapInh: left, CapAmb: left })
    }),
  )

  it.scopedLive.each(namespaces.includes(layer) ? [layer] : [])("cannot undo the disk it is on: %s", () =>
    Effect.gen(function* () {
      expect(yield* alone(layer, UNDO, Schema.Struct({ ...mapped(DENIED) }))).toEqual(DENIED)
    }),
  )

  it.scopedLive(
    "reads its files where paths are such that a shell or a table of mounts would read them otherwise",
    () =>
      Effect.gen(function* () {
        const directory = `we"ird $(touch x) 'dir' \\040 \`é\` #; ../`.replace("/", "_")
        const { process, workspace } = yield* start({
          entry: `export default { sensors: { own: () => Deno.readTextFileSync("looper-plugin.json").length > 0,
          data: (ctx) => Deno.readTextFileSync(ctx.workspace + "/" + ${JSON.stringify(`${directory}/data.txt`)}) } }`,
          sensors: ["own", "data"],
          directory,
          permissions: { read: ["."] },
          workspace: { [`${directory}/data.txt`]: "data" },
        })
        expect(path.basename(workspace)).toBe("workspace")
        expect([yield* process.read("own"), yield* process.read("data")]).toEqual([true, "data"])
      }).pipe(inLayer(layer)),
  )

  it.scopedLive("finds what Deno compiled of it in a cache that no process of it writes", () =>
    Effect.gen(function* () {
      const { process, events, workspace } = yield* start({
        entry: `const answer: number = 42; export default { sensors: { look: () => answer } }`,
        sensors: ["look"],
      })
      expect(yield* process.read("look")).toBe(42)
      expect(events.find(({ type }) => type === "PluginStarted")?.payload).toMatchObject({ layer })
      const cache = path.join(path.dirname(workspace), "deno")
      const files = fs.readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["main.ts.js"]))
      // Where nothing else keeps Deno from it, it makes the files of its databases, and cannot fill them.
      const databases = files.filter(({ name }) => name.includes("_cache_v"))
      expect(databases.map(({ name }) => fs.statSync(path.join(cache, name)).size)).toEqual(databases.map(() => 0))
    }).pipe(inLayer(layer)),
  )
})

const mapped = (answers: { readonly [name: string]: number }) =>
  Object.fromEntries(Object.keys(answers).map((name) => [name, Schema.Int]))

describe("a machine that forbids namespaces", () => {
  const Found = Schema.Struct({ layer: Schema.String, why: Schema.String })

  if (!namespaces.includes("unshare"))
    it("NOT TESTED: there is no unshare", () => expect(layers).not.toContain("unshare"))

  it.each(namespaces.includes("unshare") ? ["unshare"] : [])(
    "is found out by trying: %s is there and is refused",
    () => {
      const script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"'
      const inside = ["setpriv", "--bounding-set=-sys_admin", process.execPath, MAIN, "doctor", "--json"]
      const text = execFileSync("unshare", ["--user", "--map-root-user", "sh", "-c", script, ...inside], {
        encoding: "utf8",
      })
      const { layer, why } = Schema.decodeUnknownSync(Schema.parseJson(Found))(text)
      expect(layer).toBe("none")
      expect(why).toContain(
        "unshare is installed but does not work here (unshare: unshare failed: No space left on device)",
      )
    },
  )
})

describe("the layers to test", () => {
  it("are named in any order, and a wrong word is an error that names the right ones", () => {
    expect(layersNamed("none, unshare")).toEqual(["none", "unshare"])
    for (const wrong of ["", "namespaces", "unshare,,none", "bwrap"]) {
      expect(() => layersNamed(wrong), wrong).toThrow("expected some of bubblewrap, unshare, user, none")
    }
  })

  it("a layer that cannot be had is not taken for tested", () => {
    for (const layer of LAYERS.filter((layer) => !isThere(layer))) {
      expect(() => confiningBy(layer)).toThrow(`asks for the layer ${layer}, which this machine does not have`)
    }
    expect(layers.map((layer) => confiningBy(layer).layer)).toEqual(layers)
  })
})

describe("a table of mounts", () => {
  it("holds any path, byte by byte, and is read back as it was", () => {
    const source = `/a b\t"c"\n\\040#é`
    const line = fstabLine({ source, target: "/t", type: "none", options: "bind,ro" })
    expect(line).toBe("/a\\040b\\011\\042c\\042\\012\\134040\\043\\303\\251 /t none bind,ro 0 0")
    expect(mountPoints("36 35 98:0 / /a\\040b\\011c\\134d rw - ext4 /dev/root rw\n")).toEqual(["/a b\tc\\d"])
  })
})

describe("what a program is linked with", () => {
  it("is what the dynamic linker says, with the linker itself and without what is in no file", () => {
    const trace = `\tlinux-vdso.so.1 (0x00007ffd)\n\tlibc.so.6 => /lib/x y/libc.so.6 (0x00007f)\n\tlibgone.so => not found\n\t/lib64/ld-linux.so.2 (0x00007e)\n`
    expect(pathsIn(trace)).toEqual(["/lib/x y/libc.so.6", "/lib64/ld-linux.so.2"])
    expect(pathsIn("\tstatically linked\n")).toEqual([])
  })
})

describe("the user of a plugin", () => {
  it("is one of its own, the same each time, above all others or, with few ids, among those nobody is given", () => {
    const all = "         0          0 4294967295\n"
    const few = "         0     100000      65536\n"
    expect(userOf("/log.plugins/a.deno", all)).toBe(userOf("/log.plugins/a.deno", all))
    expect(userOf("/log.plugins/a.deno", all)).not.toBe(userOf("/log.plugins/b.deno", all))
    expect(userOf("/log.plugins/a.deno", all)).toBeGreaterThanOrEqual(1_900_000_000)
    expect(userOf("/log.plugins/a.deno", few)).toBeGreaterThanOrEqual(60_578)
    expect(userOf("/log.plugins/a.deno", few)).toBeLessThan(61_184)
  })
})

describe("the trial of a layer", () => {
  it.live("leaves nothing behind, and removes what a killed one left", () =>
    Effect.gen(function* () {
      const [layer = "none"] = layers
      const dead = execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }).trim()
      const mine = AtomicFile.nameFor(path.join(os.tmpdir(), "hindcast-sandbox"))
      const left = mine.replace(`-${process.pid}-`, `-${dead}-`)
      fs.mkdirSync(left)
      expect(yield* testLayer(confiningBy(layer))).toBe(undefined)
      expect(fs.existsSync(left)).toBe(false)
      const own = fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("hindcast-sandbox."))
      expect(own.filter((name) => name.includes(`-${process.pid}-`))).toEqual([])
    }),
  )
})
