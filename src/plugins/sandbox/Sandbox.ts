/**
 * Builds the command lines that run a plugin, compile it, or run a command for it, confined by the layer that this
 * machine has.
 */
import * as fs from "node:fs"

import type { Grants } from "../manifest/Grants.ts"
import { boundedBy, type Limits, v8Flags } from "./Limits.ts"
import * as Bubblewrap from "./layers/Bubblewrap.ts"
import { type Layer, type Tier, tierOf } from "./layers/Layer.ts"
import { permissionFlags } from "./layers/Permissions.ts"
import * as Unshare from "./layers/Unshare.ts"
import { userArgs, userOf } from "./layers/User.ts"
import type { Tools } from "./Tools.ts"

/** The means of confining plugins on this machine. */
export interface AvailableLayer {
  readonly tools: Tools
  readonly layer: Layer
  /** The shared libraries of Deno and of the programs that start it. Layers with a separate disk mount them. */
  readonly libraries: ReadonlyArray<string>
}

/** The parameters of one plugin's confinement. */
export interface Confinement {
  /** Absolute path of the runner, the main module. */
  readonly runner: string
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  readonly grants: Grants
  /**
   * Absolute, real paths of files and directories that the plugin must not read, whatever is granted. Inside them, the
   * plugin's own directory stays readable. Default: none.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** The Deno cache directory of this plugin alone. */
  readonly denoDir: string
  /** The file of its `precomputed` bytes, in its Deno cache directory. Default: none. */
  readonly precomputed?: string
  readonly limits: Limits
}

/** A command line for spawning without a shell. `env` has only granted and fixed variables of the environment. */
export interface SandboxedCommand {
  readonly tier: Tier
  readonly layer: Layer
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  /** The permission flags among the arguments, for recording. */
  readonly permissions: ReadonlyArray<string>
}

/** Environment variables that change how Deno or the dynamic linker works. They are never passed on. */
const STEERING_VARIABLES = /^(DENO|V8|LD|DYLD)_/

/** Options that stop Deno from using configuration, lock files, remote modules or a terminal. */
const ISOLATION_OPTIONS = ["--quiet", "--no-config", "--no-lock", "--no-remote", "--no-npm"]

/**
 * The command line of a plugin's process. In every layer, Deno's permissions deny what is not granted
 * (`permissionFlags`), V8 and the operating system enforce the limits, and the process dies with the host. The layer
 * adds what the operating system can deny (`confined`).
 *
 * The plugin is never the main module, because static imports of a main module are not subject to permissions
 * (denoland/deno#30301). Deno's own caches are only read (`DenoCache`).
 */
export const command = (
  confining: AvailableLayer,
  confinement: Confinement,
  hostEnvironment: { readonly [name: string]: string | undefined } = {},
): SandboxedCommand => {
  const { runner, grants, limits } = confinement
  const permissions = permissionFlags(confinement)
  const deno = [
    ...[confining.tools.deno, "run", ...ISOLATION_OPTIONS, "--no-prompt", "--no-code-cache", "--cached-only"],
    ...[...permissions, v8Flags(limits), runner],
  ]
  const granted = grants.env.flatMap((name) => {
    const value = hostEnvironment[name]
    return value === undefined || STEERING_VARIABLES.test(name) ? [] : [[name, value] as const]
  })
  const started = confined(confining, confinement, deno, "nothing")
  return { ...started, env: { ...Object.fromEntries(granted), ...started.env }, permissions }
}

/**
 * The command line by which Deno compiles modules and their imports into the plugin's cache. No code of them runs. It
 * is confined like the plugin, because compiling reads every file that a module imports.
 */
export const cacheCommand = (
  confining: AvailableLayer,
  confinement: Confinement,
  modules: ReadonlyArray<string>,
): SandboxedCommand => {
  const deno = [confining.tools.deno, "cache", ...ISOLATION_OPTIONS, ...modules]
  return { ...confined(confining, confinement, deno, "cache"), permissions: [] }
}

/** What a program may write to the disk: nothing, or its Deno cache. */
export type Writes = "nothing" | "cache"

/** The command line that starts any program within the limits and the layer of a plugin. */
export const confined = (
  { tools, layer, libraries }: AvailableLayer,
  confinement: Confinement,
  program: ReadonlyArray<string>,
  writes: Writes,
): Omit<SandboxedCommand, "permissions"> => {
  const { directory, denoDir, limits } = confinement
  const sandboxPaths = { ...confinement, programs: [tools.deno, ...libraries], cacheIsWritten: writes === "cache" }
  const [command = tools.deno, ...args] = [
    ...boundedBy(tools, limits, writes),
    ...starter(tools, layer, sandboxPaths),
    ...program,
  ]
  return {
    tier: tierOf(layer),
    layer,
    command,
    args,
    env: { DENO_DIR: denoDir, ...ENVIRONMENT },
    cwd: directory,
  }
}

