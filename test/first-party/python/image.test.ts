import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { layer } from "../../../src/plugins/process/PluginHost.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { pythonPlugin, session } from "./session.ts"

const provide = Effect.provide(layer)

/** Interpreters that start cold, one after the other, on a machine that is busy with other tests. */
const PATIENT_MS = 120_000

/** What a session that starts with this cache answers, and whether it started from an image. */
const answerWith = (denoDir: string, plugin = pythonPlugin) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { execute, logged } = yield* session({ plugin, denoDir })
      const { stdout } = yield* execute("print(1 + 1)")
      return { stdout, isWarm: !logged("without the snapshot") && !logged("without its precomputed bytes") }
    }),
  )

const WARM = { stdout: "2\n", isWarm: true }

describe("the memory image that sessions start from", () => {
  it.scopedLive(
    "is computed before the first session, used by the second, and computed anew where it was tampered with",
    () =>
      Effect.gen(function* () {
        const denoDir = path.join(yield* temporaryDirectory, "deno")
        const { manifest } = yield* Manifest.load(pythonPlugin)
        const file = path.join(denoDir, `precomputed-${manifest.precomputed?.sha256}`)

        expect(yield* answerWith(denoDir)).toEqual(WARM)
        const { ino, size } = fs.statSync(file)
        expect(yield* answerWith(denoDir)).toEqual(WARM)
        expect(fs.statSync(file).ino).toBe(ino)

        // One byte of the interpreter's memory: what it would run is another program.
        const forged = fs.readFileSync(file)
        forged.writeUInt8(forged.readUInt8(size - 1) ^ 1, size - 1)
        fs.writeFileSync(file, forged)
        expect(yield* answerWith(denoDir)).toEqual(WARM)
        expect(fs.statSync(file).size).toBe(size)
        expect(fs.readFileSync(file).equals(forged)).toBe(false)
      }).pipe(provide),
    PATIENT_MS,
  )

  it.scopedLive(
    "is left out where it is of another interpreter: the session starts cold, and the log says why",
    () =>
      Effect.gen(function* () {
        const base = yield* temporaryDirectory
        const plugin = path.join(base, "python")
        fs.cpSync(pythonPlugin, plugin, { recursive: true })
        fs.appendFileSync(path.join(plugin, "interpreter/run.py"), "\nANOTHER = 1\n")
        const denoDir = path.join(base, "deno")
        const { execute, whenLogged } = yield* session({ plugin, denoDir })
        expect(yield* execute("print(1 + 1)")).toMatchObject({ outcome: "ok", stdout: "2\n" })
        yield* whenLogged("expected snapshot.ts to answer with bytes of digest")
        yield* whenLogged("started without the snapshot: the host has none")
        expect(fs.readdirSync(denoDir).filter((name) => name.startsWith("precomputed"))).toEqual([])
      }).pipe(provide),
    PATIENT_MS,
  )
})
