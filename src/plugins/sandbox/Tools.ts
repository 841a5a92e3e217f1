/** Finds the programs that run and confine plugins. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { Data, Effect, Schema } from "effect"
import * as Installed from "../../platform/packages/Installed.ts"

/** This machine's programs, by absolute path. */
export interface Tools {
  /** The real path of Deno's binary. */
  readonly deno: string
  /** bubblewrap. It may be present without working; see `Tier.choose`. */
  readonly bwrap?: string
  /** Of util-linux. It may be present without the right to make namespaces; see `Tier.choose`. */
  readonly unshare?: string
  /** Of util-linux; mounts file systems in the namespaces of `unshare`. */
  readonly mount?: string
  /** The system's shell. Without it, a plugin could write to the disk through a hole in Deno. */
  readonly sh?: string
  /** Of util-linux. Without it, a plugin that never reads its input outlives a killed host. */
  readonly setpriv?: string
  /** Of util-linux. Without it, memory outside the heap and open descriptors are unlimited. */
  readonly prlimit?: string
  /** Without it, a busy plugin slows down others. */
  readonly nice?: string
}

/** Searched on Linux only. */
const LINUX_TOOLS = ["bwrap", "unshare", "mount", "setpriv", "prlimit", "nice"] as const

/** The shell's path on POSIX systems, independent of the `PATH`. */
const SHELL = "/bin/sh"

/** The command that installs Deno. */
export const INSTALL_DENO = "npm install deno"

/** Install Deno: no plugin runs without it. */
export class DenoMissing extends Data.TaggedError("DenoMissing")<{ readonly platform: string }> {
  override get message() {
    return (
      `expected Deno's binary, found neither the npm package \`deno\` for ${this.platform} nor \`deno\` on the PATH. ` +
      `Install it with \`${INSTALL_DENO}\`; \`npm install --omit=optional\` leaves it out.`
    )
  }
}

/** Finds the tools: Deno in the npm package `deno`, else on the `PATH`; the others on the `PATH`, on Linux only. */
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
 * The version of the Deno that `find` finds, from the npm package's `package.json` or `deno --version`. Empty without a
 * Deno, or if its version is unknown.
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

/** Time-out of `deno --version`, in milliseconds. */
const VERSION_MS = 10_000

const BINARY = process.platform === "win32" ? "deno.exe" : "deno"

/**
 * The npm package `deno` keeps its binary in an optional package per platform, such as `@deno/linux-x64-glibc`. Its
 * install script, if it ran, also links the binary into the package itself.
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

/** The absolute path of a command on the `PATH`, if it is there. */
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
