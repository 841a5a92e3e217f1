/** The environment's state of a run: the files that it edited, or the document that its source keeps. */

import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import type { Json } from "../../values/Json.ts"
import { EditedFiles } from "./EditedFiles.ts"
import type { Body, RunWriter } from "./RunEvent.ts"
import { filePointer, logJson } from "./Untrusted.ts"

export class RunEnvironment {
  readonly files = new EditedFiles()
  readonly #writer: RunWriter
  /** Whether the log has a state of the run. */
  #isShown = false
  /** The files that are in the environment's document. */
  readonly #shown = new Set<string>()

  constructor(writer: RunWriter) {
    this.#writer = writer
  }

  /**
   * What is known of a file without the agent having changed it: a call read it whole. Where it is not as it was left, a command, a
   * person or another program changed it since: the newest text is the file's, and where the log shows the file, the change is observed.
   */
  fileKnown(callId: string, path: string, content: string, at: number | null): void {
    const before = this.files.get(path)
    if (before === content) return
    const kept = this.files.set(path, content)
    if (this.#shown.has(path) && kept !== before)
      this.#changed(`seen:${path}:${callId}`, path, kept, at, `outcome:${callId}`)
  }

  /**
   * A call changed a file: its new content, null where that is not known, or undefined where the file is gone. If the
   * file's content before is known and was not shown yet, or not as the call found it, it is shown first, so that the change is a
   * difference.
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

  /** A file has another content: what a call found, and not what it did. */
  #changed(key: string, path: string, content: string | null, at: number | null, cause: string): void {
    const patch = [
      { op: "add", path: filePointer(path.toWellFormed()), value: content?.toWellFormed() ?? null },
    ] as const
    const payload = { plugin: this.#writer.source, patch }
    this.#writer.write(key, { type: "EnvironmentChanged", payload }, { at, cause })
  }

  /** The operation of a file's new content; undefined if a file is gone that was not shown. */
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

  /** The files as they are now, for a task in which the run goes on; undefined where no state was shown. */
  now(): Body | undefined {
    return this.#isShown ? this.#document() : undefined
  }

  /** A world's own state document, where a source has one. */
  stateSet(key: string, state: Json, at: number | null): void {
    this.#isShown = true
    this.#writer.write(key, resetTo(this.#writer.source, logJson(state).json), { at })
  }

  /** Operations of a JSON Patch that a source recorded of its state. */
  stateChanged(key: string, patch: ReadonlyArray<PatchOperation>, at: number | null): void {
    this.#writer.write(key, { type: "EnvironmentChanged", payload: { plugin: this.#writer.source, patch } }, { at })
  }
}

const resetTo = (plugin: string, state: Json): Body => ({
  type: "EnvironmentReset",
  payload: { plugin, seed: 0, options: {}, state },
})
