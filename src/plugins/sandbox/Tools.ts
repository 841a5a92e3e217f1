import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect, Schema } from "effect"
import * as Installed from "../../platform/Installed.ts"

/** What a machine has to run and confine a plugin with. */
export interface Tools {
  /** Absolute, real path of Deno's binary. */
  readonly deno: string
  /** Absolute path of bubblewrap's `bwrap`. That it is there does not mean that it works: see `Tier.choose`. */
  readonly bwrap?: string
  /** Absolute path of util-linux's `unshare`. That it is there does not mean that it may make namespaces: see `Tier.choose`. */
  readonly unshare?: string
  /** Absolute path of util-linux's `mount`, which fills the namespaces that `unshare` makes. */
  readonly mount?: string
  /** Absolute path of the system's shell; without it nothing bounds what a hole in Deno could write to a disk. */
  readonly sh?: string
  /** Absolute path of util-linux's `setpriv`; without it a plugin that never reads its input outlives a killed host. */
  readonly setpriv?: string
  /** Absolute path of util-linux's `prlimit`; without it nothing bounds memory beside the heap, nor descriptors. */
  readonly prlimit?: string
  /** Absolute path of `nice`; without it a plugin that spins slows others down. */
  readonly nice?: string
}

/** The commands among them that exist on Linux only. */
const LINUX_TOOLS = ["bwrap", "unshare", "mount", "setpriv", "prlimit", "nice"] as const

/** Where POSIX systems have their shell, whatever the `PATH` says. */
const SHELL = "/bin/sh"

/** Install Deno: without it no plugin can run. */
export class DenoMissing extends Data.TaggedError("DenoMissing")<{ readonly platform: string }> {
  override get message() {
    return (
      `expected Deno's binary, found neither the npm package \`deno\` for ${this.platform} nor \`deno\` on the PATH. ` +
      "Install with optional dependencies (`npm ci`), or install Deno."
    )
  }
}

/** Finds them: Deno as the npm package `deno` brings it, else the one on the `PATH`; the others on the `PATH`, on Linux. */
export const find: Effect.Effect<Tools, DenoMissing> = Effect.suspend(() => {
  const deno = packagedDeno() ?? onPath("deno")
  if (deno === undefined) return new DenoMissing({ platform: `${process.platform}-${process.arch}` })
  const others = LINUX_TOOLS.flatMap((name) => {
    const place = process.platform === "linux" ? onPath(name) : undefined
    return place === undefined ? [] : [[name, place] as const]
  })
  const sh = process.platform !== "win32" && isExecutable(SHELL) ? { sh: SHELL } : {}
  return Effect.succeed({ deno: fs.realpathSync(deno), ...sh, ...Object.fromEntries(others) })
})

/**
 * The version of the Deno that `find` finds: as its package says, and of one on the `PATH` as it says itself. It is empty where there
 * is none, or where it does not say.
 */
export const denoVersion: Effect.Effect<string> = Effect.sync(() => {
  const manifest = Installed.resolve("deno/package.json", import.meta.url)
  if (packagedDeno() !== undefined && manifest !== undefined) {
    return decodeVersion(JSON.parse(fs.readFileSync(manifest, "utf8"))).version
  }
  const deno = onPath("deno")
  const said = deno === undefined ? "" : spawnSync(deno, ["--version"], { encoding: "utf8", timeout: SAYING_MS }).stdout
  return /^deno (\S+)/.exec(said ?? "")?.[1] ?? ""
})

const decodeVersion = Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))

/** How long Deno may take to say its version, in milliseconds. */
const SAYING_MS = 10_000

const BINARY = process.platform === "win32" ? "deno.exe" : "deno"

/**
 * The package `deno` brings its binary in one optional package for each platform, `@deno/linux-x64-glibc` say, and its
 * install script, where it ran, links it into the package itself.
 */
const packagedDeno = (): string | undefined => {
  const own = Installed.resolve("deno/package.json", import.meta.url)
  if (own === undefined) return undefined
  const libc = process.platform === "linux" ? "-glibc" : ""
  const platform = Installed.resolve(`@deno/${process.platform}-${process.arch}${libc}/package.json`, own)
  return [platform, own]
    .filter((manifest) => manifest !== undefined)
    .map((manifest) => path.join(path.dirname(manifest), BINARY))
    .find(isExecutable)
}

/** Where a command stands that is called by its name. */
export const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name))
    .find(isExecutable)

const isExecutable = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}
