import * as fs from "node:fs/promises"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../../src/values/Json.ts"
import { start } from "./fixtures.ts"
import { inLayer, isBounded, layers, namespaces, sayWhichLayers } from "./layers.ts"

const entry = `export default { actuators: { run: (ctx, { command, args }) => ctx.run(command, args) } }`

const shell = (command: string) => ({ command: "sh", args: ["-c", command] })

const given = (script: string, forbidden: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const started = yield* start({
      entry,
      actuators: ["run"],
      permissions: { run: ["sh", "no-such-command"] },
      forbidden,
      workspace: { "log.db": "the log", "log.db.plugins/other/main.ts": "a copy", "note.txt": "note" },
    })
    const run = (args: { readonly command: string; readonly args: ReadonlyArray<string> }) =>
      Effect.map(started.process.act("run", args), ({ result }): Json => result)
    return { ...started, run, first: yield* run(shell(script)) }
  })

sayWhichLayers()

describe.each(layers)("a command that is run for a plugin in the layer %s", (layer) => {
  it.scopedLive("works in the workspace, writes there, and gains no privileges", () =>
    Effect.gen(function* () {
      const { first, workspace } = yield* given(
        "cat note.txt; echo new > new.txt; grep NoNewPrivs /proc/self/status; exit 3",
      )
      expect(first).toEqual({ code: 3, signal: null, stdout: `noteNoNewPrivs:\t${isBounded ? 1 : 0}\n`, stderr: "" })
      expect(yield* Effect.promise(() => fs.readFile(path.join(workspace, "new.txt"), "utf8"))).toBe("new\n")
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("a command that is not there says so, and one that a signal ends says which", () =>
    Effect.gen(function* () {
      const { run, first } = yield* given("kill -TERM $$")
      expect(first).toMatchObject(
        namespaces.includes(layer) ? { code: 143, signal: null } : { code: null, signal: "SIGTERM" },
      )
      const error = yield* Effect.flip(run({ command: "no-such-command", args: [] }))
      expect(error).toMatchObject({ _tag: "CallFailed", error: { code: "CommandUnavailable" } })
    }).pipe(inLayer(layer)),
  )
})

describe.each(namespaces)("the processes that a command sees in the layer %s", (layer) => {
  it.scopedLive("are its own: what is at /proc is not the machine's", () =>
    Effect.gen(function* () {
      // The kernel tells a process's ids in each namespace from that of this /proc on: one where it is the process's own.
      const { first } = yield* given(String.raw`sed -n 's/^NSpid:\s*//p' /proc/self/status | wc -w`)
      expect(first).toMatchObject({ code: 0, stdout: "1\n" })
    }).pipe(inLayer(layer)),
  )
})

describe.each(namespaces)("the log, from a command in the layer %s", (layer) => {
  const forbidden = ["workspace/log.db", "workspace/log.db.plugins"]
  const tries = {
    "reading it": "cat log.db",
    "reading it by another path": "cat ../workspace/./log.db",
    "reading it through the root of the first process": `cat /proc/1/root"$PWD"/log.db`,
    "reading a plugin's copy": "cat log.db.plugins/other/main.ts",
    "writing to it": "echo forged >> log.db",
    "replacing it": "echo forged > x; mv x log.db",
    "removing it": "rm -f log.db; rm -rf log.db.plugins/other",
    "linking to it": "ln log.db hard && cat hard",
    "taking the cover away": "umount log.db; cat log.db",
    "taking the cover away as a root of its own": "unshare -Urm sh -c 'umount log.db; cat log.db'",
    "mounting over the cover": "mount --bind . /mnt; cat /mnt/log.db",
    "the descriptors of the host": "for fd in /proc/[0-9]*/fd/[3-9]*; do timeout 1 head -c 100 $fd; done 2>/dev/null",
  }

  it.scopedLive.each(Object.entries(tries))("%s does not reach it", ([, script]) =>
    Effect.gen(function* () {
      const { first, workspace } = yield* given(script, forbidden)
      expect(JSON.stringify(first)).not.toMatch(/the log|a copy/)
      const read = (name: string) => Effect.promise(() => fs.readFile(path.join(workspace, name), "utf8"))
      expect([yield* read("log.db"), yield* read("log.db.plugins/other/main.ts")]).toEqual(["the log", "a copy"])
    }).pipe(inLayer(layer)),
  )
})
