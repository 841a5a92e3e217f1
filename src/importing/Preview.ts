/** Collects the first events of a dry run's first run. */

import type { RunPreview } from "./ImportReport.ts"
import type { ImportedRun, RunEvent } from "./runs/RunEvent.ts"

const MAX_EVENTS = 50

export class Preview {
  #run: ImportedRun | undefined
  readonly #events: Array<RunPreview["events"][number]> = []
  #count = 0

  take({ run, at, body: { type, payload } }: RunEvent): void {
    this.#run ??= run
    if (run !== this.#run) return
    this.#count += 1
    if (this.#events.length < MAX_EVENTS) this.#events.push({ type, at, payload: { ...payload } })
  }

  /** Undefined if there was no run. */
  get shown(): RunPreview | undefined {
    if (this.#run === undefined) return undefined
    const { taskId, start } = this.#run
    return { taskId, goal: start.goal, events: this.#events, of: this.#count }
  }
}
