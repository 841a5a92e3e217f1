/** The API's answers about scenarios and rubrics in files. All of it needs `--write` and `--scenarios`. */
import type { Json, JsonObject } from "../../values/Json.ts"
import type { View } from "../../views/View.ts"

export type FileKind = "scenario" | "rubric"

/** `GET /api/scenarios` */
export interface ScenarioFiles {
  /** At most 1,000, by name. */
  readonly files: ReadonlyArray<ScenarioFile>
  /** The last names of the directories that Studio was started with. A new file goes into one of them. */
  readonly directories: ReadonlyArray<string>
  /** The agents that may play. */
  readonly agents: ReadonlyArray<string>
}

export interface ScenarioFile {
  /** The number of the directory and the path in it, such as `0/rooms/vault.yaml`. */
  readonly file: string
  readonly kind: FileKind
}

/** `GET /api/scenario?file=…` */
export interface ScenarioText extends ScenarioFile {
  readonly text: string
  /** SHA-256 of the text, which a change has to name. */
  readonly digest: string
}

/** `POST /api/scenarios/check`. Returns `TextIssue`s, empty for a valid text. */
export interface TextToCheck {
  readonly kind: FileKind
  readonly text: string
}

/**
 * `POST /api/scenarios/save`. Returns `Saved`, or status 409 with `error` `FileChanged` if the file changed since it
 * was read.
 */
export interface TextToSave {
  readonly file: string
  readonly text: string
  /** The digest of the text that was read; null for a new file. */
  readonly digest: string | null
}

export interface Saved {
  readonly file: string
  readonly digest: string
}

/** `POST /api/scenarios/look`, with `{ "text": … }`: the initial world of a scenario. Records nothing. */
export interface WorldAtStart {
  readonly plugin: string
  readonly document: Json
  /** The view of its manifest, if any. */
  readonly view: View | null
}

/** `POST /api/scenarios/run`. Returns the task once it is open; its events come live. */
export interface ScenarioRun {
  readonly file: string
  /** The digest of the text to run, which the file must still have. */
  readonly digest: string
  /** One of `ScenarioFiles.agents`. It plays all parts. */
  readonly agent: string
  readonly seed?: number
}

/** `GET /api/schemas?of=scenario|rubric`: the JSON Schema (draft-07) of such a document. */
export type Schemas = JsonObject
