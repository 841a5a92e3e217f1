/** Finds the programs that run and confine plugins on this machine. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { Data, Effect, Schema } from "effect"
import * as Installed from "../../platform/packages/Installed.ts"

/** The programs of this machine that run and confine plugins. */
export interface Tools {
  /** Absolute, real path of Deno's binary. */
  readonly deno: string
  /** Absolute path of bubblewrap's `bwrap`. It can be present without working; see `Tier.choose`. */
  readonly bwrap?: string
  /**
   * Absolute path of util-linux's `unshare`. It can be present without the right to make namespaces; see `Tier.choose`.
   */
  readonly unshare?: string
  /** Absolute path of util-linux's `mount`, which mounts file systems in the namespaces of `unshare`. */
  readonly mount?: string
  /**
   * Absolute path of the system's shell. Without it, nothing limits what a plugin could write to a disk through a hole
   * in Deno.
   */
  readonly sh?: string
  /**
   * Absolute path of util-linux's `setpriv`. Without it, a plugin that never reads its input outlives a killed host.
   */
  readonly setpriv?: string
  /**
   * Absolute path of util-linux's `prlimit`. Without it, memory outside the heap and open descriptors are unlimited.
   */
  readonly prlimit?: string
  /** Absolute path of `nice`. Without it, a busy plugin slows down others. */
  readonly nice?: string
}

/** The tools that exist on Linux only. */
const LINUX_TOOLS = ["bwrap", "unshare", "mount", "setpriv", "prlimit", "nice"] as const

/** The path of the shell on POSIX systems, independent of `PATH`. */
const SHELL = "/bin/sh"

/** The command that installs Deno. */
export const INSTALL_DENO = "npm install deno"

/** Install Deno: no plugin can run without it. */
export class DenoMissing extends Data.TaggedError("DenoMissing")<{ readonly platform: string }> {
  override get message() {
    return (
      `expected Deno's binary, found neither the npm package \`deno\` for ${this.platform} nor \`deno\` on the PATH. ` +
      `Install it with \`${INSTALL_DENO}\`; \`npm install --omit=optional\` leaves it out.`
    )
  }
}

/**
 * Finds the tools. Deno is the binary of the npm package `deno`, else the one on the `PATH`. The others are those on
 * the `PATH`, on Linux only.
 */
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
 * The version of the Deno that `find` finds: for the npm package, from its `package.json`; for a Deno on the `PATH`, from
 * `deno --version`. Empty if there is no Deno, or if its version is unknown.
 */
export const denoVersion: Effect.Effect<string> = Effect.tryPromise(async () => {
  const manifest = Installed.resolve("deno/package.json", import.meta.url)
  if (packagedDeno() !== undefined && manifest !== undefined) {
    return decodeVersion(JSON.parse(fs.readFileSync(manifest, "utf8"))).version
  }
  const deno = onPath("deno")
  if (deno === undefined) return ""
  const { stdout } = await promisify(execFile)(deno, ["--version"], { encoding: "utf8", timeout: VERSION_MS })
  return /^deno (\S+)/.exec(stdout)?.[1] ?? ""
}).pipe(Effect.orElseSucceed(() => ""))

const decodeVersion = Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))

/** The time limit of asking Deno for its version, in milliseconds. */
const VERSION_MS = 10_000

const BINARY = process.platform === "win32" ? "deno.exe" : "deno"

/**
 * The binary of the npm package `deno`. It is in an optional package for each platform, such as
 * `@deno/linux-x64-glibc`. The package's install script, if it ran, also links it into the package itself.
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

/** The absolute path of a command on the `PATH`; undefined if there is none. */
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
