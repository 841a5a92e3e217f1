import type { Actuator, Json, Plugin, PluginContext } from "hindcast/plugin"
import { denoDisk } from "./disk.ts"
import { readGit } from "./git.ts"
import { changesBetween, type Listing, list, sha256 } from "./listing.ts"

/** The last reading of this process, which the next one is compared with. */
let previous: { readonly listing: Listing; readonly at: number } | undefined

const files = async ({ workspace, signal, now }: PluginContext): Promise<Json> => {
  const listing = await list(denoDisk, workspace, signal)
  const before = previous
  previous = { listing, at: now }
  return {
    files: listing.files.map(({ path, size, modifiedAt, digest }) =>
      // A digest says all there is to say about content; a time would only make equal readings differ.
      digest === null ? { path, size, modifiedAt } : { path, size, digest },
    ),
    unreadable: listing.unreadable,
    truncated: listing.truncated,
    changedSince: before?.at ?? null,
    changed: { ...changesBetween(before?.listing ?? listing, listing) },
  }
}

/** As the manifest's schemas promise. */
interface Writing {
  readonly path: string
  readonly content: string
}

const writeFile: Actuator = async (context, { path, content }: Writing) => {
  if (path.split(/[\\/]/).some((part) => part.toLowerCase() === ".git")) {
    throw failure("protected", `${path} lies in .git, which is git's own. Use git to change it.`)
  }
  await context.writeFile(path, content)
  const bytes = new TextEncoder().encode(content)
  return { path, bytes: bytes.length, digest: await sha256(bytes) }
}

interface Running {
  readonly command: string
  readonly args?: ReadonlyArray<string>
}

const run: Actuator = async (context, { command, args = [] }: Running) => {
  // The host throws an error with a code where the command is not allowed, not there, too slow or too talkative.
  const { code, signal, stdout, stderr } = await context.run(command, args)
  return { code, signal, stdout, stderr }
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

export default {
  sensors: { files, git: readGit },
  actuators: { write_file: writeFile, run },
} satisfies Plugin