const starter = (
  tools: Tools,
  layer: Layer,
  sandboxPaths: Parameters<typeof Bubblewrap.pluginArgs>[0],
): ReadonlyArray<string> => {
  switch (layer) {
    case "bubblewrap":
      return [tools.bwrap ?? "bwrap", ...Bubblewrap.pluginArgs(sandboxPaths)]
    case "unshare":
      return Unshare.pluginArgs(unshareToolsOf(tools), sandboxPaths)
    case "user":
      return userArgs(tools.setpriv ?? "setpriv", userOf(sandboxPaths.denoDir))
    case "none":
      return dyingWithParent(tools)
  }
}

/** A tool that was not found is called by its name. Starting then fails and reports the name. */
const unshareToolsOf = ({
  sh = "sh",
  unshare = "unshare",
  mount = "mount",
  setpriv = "setpriv",
}: Tools): Unshare.UnshareTools => ({
  sh,
  unshare,
  mount,
  setpriv,
})

/**
 * Environment variables of every Deno process. `DENO_WEBGPU_BACKEND` disables WebGPU: otherwise `navigator.gpu` loads
 * the machine's graphics libraries, which no permission covers.
 */
const ENVIRONMENT = {
  DENO_NO_PACKAGE_JSON: "1",
  DENO_NO_UPDATE_CHECK: "1",
  DENO_WEBGPU_BACKEND: "none",
  NO_COLOR: "1",
  /**
   * Settings of glibc's allocator: large blocks are returned to the system when they are freed, and threads share two
   * arenas. Otherwise each thread's arena keeps its peak size, and a plugin that starts one thread after the other
   * reaches its memory limit.
   */
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
}

/** The plugin for which a command runs. */
export interface RunFor {
  /** Real paths that the command must not reach. */
  readonly forbidden: ReadonlyArray<string>
  /** The plugin's Deno cache. */
  readonly denoDir: string
}

/**
 * Confines a command that the host runs for a plugin. In the tier `namespaces`, it cannot reach forbidden paths, and it
 * ends with the host together with all processes that it started. In the tier `flags`, it has the host's rights, and
 * only the command itself is certain to end with the host. In both tiers it gains no privileges.
 */
export const commandLine =
  ({ tools, layer }: AvailableLayer, { forbidden, denoDir }: RunFor) =>
  ({ command, args }: CommandLine, cwd: string): CommandLine => {
    const [program = command, ...rest] = [
      ...commandStarter(tools, layer, { forbidden, denoDir, cwd }),
      command,
      ...args,
    ]
    return { command: program, args: rest }
  }

const commandStarter = (tools: Tools, layer: Layer, running: Unshare.UnshareOptions): ReadonlyArray<string> => {
  switch (layer) {
    case "bubblewrap":
      return [tools.bwrap ?? "bwrap", ...Bubblewrap.commandArgs(running.forbidden, running.cwd)]
    case "unshare":
      return Unshare.commandArgs(unshareToolsOf(tools), running)
    case "user":
    case "none":
      return dyingWithParent(tools)
  }
}

const dyingWithParent = ({ setpriv }: Tools): ReadonlyArray<string> =>
  setpriv === undefined ? [] : [setpriv, "--pdeathsig", "KILL", "--no-new-privs"]

/**
 * Sets the niceness of the session that a process leads. If the scheduler groups processes by session (sched(7), "The
 * autogroup feature"), nice(1) counts only inside the group. A plugin then starts with the share of a whole session,
 * and this call lowers it once the plugin is ready. Without such groups, nice(1) is enough.
 *
 * All users except root together may do this ten times per second. `"too often"` asks the caller to retry.
 */
export const setNice = (pid: number, niceness: number): "done" | "too often" => {
  try {
    fs.writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    if (code === "EAGAIN") return "too often"
    // There is no autogroup, the process has just ended, or this user may not.
    if (!["ENOENT", "ESRCH", "EPERM", "EACCES", "EIO"].includes(code)) throw cause
  }
  return "done"
}

/** A program and its arguments, run without a shell. */
export interface CommandLine {
  readonly command: string
  readonly args: ReadonlyArray<string>
}
