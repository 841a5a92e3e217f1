import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Data, Effect, Either } from "effect"
import type { Tools } from "../Tools.ts"
import { pluginArgs } from "./Bubblewrap.ts"

/**
 * How a plugin is confined.
 *
 * - `namespaces`: Deno's permissions inside bubblewrap: nothing is on its disk but what it may read, it has no network,
 *   and sees no other process.
 * - `flags`: Deno's permissions, no new privileges, death together with the host, and no link that leaves what it may read.
 */
export type Tier = "namespaces" | "flags"

/** Which tier a program asks for; `auto` takes the strongest that the machine has. */
export type Wanted = "auto" | Tier

/** The tier that is in effect on this machine. */
export interface Chosen {
  readonly tier: Tier
  /** One sentence. */
  readonly why: string
  /** What to do for a stronger confinement; absent where there is nothing. */
  readonly improve?: string
}

/** Install what is missing, or ask for another tier: this one is not to be had on this machine. */
export class SandboxUnavailable extends Data.TaggedError("SandboxUnavailable")<{
  readonly wanted: Tier
  readonly found: string
  readonly remedy: string
}> {
  override get message() {
    return `The sandbox tier ${this.wanted} was required: ${this.found}. ${this.remedy}`
  }
}

/**
 * Chooses the tier. What was required and is not there fails; nothing less is taken in its place. Whether bubblewrap works,
 * which many containers forbid, is found out by starting Deno in it as a plugin would be.
 */
export const choose = (tools: Tools, wanted: Wanted = "auto"): Effect.Effect<Chosen, SandboxUnavailable> =>
  Effect.gen(function* () {
    if (wanted === "flags") return yield* flags(tools, wanted, "it was asked for", undefined)
    const works = yield* namespaces(tools)
    if (Either.isRight(works)) return { tier: "namespaces", why: "bubblewrap works on this machine" } as const
    const { found, remedy } = works.left
    if (wanted === "namespaces") return yield* new SandboxUnavailable({ wanted, found, remedy })
    return yield* flags(tools, wanted, found, remedy)
  })

/** The tools without which a process on Linux has no bounds and may outlive its host. */
const BOUNDS = ["setpriv", "prlimit", "nice"] as const

const PACKAGES = { setpriv: "util-linux", prlimit: "util-linux", nice: "coreutils" }

/** The commands that bound a process and are missing here. */
export const missingBounds = (tools: Tools): ReadonlyArray<(typeof BOUNDS)[number]> =>
  process.platform === "linux" ? BOUNDS.filter((name) => tools[name] === undefined) : []

const flags = (tools: Tools, wanted: Wanted, why: string, remedy: string | undefined) => {
  const missing = missingBounds(tools)
  if (missing.length === 0) {
    const bounded = process.platform === "linux" ? "" : `; ${process.platform} bounds no memory beside the heap`
    return Effect.succeed<Chosen>({
      ...{ tier: "flags", why: `${why}${bounded}` },
      ...(remedy === undefined ? {} : { improve: remedy }),
    })
  }
  const found = `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not on the PATH`
  const packages = [...new Set(missing.map((name) => PACKAGES[name]))].join(" ")
  const install = `Install ${missing.length === 1 ? "it" : "them"}: \`apt-get install ${packages}\`.`
  if (wanted === "flags") return new SandboxUnavailable({ wanted, found, remedy: install })
  return Effect.succeed<Chosen>({
    tier: "flags",
    why: `${why}; and ${found}, so that its limits do not all hold`,
    improve: [install, remedy].filter((step) => step !== undefined).join(" "),
  })
}

const INSTALL = "Install it: `apt-get install bubblewrap`."

const FORBIDDEN =
  "Allow unprivileged user namespaces (`sysctl kernel.unprivileged_userns_clone=1`, or an AppArmor profile for bwrap; in a container `--security-opt seccomp=unconfined`), or require no more than `--sandbox flags`."

/** How long a trial start of Deno may take, in milliseconds. */
const TRIAL_MS = 10_000

const namespaces = (tools: Tools) =>
  Effect.gen(function* () {
    if (process.platform !== "linux") {
      const remedy = "Run on Linux, or require no more than `--sandbox flags`."
      return Either.left({ found: `bubblewrap is for Linux, and this is ${process.platform}`, remedy })
    }
    const { bwrap } = tools
    if (bwrap === undefined) return Either.left({ found: "bubblewrap's bwrap is not on the PATH", remedy: INSTALL })
    const missing = missingBounds(tools)
    if (missing.length > 0) {
      const remedy = `Install them: \`apt-get install ${[...new Set(missing.map((name) => PACKAGES[name]))].join(" ")}\`.`
      return Either.left({ found: `${missing.join(", ")} not found on the PATH`, remedy })
    }
    const failure = yield* trial(tools.deno, bwrap)
    return failure === undefined
      ? Either.right(undefined)
      : Either.left({ found: `bubblewrap is there and does not work here (${failure})`, remedy: FORBIDDEN })
  })

/** Starts Deno in bubblewrap; succeeds with what went wrong. */
const trial = (deno: string, bwrap: string): Effect.Effect<string | undefined> =>
  Effect.acquireUseRelease(
    Effect.promise(async () => fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), "hindcast-sandbox-")))),
    (directory) =>
      Effect.async<string | undefined>((resume) => {
        const args = pluginArgs({
          ...{ deno, runner: deno, directory, denoDir: directory },
          grants: { read: [], write: [], net: [], env: [], run: [], runAny: false },
        })
        const child = execFile(
          bwrap,
          [...args, deno, "--version"],
          { timeout: TRIAL_MS, env: { DENO_DIR: directory, DENO_NO_UPDATE_CHECK: "1" } },
          (error, _, stderr) =>
            resume(Effect.succeed(error === null ? undefined : (stderr.trim() || error.message).split("\n")[0])),
        )
        return Effect.sync(() => child.kill("SIGKILL"))
      }),
    (directory) => Effect.promise(() => fs.rm(directory, { recursive: true, force: true })),
  )
