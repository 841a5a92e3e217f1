/**
 * The caller's side of a demo: printing, the command line's formats, and access to the user's things. `hindcast demo`
 * has a stage for the terminal and one that prints nothing.
 */
import type { Effect } from "effect"
import type { Confirmations, Event, EventLog, Json, JsonObject, Models, TaskAudit, TimeTravel } from "hindcast"

export interface Stage {
  readonly style: Style
  /** Starts a part: its title, and paragraphs about what it shows and why it matters. */
  readonly part: (title: string, ...about: ReadonlyArray<string>) => Effect.Effect<void>
  /** Prints lines unchanged. */
  readonly say: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Prints lines about the log, each cut to `width`. */
  readonly show: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  readonly width: number
  /** Runs a command of `hindcast` in its own process, and shows it with its output. */
  readonly shell: (args: ReadonlyArray<string>, shown?: Shown) => Effect.Effect<Shell, Error>
  readonly pages: Pages
  readonly user: User
}

export interface Shown {
  /** Maximum lines. Default: all. */
  readonly most?: number
  /** Show the end of a longer output. Default: its beginning. */
  readonly end?: boolean
  /** Cut long lines. Default: wrap them. */
  readonly cut?: boolean
}

export interface Shell {
  readonly command: string
  /** Its output as a JSON document; null if it was shown as text. */
  readonly answer: Json
}

/** Styles a text by its meaning. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly name: (text: string) => string
}

type Lines = ReadonlyArray<string>

type Cells = ReadonlyArray<ReadonlyArray<string>>

export type Score = TaskAudit.TaskAudit["scores"][number]

/** A task's scores before and after a re-score, and the verdicts that differ. */
export interface ScoreChange {
  readonly before: Score | null
  readonly after: Score | null
  readonly changed: ReadonlyArray<{
    readonly name: string
    readonly kind: "reward" | "punishment"
    readonly before: number | null
    readonly after: number | null
  }>
}

/** A difference of two states, and the old value. */
export type ShownChange = TimeTravel.Difference & { readonly before?: Json }

export interface Pages {
  /** A table. `align` marks a column of numbers. */
  readonly table: (headings: ReadonlyArray<string | { heading: string; align?: "right" }>, cells: Cells) => Lines
  /** Rows without headings, the first cell aligned to the right. */
  readonly rows: (cells: Cells) => Lines
  readonly value: (of: Json) => string
  readonly number: (of: number) => string
  readonly shorten: (text: string, length: number) => string
  /** A text from outside, without characters that could disturb a terminal. */
  readonly oneLine: (text: string) => string
  readonly outcome: (of: TaskAudit.TaskAudit) => string
  readonly net: (of: Score) => string
  readonly events: (events: ReadonlyArray<Event>) => Lines
  readonly summary: (of: Event) => string
  readonly chain: (causes: ReadonlyArray<TimeTravel.Cause>) => Lines
  /** A complete question to a person: nobody can decide about hidden parts. */
  readonly question: (shown: JsonObject) => Lines
  readonly withBefore: (document: Json, differences: ReadonlyArray<TimeTravel.Difference>) => ReadonlyArray<ShownChange>
  readonly changes: (of: ReadonlyArray<ShownChange>) => Lines
  /** Compares the set labelled `live` with the given one. */
  readonly scoreChange: (audit: TaskAudit.TaskAudit, scoreSetId: string) => ScoreChange
}

/** The demo's user, and the program that the user started. */
export interface User {
  /** `human:ada` */
  readonly actor: string
  readonly owner: string
  /** A command of `hindcast` that the user can paste. */
  readonly command: (args: ReadonlyArray<string>) => string
  /** The same for messages, which the command line makes pasteable. */
  readonly written: (...args: ReadonlyArray<string>) => string
  readonly path: (file: string) => string
  /** Runs a command of `hindcast` in its own process and returns its output. */
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<string, Error>
  /** Starts `story/FirstKernel` in its own process; lacks only its argument. */
  readonly firstKernel: ReadonlyArray<string>
  /** Asks the user about commands that wait after a position, and records the answers. */
  readonly ask: (
    after: number,
    filename: string,
  ) => Effect.Effect<void, Error, EventLog.EventLog | Confirmations.Confirmations>
  /** A model whose requests a cassette answers. */
  readonly play: (cassette: string, model: string) => Effect.Effect<Models.Model, Error>
  /** Verifies the log. Fails if somebody tampered with it. */
  readonly verified: Effect.Effect<{ readonly head: EventLog.Head; readonly events: number }, Error, EventLog.EventLog>
}
