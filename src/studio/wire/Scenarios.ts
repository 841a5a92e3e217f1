/** What Studio says of scenarios and rubrics in files. All of it needs `--write` and `--scenarios`. */
import type { Json, JsonObject } from "../../values/Json.ts"
import type { View } from "../../views/View.ts"

/** What a file holds. */
export type FileKind = "scenario" | "rubric"

/** `GET /api/scenarios` */
export interface ScenarioFiles {
  /** At most 1,000, by their names. */
  readonly files: ReadonlyArray<ScenarioFile>
  /** The directories that Studio was started with, by their last names: a new file is made in one of them. */
  readonly directories: ReadonlyArray<string>
  /** The agents that may play. */
  readonly agents: ReadonlyArray<string>
}

/** A scenario or a rubric in a file. */
export interface ScenarioFile {
  /** Which file, such as `0/rooms/vault.yaml`: the number of the directory, and the path in it. */
  readonly file: string
  readonly kind: FileKind
}

/** `GET /api/scenario?file=…` */
export interface ScenarioText extends ScenarioFile {
  readonly text: string
  /** SHA-256 of the text: what a change of it has to name. */
  readonly digest: string
}

/** `POST /api/scenarios/check`. Answered with `TextIssue`s, empty if nothing is wrong. */
export interface TextToCheck {
  readonly kind: FileKind
  readonly text: string
}

/**
 * `POST /api/scenarios/save`. Answered with `Saved`, or with status 409 and `error` `FileChanged` if the file is not the one that was
 * read.
 */
export interface TextToSave {
  readonly file: string
  readonly text: string
  /** Of the text that was read; null of a file that is new. */
  readonly digest: string | null
}

export interface Saved {
  readonly file: string
  readonly digest: string
}

/** `POST /api/scenarios/look`, with `{ "text": … }`: the world of a scenario as it begins. Nothing is recorded. */
export interface WorldAtStart {
  readonly plugin: string
  readonly document: Json
  /** The view of its manifest; null if it has none. */
  readonly view: View | null
}

/** `POST /api/scenarios/run`. Answered with the task when it has been opened; its course comes live. */
export interface ScenarioRun {
  readonly file: string
  /** Of the text that is to be run: the file has to have it still. */
  readonly digest: string
  /** One of `ScenarioFiles.agents`: it plays all parts. */
  readonly agent: string
  readonly seed?: number
}

/** `GET /api/schemas?of=scenario|rubric` answers with the JSON Schema (draft-07) of such a document. */
export type Schemas = JsonObject
