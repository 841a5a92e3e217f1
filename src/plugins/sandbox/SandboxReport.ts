import { execFile } from "node:child_process"
import { Effect, Either } from "effect"
import { DEFAULTS, type Limits } from "./Limits.ts"
import * as Tier from "./Tier.ts"
import * as Tools from "./Tools.ts"

/** A program that confines plugins, or runs them. */
export interface Program {
  readonly name: keyof Tools.Tools
  /** Where it stands; null where it does not. */
  readonly path: string | null
  /** The first line of what it answers to `--version`; null where it says nothing. */
  readonly version: string | null
  /** What it is for. */
  readonly does: string
  /** The command that installs it. */
  readonly install: string
}

/** How plugins are confined on this machine, and by what. */
export interface SandboxReport {
  readonly platform: string
  readonly wanted: Tier.Wanted
  readonly programs: ReadonlyArray<Program>
  /** The tier in effect; null where plugins cannot be started as it is wanted. */
  readonly tier: Tier.Tier | null
  /** What of the operating system confines plugins in that tier; null as `tier` is. */
  readonly layer: Tier.Layer | null
  readonly why: string
  /** What to do for a stronger confinement; null where there is nothing. */
  readonly improve: string | null
  /** What bounds a process where nobody says otherwise. */
  readonly limits: Limits
}

const PURPOSES = {
  deno: ["runs plugins", "npm ci"],
  bwrap: ["gives each a disk, a network and processes of its own", "apt-get install bubblewrap"],
  unshare: ["does the same, without bubblewrap", "apt-get install util-linux"],
  mount: ["fills the disks that unshare makes", "apt-get install mount"],
  setpriv: ["ends them with the kernel; no new privileges", "apt-get install util-linux"],
  prlimit: ["bounds their memory and descriptors", "apt-get install util-linux"],
  nice: ["keeps one that spins from slowing others down", "apt-get install coreutils"],
} as const

/** Looks at what this machine has, and tries what it would take. Never fails: what is missing is the answer. */
export const report = (wanted: Tier.Wanted): Effect.Effect<SandboxReport> =>
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
        ...{ ...known, tier: null, layer: null, why: error._tag === "DenoMissing" ? error.message : error.found },
        improve: error._tag === "DenoMissing" ? "Install Deno: `npm ci`." : error.remedy,
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

/** How long a program may take to say its version, in milliseconds. */
const VERSION_MS = 10_000

const versionOf = (path: string): Effect.Effect<string | null> =>
  Effect.async((resume) => {
    const child = execFile(path, ["--version"], { timeout: VERSION_MS }, (error, stdout) =>
      resume(Effect.succeed(error === null ? (stdout.split("\n")[0]?.trim() ?? null) : null)),
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
