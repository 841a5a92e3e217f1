/** The host request `run`: runs a command for a plugin, without a shell. */
import { type ChildProcess, spawn } from "node:child_process"
import * as path from "node:path"
import { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import * as InheritedDescriptors from "../../platform/InheritedDescriptors.ts"
import * as ProcessGroup from "../../platform/ProcessGroup.ts"
import type { RunResult } from "../author.ts"
import type { CommandLine } from "../sandbox/Sandbox.ts"
import { onPath } from "../sandbox/Tools.ts"
import type { Client } from "./Client.ts"

/** Default of `runMs`, in milliseconds. */
const RUN_MS = 30_000

/** Default of `outputBytes`. */
const OUTPUT_BYTES = 1024 * 1024

/**
 * Runs a command that is granted by exactly this name, in the workspace and without a shell. Of the host's environment,
 * it gets only variables for finding commands and for the locale. `client.confine` confines it.
 *
 * Any exit code succeeds, as does death by a signal. Under bubblewrap, a signal becomes the code 128 + n, as in shells.
 *
 * Fails if the command is not granted, not found, too slow, or prints too much. A time-out, too much output and
 * interruption kill the command's process group.
 */
export const runCommand = (
  client: Client,
  command: string,
  args: ReadonlyArray<string>,
): Effect.Effect<RunResult, Failure> => {
  if (!mayRun(client, command)) return Effect.fail(notGranted(command, client.grants.run))
  if ([command, ...args].some((part) => part.includes("\0"))) {
    return Effect.fail({ code: "ParametersInvalid", message: "expected a command and arguments without NUL" })
  }
  const found = command.includes(path.sep) ? path.resolve(client.workspace, command) : onPath(command)
  if (found === undefined) {
    return Effect.fail({
      code: "CommandUnavailable",
      message: `${command}: expected a command on the PATH, found none`,
    })
  }
  const cwd = client.workspace
  const unavailable = (cause: unknown): Failure => ({
    code: "CommandUnavailable",
    message: `${command}: it cannot be started: ${cause instanceof Error ? cause.message : String(cause)}`,
  })
  let line: CommandLine
  try {
    line = client.confine?.({ command: found, args }, cwd) ?? { command: found, args }
  } catch (cause) {
    // Confining a command may write a file, and the disk may be full.
    return Effect.fail(unavailable(cause))
  }
  return Effect.async((resume) => {
    let child: ChildProcess
    try {
      child = spawn(line.command, line.args, {
        cwd,
        env: environment(),
        stdio: ["ignore", "pipe", "pipe", ...InheritedDescriptors.replacementStdio()],
        detached: true,
      })
      InheritedDescriptors.closeReplacements(child)
    } catch (cause) {
      // Node throws some errors, for example for arguments that are too long.
      return resume(Effect.fail(unavailable(cause)))
    }
    // Without a process there may be no pipes, for example when the process has no descriptors left.
    if (child.pid === undefined || child.stdout === null || child.stderr === null) {
      child.once("error", (cause) => resume(Effect.fail(unavailable(cause))))
      return
    }
    const limit = client.limits?.outputBytes ?? OUTPUT_BYTES
    const runMs = client.limits?.runMs ?? RUN_MS
    const killCommand = () => {
      clearTimeout(timer)
      ProcessGroup.killProcessGroup(child)
    }
    const fail = (failure: Failure) => {
      killCommand()
      resume(Effect.fail(failure))
    }
    const tooLong = (stream: string) =>
      fail({
        code: "OutputTooLarge",
        message: `${command}: expected at most ${limit} bytes on ${stream}, found more; it was killed`,
      })
    const timer = setTimeout(
      () =>
        fail({ code: "CommandTimedOut", message: `${command}: expected it to end within ${runMs} ms; it was killed` }),
      runMs,
    )
    const stdout = collect(child.stdout, limit, () => tooLong("stdout"))
    const stderr = collect(child.stderr, limit, () => tooLong("stderr"))
    child.on("error", (cause) => fail(unavailable(cause)))
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      resume(Effect.succeed({ code, signal, stdout: stdout(), stderr: stderr() }))
    })
    return Effect.sync(killCommand)
  })
}

const mayRun = ({ grants }: Client, command: string): boolean => grants.runAny || grants.run.includes(command)

/** Returns the command. Fails without a grant. */
export const grantedCommand = (client: Client, command: string): Effect.Effect<string, Failure> =>
  mayRun(client, command) ? Effect.succeed(command) : Effect.fail(notGranted(command, client.grants.run))

const notGranted = (command: string, granted: ReadonlyArray<string>): Failure => ({
  code: "RunNotGranted",
  message:
    `expected one of the commands that the plugin may run (${granted.join(", ") || "none"}), found ${command}. ` +
    "Add it, by exactly this name, to the manifest's permissions.run and import the plugin again.",
})

/** The host's variables for finding commands and for the locale. */
export const environment = (): { readonly [name: string]: string } => {
  const passed = ["HOME", "LANG", "LC_ALL", "TZ"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  // A relative entry would find commands in the workspace, where the plugin may be able to write.
  const directories = (process.env.PATH ?? "").split(path.delimiter).filter((directory) => path.isAbsolute(directory))
  return { ...Object.fromEntries(passed), PATH: directories.join(path.delimiter) }
}

/** Collects text up to a limit. */
const collect = (stream: NodeJS.ReadableStream, limit: number, onExcess: () => void): (() => string) => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  stream.on("data", (chunk: Buffer) => {
    if (bytes > limit) return
    bytes += chunk.length
    if (bytes > limit) return onExcess()
    chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString("utf8").toWellFormed()
}
