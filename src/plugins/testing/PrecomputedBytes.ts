/**
 * Keeps plugins' `precomputed` bytes while this process runs, so that a plugin's tests compute them once. Each plugin under test has a
 * cache of its own, which is removed with it: what Deno compiled of a plugin must not outlive a change of the plugin. These bytes may, as
 * their name is their digest, which is compared before each start.
 */

import { rmSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import type { Manifest } from "../manifest/Manifest.ts"
import * as Precomputed from "../sandbox/Precomputed.ts"

/** Puts the bytes into a plugin's cache, if this process has computed them before. */
export const lend = ({ precomputed }: Manifest, denoDir: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (precomputed === undefined) return
    const directory = await kept
    if (directory === undefined) return
    await fs.mkdir(denoDir, { recursive: true, mode: 0o700 })
    await copy(Precomputed.fileIn(directory, precomputed), Precomputed.fileIn(denoDir, precomputed))
  })

/** Keeps the bytes of a plugin that was started, if its cache has them. */
export const keep = ({ precomputed }: Manifest, denoDir: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (precomputed === undefined) return
    kept ??= makeDirectory().catch(() => undefined)
    const directory = await kept
    if (directory !== undefined)
      await copy(Precomputed.fileIn(denoDir, precomputed), Precomputed.fileIn(directory, precomputed))
  })

/** A link is a copy that takes no time. Bytes that cannot be kept are computed again. */
const copy = (from: string, to: string): Promise<void> => fs.link(from, to).catch(() => undefined)

let kept: Promise<string | undefined> | undefined

/** A directory that is removed when this process exits; if it is killed, the next one removes it. */
const makeDirectory = async (): Promise<string> => {
  const target = path.join(os.tmpdir(), "hindcast-testing-precomputed")
  AtomicFile.removeAbandonedFile(target)
  const directory = AtomicFile.nameFor(target)
  await fs.mkdir(directory, { mode: 0o700 })
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }))
  return directory
}
