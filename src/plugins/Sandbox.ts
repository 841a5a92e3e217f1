import type { Grants } from "./Grants.ts"
import { isInside, isInsideAny } from "./paths.ts"
import type { Tools } from "./Tools.ts"

/** What is confined. */
export interface Confinement {
  /** Absolute path of the runner: the main module. */
  readonly runner: string
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  readonly grants: Grants
  /**
   * Absolute, real paths of files and directories that it must not read, whatever is granted. Its own directory stays
   * readable inside them. Default: none.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** A Deno cache directory of the plugin's own. */
  readonly denoDir: string
}

/** A command line, ready to be spawned: no shell, and nothing of the host's environment. */
export interface SandboxedCommand {
  /** The tier that `PluginStarted` records. `namespaces` is left for later. */
  readonly tier: "flags"
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  /** The permission flags among the arguments, for the record. */
  readonly permissions: ReadonlyArray<string>
}

/** Heap of a plugin, in MiB: V8 ends the process above it. */
const HEAP_MIB = 128

/** Memory of WebAssembly, in pages of 64 KiB: 128 MiB. */
const WASM_PAGES = 2048

/** Variables that would change how Deno or the dynamic linker works: never passed on. */
const STEERING = /^(DENO|V8|LD|DYLD)_/

/**
 * The `flags` tier: Deno's permissions, no new privileges, and death together with the host.
 *
 * Everything is denied that is not granted. A denial wins over a permission, so the one that is granted is left out;
 * between paths the longer one wins, so that the plugin's directory can be read inside a directory that is denied.
 * Writing and running are always denied: the host does them for the plugin, see `Broker`. The plugin is never the main
 * module: the static imports of a main module are not subject to permissions (denoland/deno#30301).
 */
export const command = (
  tools: Tools,
  confinement: Confinement,
  hostEnvironment: { readonly [name: string]: string | undefined } = {},
): SandboxedCommand => {
  const { runner, directory, denoDir, grants } = confinement
  const permissions = permissionFlags(confinement)
  const deno = [
    ...["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"],
    ...permissions,
    `--v8-flags=--max-old-space-size=${HEAP_MIB},--wasm-max-mem-pages=${WASM_PAGES}`,
    runner,
  ]
  const whole =
    tools.setpriv === undefined
      ? { command: tools.deno, args: deno }
      : { command: tools.setpriv, args: ["--pdeathsig", "KILL", "--no-new-privs", tools.deno, ...deno] }
  const granted = grants.env.flatMap((name) => {
    const value = hostEnvironment[name]
    return value === undefined || STEERING.test(name) ? [] : [[name, value] as const]
  })
  return {
    ...whole,
    tier: "flags",
    env: {
      ...Object.fromEntries(granted),
      DENO_DIR: denoDir,
      DENO_NO_PACKAGE_JSON: "1",
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
    },
    cwd: directory,
    permissions,
  }
}

const permissionFlags = ({ directory, grants, forbidden = [] }: Confinement): ReadonlyArray<string> => [
  ...["--deny-write", "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import"],
  grants.net.length === 0 ? "--deny-net" : `--allow-net=${grants.net.join(",")}`,
  grants.env.length === 0 ? "--deny-env" : `--allow-env=${grants.env.join(",")}`,
  ...readFlags(directory, grants.read, forbidden),
]

/** A grant of something forbidden is left out, for being the longer path it would win; a denial only where it matters. */
const readFlags = (directory: string, granted: ReadonlyArray<string>, forbidden: ReadonlyArray<string>) => {
  const reachable = granted.filter((place) => isInside(place, directory) || !isInsideAny(place, forbidden))
  const denied = forbidden.filter((place) => isInsideAny(place, reachable))
  return [
    `--allow-read=${[...new Set([directory, ...reachable])].join(",")}`,
    ...(denied.length === 0 ? [] : [`--deny-read=${denied.join(",")}`]),
  ]
}
