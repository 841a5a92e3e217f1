/**
 * Shares plugins' `precomputed` bytes within this process, so that tests compute them once. Each plugin under test has
 * a temporary cache of its own: what Deno compiled must not survive a change of the plugin. The bytes may, because
 * their name is their digest, which the host compares before each start.
 */

import { rmSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import type { Manifest } from "../manifest/Manifest.ts"
import * as Precomputed from "../sandbox/Precomputed.ts"

/** Copies known bytes into a plugin's cache. */
export const lend = ({ precomputed }: Manifest, denoDir: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (precomputed === undefined) return
    const directory = await kept
    if (directory === undefined) return
    await fs.mkdir(denoDir, { recursive: true, mode: 0o700 })
    await copy(Precomputed.fileIn(directory, precomputed), Precomputed.fileIn(denoDir, precomputed))
  })

/** Saves the bytes from the cache of a started plugin. */
export const keep = ({ precomputed }: Manifest, denoDir: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (precomputed === undefined) return
    kept ??= makeDirectory().catch(() => undefined)
    const directory = await kept
    if (directory !== undefined)
      await copy(Precomputed.fileIn(denoDir, precomputed), Precomputed.fileIn(directory, precomputed))
  })

/** A link takes no time. If it fails, the bytes are computed again. */
const copy = (from: string, to: string): Promise<void> => fs.link(from, to).catch(() => undefined)

let kept: Promise<string | undefined> | undefined

/** Removed when this process exits. If the process is killed, the next one removes the directory. */
const makeDirectory = async (): Promise<string> => {
  const target = path.join(os.tmpdir(), "hindcast-testing-precomputed")
  AtomicFile.removeAbandonedFile(target)
  const directory = AtomicFile.nameFor(target)
  await fs.mkdir(directory, { mode: 0o700 })
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }))
  return directory
}
