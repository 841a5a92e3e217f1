/** The environment state of a run: the files that it edited, or the source's own state document. */

import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import type { Json } from "../../values/Json.ts"
import { EditedFiles } from "./EditedFiles.ts"
import type { Body, RunWriter } from "./RunEvent.ts"
import { filePointer, logJson } from "./Untrusted.ts"

export class RunEnvironment {
  readonly files = new EditedFiles()
  readonly #writer: RunWriter
  #isShown = false
  /** Files in the recorded state. */
  readonly #shown = new Set<string>()

  constructor(writer: RunWriter) {
    this.#writer = writer
  }

  /**
   * Registers a file's content from a full read. If it differs from the last known one, a command, a person or another
   * program changed it; if the state has the file, the change is recorded.
   */
  fileKnown(callId: string, path: string, content: string, at: number | null): void {
    const before = this.files.get(path)
    if (before === content) return
    const kept = this.files.set(path, content)
    if (this.#shown.has(path) && kept !== before)
      this.#changed(`seen:${path}:${callId}`, path, kept, at, `outcome:${callId}`)
  }

  /**
   * Records a call's change of a file. `after` is null if unknown, undefined if the file is gone. If the content before
   * the call is known and not yet in the state, it is recorded first, so that the change is a difference.
   */
  fileChanged(
    callId: string,
    path: string,
    before: string | null | undefined,
    after: string | null | undefined,
    at: number | null,
  ): void {
    const plugin = this.#writer.source
    const pointer = filePointer(path.toWellFormed())
    if (!this.#isShown) this.#show("environment", at)
    const known = this.files.get(path)
    if (before !== undefined) {
      const found = typeof before === "string" && before !== known ? this.files.set(path, before) : before
      if (!this.#shown.has(path) || (before !== null && found !== known)) {
        this.#shown.add(path)
        this.#changed(`found:${path}:${callId}`, path, found, at, `call:${callId}`)
      }
    }
    const operation = this.#applied(path, pointer, after)
    if (operation === undefined) return
    this.#writer.write(
      `changed:${path}:${callId}`,
      { type: "EnvironmentChanged", payload: { plugin, patch: [operation] } },
      { at, cause: `outcome:${callId}` },
    )
  }

  #changed(key: string, path: string, content: string | null, at: number | null, cause: string): void {
    const patch = [
      { op: "add", path: filePointer(path.toWellFormed()), value: content?.toWellFormed() ?? null },
    ] as const
    const payload = { plugin: this.#writer.source, patch }
    this.#writer.write(key, { type: "EnvironmentChanged", payload }, { at, cause })
  }

  /** The patch operation for a new content; undefined if the file is gone and was never recorded. */
  #applied(path: string, pointer: string, after: string | null | undefined): PatchOperation | undefined {
    if (after === undefined) {
      this.files.delete(path)
      return this.#shown.delete(path) ? { op: "remove", path: pointer } : undefined
    }
    const kept = this.files.set(path, after)
    this.#shown.add(path)
    return { op: "add", path: pointer, value: kept?.toWellFormed() ?? null }
  }

  #show(key: string, at: number | null): void {
    this.#isShown = true
    this.#writer.write(key, this.#document(), { at })
  }

  #document(): Body {
    const files = Object.fromEntries(
      [...this.#shown].map((path) => [path.toWellFormed(), this.files.get(path)?.toWellFormed() ?? null]),
    )
    return resetTo(this.#writer.source, { files })
  }

  /** The current files, for a further task of the run; undefined if no state was recorded. */
  now(): Body | undefined {
    return this.#isShown ? this.#document() : undefined
  }

  stateSet(key: string, state: Json, at: number | null): void {
    this.#isShown = true
    this.#writer.write(key, resetTo(this.#writer.source, logJson(state).json), { at })
  }

  stateChanged(key: string, patch: ReadonlyArray<PatchOperation>, at: number | null): void {
    this.#writer.write(key, { type: "EnvironmentChanged", payload: { plugin: this.#writer.source, patch } }, { at })
  }
}

const resetTo = (plugin: string, state: Json): Body => ({
  type: "EnvironmentReset",
  payload: { plugin, seed: 0, options: {}, state },
})
