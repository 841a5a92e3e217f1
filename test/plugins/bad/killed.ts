import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import type { AvailableLayer } from "../../../src/plugins/sandbox/Sandbox.ts"
import { program } from "../../built.ts"
import { bareManifest, isAlive, temporaryDirectory, writeFiles } from "../fixtures.ts"

const HOST = program(import.meta.url, "host")

/** A plugin that may be told to spin, with an ear for SIGTERM or without. */
const ENTRY = `export default { actuators: { do: (ctx, { kind }) => {
  if (kind === "resist") Deno.addSignalListener("SIGTERM", () => undefined)
  for (;;);
} } }`

/** What is left of a host with some plugins, of which some spin, after it was killed. */
export interface Remains {
  /** How many processes there were: each plugin's, and what confined it. */
  readonly processes: number
  /** Those that were still there when time was up. */
  readonly left: ReadonlyArray<number>
  /** Those that held a socket which whoever started the host had left open for it. */
  readonly holding: ReadonlyArray<number>
  readonly afterMs: number
}

/** Kills a host with SIGKILL while its plugins run in a layer, and waits until their processes are gone, at most so long. */
export const killHost = (confining: AvailableLayer, plugins: number, withinMs: number): Effect.Effect<Remains> =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const specs = Array.from({ length: plugins }, (_, index) => specOf(base, `plugin-${index}`))
    for (const { directory, manifest } of specs) {
      yield* writeFiles(directory, { "main.ts": ENTRY, "looper-plugin.json": JSON.stringify(manifest) })
    }
    yield* writeFiles(base, { "workspace/note.txt": "" })
    const host = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [HOST, JSON.stringify({ confining, specs })], {
          stdio: ["ignore", "pipe", "inherit", ...Array.from({ length: LEFT_OPEN - 3 }, () => undefined), "pipe"],
        }),
      ),
      (host) => Effect.sync(() => host.kill("SIGKILL")),
    )
    const line = yield* Effect.async<string>((resume) => {
      host.stdout?.once("data", (data: Buffer) => resume(Effect.succeed(data.toString())))
      host.once("exit", (code) => resume(Effect.dieMessage(`the host ended with code ${code} before it was killed`)))
    })
    const pids: ReadonlyArray<number> = JSON.parse(line)
    const processes = (yield* Effect.promise(() => Promise.all(pids.map(withChildren)))).flat()
    const leftOpen = yield* Effect.promise(() => fs.readlink(`/proc/${host.pid}/fd/${LEFT_OPEN}`))
    const held = yield* Effect.promise(() => Promise.all(processes.map(descriptorsOf)))
    const holding = processes.filter((_, index) => held[index]?.includes(leftOpen))
    host.kill("SIGKILL")
    const killedAt = performance.now()
    const left = () => processes.filter(isAlive)
    while (left().length > 0 && performance.now() - killedAt < withinMs) yield* Effect.sleep(20)
    return { processes: processes.length, left: left(), holding, afterMs: performance.now() - killedAt }
  }).pipe(Effect.scoped)

/** A descriptor after a gap: Node marks those before it to be closed. */
const LEFT_OPEN = 30

const descriptorsOf = async (pid: number): Promise<ReadonlyArray<string>> => {
  const names = await fs.readdir(`/proc/${pid}/fd`)
  return Promise.all(names.map((name) => fs.readlink(`/proc/${pid}/fd/${name}`).catch(() => "")))
}

const specOf = (base: string, name: string) => ({
  manifest: {
    ...bareManifest,
    name,
    peas: { ...bareManifest.peas, actuators: [{ name: "do", description: "Does something" }] },
  },
  directory: path.join(base, name),
  grants: { read: [], write: [], net: [], env: [], run: [], runAny: false },
  workspace: path.join(base, "workspace"),
  seed: 1,
  instance: "kernel",
  denoDir: path.join(base, `${name}.deno`),
  metadata: { plugin: {}, components: {} },
})

/** A process with all that it started. */
const withChildren = async (pid: number): Promise<ReadonlyArray<number>> => {
  const children = (await fs.readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim()
  const inner = await Promise.all(
    children === "" ? [] : children.split(" ").map((child) => withChildren(Number(child))),
  )
  return [pid, ...inner.flat()]
}
