/**
 * Copies of plugins' files in a log on a server, once for each digest. A machine that has no copy of a digest takes it
 * from there. Which code may start is no matter of this module: `VouchedCode` decides it before anything is taken.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import * as stream from "node:stream/consumers"
import { Effect } from "effect"
import { type AppendError, type EventLog, type LogError, NoStream } from "../../../events/log/EventLog.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../../platform/ProgramLog.ts"
import * as Manifest from "../../../plugins/manifest/Manifest.ts"
import { PluginUnavailable } from "../../../plugins/PluginError.ts"
import type { Plugin } from "../../../projections/state/PluginRegistry.ts"
import * as PluginArchive from "../PluginArchive.ts"
import { temporary } from "../TemporaryDirectory.ts"
import * as PluginCopies from "./PluginCopies.ts"

/** In bytes. Base64 makes it a third longer, and a payload has at most 8 MiB. */
const PIECE = 4 * 1024 * 1024

/** Maximum number of pieces. Whoever reads all events of the log reads them too. */
const MAX_PIECES = 4

const streamOf = (digest: string): string => `plugin-files/${digest}`

/**
 * Stores the files of a plugin's copy, unless the log has them. Warns instead if they are too large: then
 * each machine has to import the plugin itself.
 */
export const store = (
  log: EventLog.Service,
  copies: string,
  { manifest: { name: plugin }, digest, files }: Pick<Manifest.LoadedPlugin, "manifest" | "digest" | "files">,
): Effect.Effect<void, AppendError | PluginUnavailable> =>
  Effect.gen(function* () {
    if ((yield* log.versionOf(streamOf(digest))) > 0) return
    const archive = yield* Effect.tryPromise({
      try: () => packed(PluginCopies.pathOf(copies, plugin, digest), files),
      catch: (cause) =>
        new PluginUnavailable({
          plugin,
          reason: `its copy cannot be packed: ${cause instanceof Error ? cause.message : String(cause)}`,
        }),
    })
    const of = Math.ceil(archive.length / PIECE)
    if (of > MAX_PIECES) {
      const found = `its files have ${archive.length} bytes packed, and the log keeps at most ${MAX_PIECES * PIECE}`
      return yield* ProgramLog.warning(`${plugin} has to be imported on each machine whose runner needs it`, found)
    }
    const events = Array.from({ length: of }, (_, index) => {
      const content = archive.subarray(index * PIECE, (index + 1) * PIECE).toString("base64")
      return { type: "PluginFilesStored" as const, payload: { plugin, digest, part: index + 1, of, content } }
    })
    yield* log.append({ stream: streamOf(digest), actor: "kernel", events, expected: NoStream }).pipe(
      // Another process has stored them meanwhile.
      Effect.catchTag("VersionConflict", () => Effect.void),
    )
  })

/** A tar file, with gzip. Permissions of others and times depend on the machine, and have no place in it. */
const packed = async (directory: string, files: ReadonlyArray<string>): Promise<Buffer> => {
  const tar = await import("tar")
  // With the dot, no name is an option of tar.
  const names = files.map((file) => `./${file}`)
  return stream.buffer(tar.create({ cwd: directory, gzip: true, portable: true, noMtime: true, strict: true }, names))
}

/**
 * Puts a plugin's files from the log among this machine's copies, unless they are there. Fails if the log's files
 * are not those of the digest. The caller must know that this user lets the digest start.
 */
export const restore = (
  log: EventLog.Service,
  copies: string,
  plugin: string,
  { digest, source }: Pick<Plugin, "digest" | "source">,
): Effect.Effect<void, PluginUnavailable | LogError> =>
  Effect.gen(function* () {
    if (fs.existsSync(PluginCopies.pathOf(copies, plugin, digest))) return
    const unusable = (found: string) =>
      new PluginUnavailable({
        plugin,
        reason: `expected the files of ${digest.slice(0, 16)} in the log, found ${found}. Import it again from ${source}`,
      })
    const events = yield* log.readPage({ stream: streamOf(digest) }, MAX_PIECES + 1)
    // Earlier versions stored none. Loading the missing copy says what to do.
    if (events.length === 0) return
    const pieces = events.flatMap((event) => (is(event, "PluginFilesStored") ? [event.payload] : []))
    const isWhole =
      pieces.length === events.length &&
      pieces.length <= MAX_PIECES &&
      pieces.every((piece, index) => piece.part === index + 1 && piece.of === pieces.length)
    if (!isWhole) return yield* unusable("another number of pieces")
    const archive = Buffer.concat(pieces.map(({ content }) => Buffer.from(content, "base64")))
    if (archive.length > MAX_PIECES * PIECE) return yield* unusable(`${archive.length} bytes`)
    const into = yield* temporary(source)
    const directory = yield* PluginArchive.unpack(archive, path.join(into, "files"), "the log", {
      executables: true,
    })
    const found = yield* Manifest.load(directory, { lenient: true, trusted: true })
    if (found.digest !== digest || found.manifest.name !== plugin) return yield* unusable("others")
    yield* PluginCopies.keep(copies, found)
  }).pipe(
    Effect.catchTags({
      SourceRefused: ({ issues }) => new PluginUnavailable({ plugin, reason: refused(issues, source) }),
      ManifestInvalid: ({ message }) => new PluginUnavailable({ plugin, reason: refused([message], source) }),
    }),
    Effect.scoped,
  )

const refused = (issues: ReadonlyArray<string>, source: string): string =>
  `its files in the log cannot be used: ${issues.slice(0, 3).join("; ")}. Import it again from ${source}`
