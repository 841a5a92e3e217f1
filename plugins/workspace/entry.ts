import type { Actuator, Json, JsonObject, Plugin, PluginContext } from "hindcast/plugin"
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

const writeFile: Actuator = async (context, { path, content }: JsonObject) => {
  if (typeof path !== "string" || typeof content !== "string") {
    throw failure("bad-arguments", "Expected a path and a content, both text.")
  }
  if (path.split(/[\\/]/).some((part) => part.toLowerCase() === ".git")) {
    throw failure("protected", `${path} lies in .git, which is git's own. Use git to change it.`)
  }
  await context.writeFile(path, content)
  const bytes = new TextEncoder().encode(content)
  return { path, bytes: bytes.length, digest: await sha256(bytes) }
}

const run: Actuator = async (context, { command, args = [] }: JsonObject) => {
  if (typeof command !== "string" || !isTexts(args)) {
    throw failure("bad-arguments", "Expected a command, which is text, and args, a list of texts.")
  }
  // The host throws an error with a code where the command is not allowed, not there, too slow or too talkative.
  const { code, signal, stdout, stderr } = await context.run(command, args)
  return { code, signal, stdout, stderr }
}

const isTexts = (value: Json): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

export default {
  sensors: { files, git: readGit },
  actuators: { write_file: writeFile, run },
} satisfies Plugin
