/**
 * Entry of the plugin `workspace`: sensors read the workspace's files and git status, actuators write files and run
 * commands.
 */
import type { Actuator, Json, Plugin, PluginContext, Settle } from "hindcast/plugin"
import { denoDisk } from "./disk.ts"
import { readGit } from "./git.ts"
import { changesBetween, type Listing, list, sha256 } from "./listing.ts"

/** This process's last reading, for comparison. */
let previous: { readonly listing: Listing; readonly at: number } | undefined

const files = async ({ workspace, signal, now }: PluginContext): Promise<Json> => {
  const listing = await list(denoDisk, workspace, signal)
  const before = previous
  previous = { listing, at: now }
  return {
    files: listing.files.map(({ path, size, modifiedAt, digest }) =>
      // With a digest, the time is omitted: it would make readings of equal content differ.
      digest === null ? { path, size, modifiedAt } : { path, size, digest },
    ),
    unreadable: listing.unreadable,
    truncated: listing.truncated,
    changedSince: before?.at ?? null,
    changed: { ...changesBetween(before?.listing ?? listing, listing) },
  }
}

/** As the manifest's schema declares them. */
interface WriteFileArgs {
  readonly path: string
  readonly content: string
}

const assertNotGits = (path: string): void => {
  if (path.split(/[\\/]/).some((part) => part.toLowerCase() === ".git")) {
    throw failure("protected", `${path} lies in .git, which is git's own. Use git to change it.`)
  }
}

const writeFile: Actuator = async (context, { path, content }: WriteFileArgs) => {
  assertNotGits(path)
  await context.writeFile(path, content)
  const bytes = new TextEncoder().encode(content)
  return { path, bytes: bytes.length, digest: await sha256(bytes) }
}

/** The file shows whether it was written, unless its content differs: then something may have changed it since. */
const settleWriteFile: Settle = async (context, _commandId, { path, content }: WriteFileArgs) => {
  assertNotGits(path)
  const found = await context.readFile(path).catch(() => undefined)
  if (found !== content) {
    const what = found === undefined ? "cannot be read" : "holds something else"
    return { status: "unknown", reason: `${path} ${what}: it was not written, or was changed since` }
  }
  const bytes = new TextEncoder().encode(content)
  return { status: "succeeded", result: { path, bytes: bytes.length, digest: await sha256(bytes) } }
}

interface RunArgs {
  readonly command: string
  readonly args?: ReadonlyArray<string>
}

const run: Actuator = async (context, { command, args = [] }: RunArgs) => {
  // The host throws an error with a code if the command is not allowed, not found, too slow, or prints too much.
  const { code, signal, stdout, stderr } = await context.run(command, args)
  return { code, signal, stdout, stderr }
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

export default {
  sensors: { files, git: readGit },
  actuators: { write_file: writeFile, run },
  // `run` has none: nobody can tell from outside what a program did.
  settle: { write_file: settleWriteFile },
} satisfies Plugin
