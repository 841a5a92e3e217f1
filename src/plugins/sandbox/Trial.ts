/** Tests a sandbox layer by running a small program in it. */
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { NO_GRANTS } from "../manifest/Grants.ts"
import { DEFAULTS } from "./Limits.ts"
import * as Sandbox from "./Sandbox.ts"

/** In milliseconds. */
const TRIAL_MS = 10_000

/** The program's output. */
const OUTPUT = "It runs."

/**
 * Tests a layer, because many machines have its programs but forbid their use. Starts Deno as for a plugin, and a
 * command as for a host request. Returns undefined on success, else the error's first line.
 */
export const testLayer = (confining: Sandbox.AvailableLayer): Effect.Effect<string | undefined> =>
  Effect.acquireUseRelease(
    // Only the owner may access the directory, as with copies of plugins. Directories of killed processes go.
    Effect.promise(async () => {
      const place = path.join(os.tmpdir(), "hindcast-sandbox")
      AtomicFile.removeAbandonedFile(place)
      const base = AtomicFile.nameFor(place)
      await fs.mkdir(base, { mode: OwnerOnly.DIRECTORY_MODE })
      return await fs.realpath(base)
    }),
    (base) =>
      Effect.gen(function* () {
        const [directory, denoDir] = [path.join(base, "plugin"), path.join(base, "deno")]
        const runner = path.join(directory, "main.js")
        yield* Effect.promise(() => Promise.all([directory, denoDir].map((place) => fs.mkdir(place))))
        yield* Effect.promise(() => fs.writeFile(runner, `console.log(${JSON.stringify(OUTPUT)})`))
        const confinement = { runner, directory, denoDir, grants: NO_GRANTS, limits: { ...DEFAULTS, niceness: 0 } }
        const started = yield* run(Sandbox.command(confining, confinement))
        if (started !== undefined) return started
        const confine = Sandbox.commandLine(confining, { forbidden: [denoDir], denoDir })
        const line = confine({ command: "/bin/echo", args: [OUTPUT] }, directory)
        return yield* run({ ...line, env: {}, cwd: directory })
      }),
    (base) => Effect.promise(() => fs.rm(base, { recursive: true, force: true })),
  )

type Line = Pick<Sandbox.SandboxedCommand, "command" | "args" | "env" | "cwd">

const run = ({ command, args, env, cwd }: Line): Effect.Effect<string | undefined> =>
  Effect.async((resume) => {
    const options = { timeout: TRIAL_MS, killSignal: "SIGKILL", env, cwd } as const
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      const failure = (stderr.trim() || error?.message || `expected it to say "${OUTPUT}"`).split("\n")[0]
      resume(Effect.succeed(error === null && stdout.trim() === OUTPUT ? undefined : failure))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })
