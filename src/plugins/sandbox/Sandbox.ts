/**
 * Builds the command lines that run a plugin, compile it, or run a command for it, confined by this machine's layer.
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

/** The means of confinement on this machine. */
export interface AvailableLayer {
  readonly tools: Tools
  readonly layer: Layer
  /** Shared libraries of Deno and of the programs that start it, for layers with a separate disk. */
  readonly libraries: ReadonlyArray<string>
}

/** One plugin's confinement. */
export interface Confinement {
  /** The runner's absolute path. */
  readonly runner: string
  /** An absolute, real path. */
  readonly directory: string
  readonly grants: Grants
  /**
   * Absolute, real paths that the plugin must not read, whatever its grants. Its own directory stays readable inside
   * them. Default: none.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** This plugin's own Deno cache. */
  readonly denoDir: string
  /** The file of its `precomputed` bytes, in its Deno cache. Default: none. */
  readonly precomputed?: string
  readonly limits: Limits
}

/** A command line to spawn without a shell. `env` holds only granted and fixed variables. */
export interface SandboxedCommand {
  readonly tier: Tier
  readonly layer: Layer
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  /** The permission flags among the arguments, for the log. */
  readonly permissions: ReadonlyArray<string>
}

/** Variables that steer Deno, Python or the dynamic linker; never passed on. */
const STEERING_VARIABLES = /^(?:(?:DENO|V8|LD|DYLD)_|PYTHON)/

/** Keeps Deno from configuration, lock files, remote modules and terminals. */
const ISOLATION_OPTIONS = ["--quiet", "--no-config", "--no-lock", "--no-remote", "--no-npm"]

/**
 * The command line of a plugin's process. In every layer, Deno's permissions deny everything without a grant
 * (`permissionFlags`), V8 and the operating system enforce limits, and the process dies with the host. The layer denies
 * more (`confined`).
 *
 * The plugin is never the main module, because Deno's permissions do not cover a main module's static imports
 * (denoland/deno#30301). Deno's caches are read-only (`DenoCache`).
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
  const started = confined(confining, confinement, deno, "nothing")
  return { ...started, env: { ...grantedVariables(grants, hostEnvironment), ...started.env }, permissions }
}

/**
 * The command line that compiles modules and their imports into the plugin's cache without running them. It is confined
 * like the plugin, because compiling reads every imported file.
 */
export const cacheCommand = (
  confining: AvailableLayer,
  confinement: Confinement,
  modules: ReadonlyArray<string>,
): SandboxedCommand => {
  const deno = [confining.tools.deno, "cache", ...ISOLATION_OPTIONS, ...modules]
  return { ...confined(confining, confinement, deno, "cache"), permissions: [] }
}

/** The places that a program may write to: none, or its Deno cache. */
export type Writes = "nothing" | "cache"

/** The command line that runs Deno within a plugin's limits and layer. */
export const confined = (
  confining: AvailableLayer,
  confinement: Confinement,
  program: ReadonlyArray<string>,
  writes: Writes,
): Omit<SandboxedCommand, "permissions"> => ({
  ...confinedWith(confining, confinement, { programs: [confining.tools.deno], program, writes }),
  env: { DENO_DIR: confinement.denoDir, ...ENVIRONMENT },
})

/** A program to confine, and the files that it starts from. */
export interface ConfinedProgram {
  /** Programs that start on the disk. Absolute paths. */
  readonly programs: ReadonlyArray<string>
  /** Directories of libraries whose code they load. Default: none. */
  readonly libraryDirectories?: ReadonlyArray<string>
  /** The program and its arguments. */
  readonly program: ReadonlyArray<string>
  readonly writes: Writes
}

/** The command line that runs any program within a plugin's limits and layer, without its environment variables. */
export const confinedWith = (
  { tools, layer, libraries }: AvailableLayer,
  confinement: Confinement,
  { programs, libraryDirectories = [], program, writes }: ConfinedProgram,
): Omit<SandboxedCommand, "permissions" | "env"> => {
  const { directory, limits } = confinement
  const sandboxPaths = {
    ...confinement,
    programs: [...programs, ...libraries],
    libraryDirectories,
    cacheIsWritten: writes === "cache",
  }
  const [command = tools.deno, ...args] = [
    ...boundedBy(tools, limits, writes),
    ...starter(tools, layer, sandboxPaths),
    ...program,
  ]
  return { tier: tierOf(layer), layer, command, args, cwd: directory }
}

/** The granted variables of the host's environment, except those that steer the interpreter or the linker. */
export const grantedVariables = (
  { env }: Grants,
  hostEnvironment: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string } =>
  Object.fromEntries(
    env.flatMap((name) => {
      const value = hostEnvironment[name]
      return value === undefined || STEERING_VARIABLES.test(name) ? [] : [[name, value] as const]
    }),
  )

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

/** A missing tool keeps its bare name, which the failed start then reports. */
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
 * For every Deno process. `DENO_WEBGPU_BACKEND` disables WebGPU: `navigator.gpu` would load the machine's graphics
 * libraries, which no permission covers.
 */
const ENVIRONMENT = {
  DENO_NO_PACKAGE_JSON: "1",
  DENO_NO_UPDATE_CHECK: "1",
  DENO_WEBGPU_BACKEND: "none",
  NO_COLOR: "1",
  /**
   * glibc's allocator returns large freed blocks to the system, and threads share two arenas. Otherwise each thread's
   * arena keeps its peak size, and a plugin that starts one thread after another reaches its memory limit.
   */
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
}

/** The plugin that a command runs for. */
export interface RunFor {
  /** Real paths that the command must not reach. */
  readonly forbidden: ReadonlyArray<string>
  readonly denoDir: string
}

/**
 * Confines a command that the host runs for a plugin. In `namespaces`, it cannot reach forbidden paths, and ends with
 * the host and all its children. In `flags`, it has the host's rights, and only the command itself surely ends with the
 * host. In neither does it gain privileges.
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
 * Sets the niceness of the session that a process leads. Where the scheduler groups processes by session (sched(7),
 * "The autogroup feature"), nice(1) counts only inside the group: a plugin starts with a whole session's share until
 * this call. Without such groups, nice(1) suffices.
 *
 * All users except root together may do this ten times per second. After `"too often"`, retry.
 */
export const setNice = (pid: number, niceness: number): "done" | "too often" => {
  try {
    fs.writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    if (code === "EAGAIN") return "too often"
    // No autogroup, the process has ended, or this user may not.
    if (!["ENOENT", "ESRCH", "EPERM", "EACCES", "EIO"].includes(code)) throw cause
  }
  return "done"
}

/** A program and its arguments, without a shell. */
export interface CommandLine {
  readonly command: string
  readonly args: ReadonlyArray<string>
}
