import * as fs from "node:fs"

import type { Grants } from "../manifest/Grants.ts"
import { boundedBy, type Limits, v8Flags } from "./Limits.ts"
import * as Bubblewrap from "./layers/Bubblewrap.ts"
import { type Layer, type Tier, tierOf } from "./layers/Layer.ts"
import { permissionFlags } from "./layers/Permissions.ts"
import * as Unshare from "./layers/Unshare.ts"
import { userArgs, userOf } from "./layers/User.ts"
import type { Tools } from "./Tools.ts"

/** What confines plugins on this machine. */
export interface Confining {
  readonly tools: Tools
  readonly layer: Layer
  /** The shared libraries of Deno and of what starts it, for the layers that give a plugin a disk of its own. */
  readonly libraries: ReadonlyArray<string>
}

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
  /** The file of its `precomputed` bytes, in its Deno cache directory. Default: it has none. */
  readonly precomputed?: string
  /** A Deno cache directory of the plugin's own. */
  readonly denoDir: string
  readonly limits: Limits
}

/** A command line, ready to be spawned: no shell, and nothing of the host's environment. */
export interface SandboxedCommand {
  readonly tier: Tier
  readonly layer: Layer
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  /** The permission flags among the arguments, for the record. */
  readonly permissions: ReadonlyArray<string>
}

/** Variables that would change how Deno or the dynamic linker works: never passed on. */
const STEERING = /^(DENO|V8|LD|DYLD)_/

/** What keeps Deno from looking at what is not the plugin's: configuration, lock files, the network, a terminal. */
const ALONE = ["--quiet", "--no-config", "--no-lock", "--no-remote", "--no-npm"]

/**
 * A plugin's command line. In every layer Deno's permissions deny whatever is not granted (`permissionFlags`), V8 and the
 * operating system hold the limits, and the process dies with the host; the layer adds what the operating system can
 * deny (`confined`). The plugin is never the main module: the static imports of a main module are not subject to permissions
 * (denoland/deno#30301). Deno's own caches are read and never written (`DenoCache`).
 */
export const command = (
  confining: Confining,
  confinement: Confinement,
  hostEnvironment: { readonly [name: string]: string | undefined } = {},
): SandboxedCommand => {
  const { runner, grants, limits } = confinement
  const permissions = permissionFlags(confinement)
  const deno = [
    ...[confining.tools.deno, "run", ...ALONE, "--no-prompt", "--no-code-cache", "--cached-only"],
    ...[...permissions, v8Flags(limits), runner],
  ]
  const granted = grants.env.flatMap((name) => {
    const value = hostEnvironment[name]
    return value === undefined || STEERING.test(name) ? [] : [[name, value] as const]
  })
  const started = confined(confining, confinement, deno, "nothing")
  return { ...started, env: { ...Object.fromEntries(granted), ...started.env }, permissions }
}

/**
 * The command line that has Deno compile some modules and what they import into its cache, where a plugin's processes find it. No
 * line of theirs is run. It is confined like the plugin, because compiling reads whatever a module names.
 */
export const cacheCommand = (
  confining: Confining,
  confinement: Confinement,
  modules: ReadonlyArray<string>,
): SandboxedCommand => {
  const deno = [confining.tools.deno, "cache", ...ALONE, ...modules]
  return { ...confined(confining, confinement, deno, "cache"), permissions: [] }
}

/** What a program may write to the disk: nothing, or its Deno cache. */
export type Writes = "nothing" | "cache"

/** The command line that starts a program within the limits and the layer of a plugin, whatever the program is. */
export const confined = (
  { tools, layer, libraries }: Confining,
  confinement: Confinement,
  program: ReadonlyArray<string>,
  writes: Writes,
): Omit<SandboxedCommand, "permissions"> => {
  const { directory, denoDir, limits } = confinement
  const furnishing = { ...confinement, programs: [tools.deno, ...libraries], cacheIsWritten: writes === "cache" }
  const [command = tools.deno, ...args] = [
    ...boundedBy(tools, limits, writes),
    ...starter(tools, layer, furnishing),
    ...program,
  ]
  return {
    ...{ tier: tierOf(layer), layer, command, args },
    env: { DENO_DIR: denoDir, ...ENVIRONMENT },
    cwd: directory,
  }
}

const starter = (
  tools: Tools,
  layer: Layer,
  furnishing: Parameters<typeof Bubblewrap.pluginArgs>[0],
): ReadonlyArray<string> => {
  switch (layer) {
    case "bubblewrap":
      return [tools.bwrap ?? "bwrap", ...Bubblewrap.pluginArgs(furnishing)]
    case "unshare":
      return Unshare.pluginArgs(meansOf(tools), furnishing)
    case "user":
      return userArgs(tools.setpriv ?? "setpriv", userOf(furnishing.denoDir))
    case "none":
      return dyingWithParent(tools)
  }
}

/** By their names where they were not found: then starting fails, and says which. */
const meansOf = ({ sh = "sh", unshare = "unshare", mount = "mount", setpriv = "setpriv" }: Tools): Unshare.Means => ({
  ...{ sh, unshare, mount, setpriv },
})

/**
 * What every process of Deno's is told. `DENO_WEBGPU_BACKEND` names none: otherwise `navigator.gpu` loads the machine's
 * graphics libraries, which no permission guards.
 */
const ENVIRONMENT = {
  DENO_NO_PACKAGE_JSON: "1",
  DENO_NO_UPDATE_CHECK: "1",
  DENO_WEBGPU_BACKEND: "none",
  NO_COLOR: "1",
  /**
   * How glibc keeps memory: what is large goes back to the system when it is freed, and threads share two arenas. Otherwise
   * each thread's arena keeps the most that it ever held, and a plugin that starts one thread after the other runs into its limit.
   */
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
}

/** For which plugin a command is run. */
export interface RunFor {
  /** Real paths of what the command must not reach. */
  readonly forbidden: ReadonlyArray<string>
  /** The plugin's Deno cache. */
  readonly denoDir: string
}

/**
 * How a command that the host runs for a plugin is confined. In the tier `namespaces` it cannot reach what is forbidden, and ends
 * with the host together with all that it started. In `flags` it may do what the host may, and only the command itself is
 * sure to end with the host. In both it gains no privileges.
 */
export const commandLine =
  ({ tools, layer }: Confining, { forbidden, denoDir }: RunFor) =>
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
      return Unshare.commandArgs(meansOf(tools), running)
    case "user":
    case "none":
      return dyingWithParent(tools)
  }
}

const dyingWithParent = ({ setpriv }: Tools): ReadonlyArray<string> =>
  setpriv === undefined ? [] : [setpriv, "--pdeathsig", "KILL", "--no-new-privs"]

/**
 * Gives the session that a process leads its niceness. Where the scheduler groups processes by session (sched(7), "The
 * autogroup feature"), nice(1) counts only inside the group: so a plugin starts with the share of a session, and stands
 * back when it is ready. Where there are no such groups nice(1) has done it from the start. All users but root together may do this
 * ten times a second: what is too often is to be tried again.
 */
export const setNice = (pid: number, niceness: number): "done" | "too often" => {
  try {
    fs.writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    if (code === "EAGAIN") return "too often"
    // There are no groups, the process has just ended, or this user may not.
    if (!["ENOENT", "ESRCH", "EPERM", "EACCES", "EIO"].includes(code)) throw cause
  }
  return "done"
}

/** A program and its arguments, without a shell. */
export interface CommandLine {
  readonly command: string
  readonly args: ReadonlyArray<string>
}
