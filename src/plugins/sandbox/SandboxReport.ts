/** Reports this machine's confinement of plugins, for `hindcast doctor`. */
import { execFile } from "node:child_process"
import { Effect, Either } from "effect"
import { DEFAULTS, type Limits } from "./Limits.ts"
import * as Tier from "./Tier.ts"
import * as Tools from "./Tools.ts"

/** A program that confines or runs plugins. */
export interface Program {
  readonly name: keyof Tools.Tools
  /** Null if it is not installed. */
  readonly path: string | null
  /** The first line of `--version`; null if there is none. */
  readonly version: string | null
  /** Its purpose. */
  readonly does: string
  /** The command that installs it. */
  readonly install: string
}

/** The confinement of plugins on this machine, and its programs. */
export interface SandboxReport {
  readonly platform: string
  readonly wanted: Tier.WantedTier
  readonly programs: ReadonlyArray<Program>
  /** Null if plugins cannot start as `wanted`. */
  readonly tier: Tier.Tier | null
  /** Null if `tier` is null. */
  readonly layer: Tier.Layer | null
  readonly why: string
  /** How to get a stronger confinement; null if there is no way. */
  readonly improve: string | null
  /** A process's default limits. */
  readonly limits: Limits
}

const PURPOSES = {
  deno: ["runs plugins", Tools.INSTALL_DENO],
  bwrap: ["gives each its own disk, network and processes", "apt-get install bubblewrap"],
  unshare: ["does the same, without bubblewrap", "apt-get install util-linux"],
  mount: ["mounts their files for unshare", "apt-get install mount"],
  setpriv: ["ends them with the kernel; no new privileges", "apt-get install util-linux"],
  prlimit: ["limits their memory and descriptors", "apt-get install util-linux"],
  nice: ["keeps a busy one from slowing down others", "apt-get install coreutils"],
} as const

/**
 * Finds this machine's programs and tries the layer that plugins would use. Never fails: the report includes missing
 * programs.
 */
export const report = (wanted: Tier.WantedTier): Effect.Effect<SandboxReport> =>
  Effect.gen(function* () {
    const found = yield* Effect.either(Tools.find)
    const names = ["deno", "bwrap", "unshare", "mount", "setpriv", "prlimit", "nice"] as const
    const programs = yield* Effect.forEach(names, (name) =>
      programOf(name, Either.isRight(found) ? found.right[name] : Tools.onPath(name)),
    )
    const known = { platform: `${process.platform}-${process.arch}`, wanted, programs, limits: DEFAULTS }
    const chosen = yield* Effect.either(Effect.flatMap(found, (tools) => Tier.choose(tools, wanted)))
    return Either.match(chosen, {
      onLeft: (error) => ({
        ...known,
        tier: null,
        layer: null,
        why: error._tag === "DenoMissing" ? error.message : error.found,
        improve: error._tag === "DenoMissing" ? `Install Deno: \`${Tools.INSTALL_DENO}\`.` : error.remedy,
      }),
      onRight: ({ tier, layer, why, improve }) => ({ ...known, tier, layer, why, improve: improve ?? null }),
    })
  })

const programOf = (name: keyof typeof PURPOSES, path: string | undefined): Effect.Effect<Program> => {
  const [does, install] = PURPOSES[name]
  const known = { name, does, install }
  if (path === undefined) return Effect.succeed({ ...known, path: null, version: null })
  return Effect.map(versionOf(path), (version) => ({ ...known, path, version }))
}

/** Time-out of `--version`, in milliseconds. */
const VERSION_MS = 10_000

const versionOf = (path: string): Effect.Effect<string | null> =>
  Effect.async((resume) => {
    const child = execFile(path, ["--version"], { timeout: VERSION_MS }, (error, stdout) =>
      resume(Effect.succeed(error === null ? (stdout.split("\n")[0]?.trim() ?? null) : null)),
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
