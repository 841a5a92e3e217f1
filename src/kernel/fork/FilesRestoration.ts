/** Restores the recorded files of the workspace, for a fork or for a task that is resumed after a crash. */

import { Data, Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import { isInside } from "../../plugins/manifest/paths.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { plainText } from "../../values/Json.ts"
import { canChangeFiles } from "../acting/CommandFiles.ts"
import type { RestoredFiles } from "../context/FileRecorder.ts"
import { isInProcess } from "../registry/InProcess.ts"
import { manifestOf } from "../registry/Registry.ts"
import type { OpenTask } from "../tasks/OpenTask.ts"

/** Some files differ from the recorded ones and could not be brought back. The others were. */
export class FilesNotRestored extends Data.TaggedError("FilesNotRestored")<{
  readonly at: number
  readonly left: RestoredFiles["left"]
  readonly consequence?: string
}> {
  override get message() {
    const consequence = this.consequence === undefined ? "" : ` ${this.consequence}`
    return (
      `The files of the workspace could not be restored to @${this.at}: ${words(this.left)}.${consequence} ` +
      "Accept them as they are (`acceptUnrewound`, `--accept-unrewound`), or continue without `restoreFiles` (`--restore-files`)."
    )
  }
}

export const words = (left: RestoredFiles["left"]): string => {
  const named = left.slice(0, MAX_NAMED).map(({ path, why }) => `${path} (${why})`)
  return named.join(", ") + (left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "")
}

const MAX_NAMED = 5

/**
 * Restores files as of the last look up to a position, and records which plugins' worlds they are. Returns whether all
 * match. Fails if some do not, unless the caller accepts it.
 */
export const restore = (
  task: OpenTask,
  at: number,
  { acceptUnrewound = false }: { readonly acceptUnrewound?: boolean },
): Effect.Effect<boolean, FilesNotRestored | AppendError | LogError> =>
  Effect.gen(function* () {
    if (task.files === undefined) return yield* new FilesNotRestored({ at, left: [NOT_RECORDED] })
    const { root } = task.files
    const registry = yield* task.kernel.registry.state
    const restored = Object.entries(registry).filter(([plugin, found]) => task.takesPart(plugin) && isOfFiles(found))
    const elsewhere = restored.flatMap(([plugin, { workspace }]) =>
      workspace === null || isInside(workspace, root)
        ? []
        : [{ path: workspace, why: `${plugin} works there since its import, and not in ${root}` }],
    )
    if (elsewhere.length > 0) return yield* new FilesNotRestored({ at, left: elsewhere })
    const { left } = yield* task.files.restore(at)
    if (left.length > 0 && !acceptUnrewound) return yield* new FilesNotRestored({ at, left })
    for (const [plugin] of restored)
      yield* task.record({
        type: "EnvironmentRestored",
        causationId: task.openedBy,
        payload: {
          plugin,
          at,
          by: left.length === 0 ? "snapshot" : "nothing",
          checked: { document: left.length === 0, readings: 0, outcomes: 0 },
          ...(left.length === 0 ? {} : { reason: plainText(words(left)) }),
        },
      })
    return left.length === 0
  })

const NOT_RECORDED = { path: ".", why: "the task, or this kernel, does not record files" }

/** Whether the files are all that a plugin's environment consists of. */
export const isOfFiles = (found: Plugin): boolean =>
  found.active && !isInProcess(found) && manifestOf(found).peas.environment === undefined && canChangeFiles(found)
