/**
 * What the demos are told on: it prints, shows what Hindcast records as the command line does, and lends the demos what belongs to their
 * user. `hindcast demo` has one for the terminal, and one that prints nothing.
 */
import type { Effect } from "effect"
import type { Confirmations, Event, EventLog, Json, JsonObject, Models, TaskAudit, TimeTravel } from "hindcast"

/** A stage. */
export interface Stage {
  readonly style: Style
  /** Starts a part: its title, and paragraphs about what it shows and why it matters. */
  readonly part: (title: string, ...about: ReadonlyArray<string>) => Effect.Effect<void>
  /** Prints lines unchanged. */
  readonly say: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Prints lines about the log, each cut to `width`. */
  readonly show: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Columns of the demo's text. */
  readonly width: number
  /**
   * Runs a command of `hindcast` in a process of its own, and shows it with its output, as the user would type and see it.
   */
  readonly shell: (args: ReadonlyArray<string>, shown?: Shown) => Effect.Effect<Shell, Error>
  readonly pages: Pages
  readonly user: User
}

/** How the output of a command is shown. */
export interface Shown {
  /** Most lines. Default: all. */
  readonly most?: number
  /** Whether its end is shown, where there are more lines. Default: its beginning. */
  readonly end?: boolean
  /** Whether a long line is cut. Default: it is wrapped. */
  readonly cut?: boolean
}

/** A command that was run. */
export interface Shell {
  readonly command: string
  /** Its answer as a JSON document; null where its output was shown as text. */
  readonly answer: Json
}

/** Functions that style a text by its meaning. */
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

/** The score of an audit. */
export type Score = TaskAudit.TaskAudit["scores"][number]

/** A task's scores before and after it was scored again, and the verdicts that differ. */
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

/** How things are written. */
export interface Pages {
  /** A table. A heading with `align` is of a column of numbers. */
  readonly table: (headings: ReadonlyArray<string | { heading: string; align?: "right" }>, cells: Cells) => Lines
  /** Rows without headings, the first cell aligned to the right. */
  readonly rows: (cells: Cells) => Lines
  readonly value: (of: Json) => string
  readonly number: (of: number) => string
  readonly shorten: (text: string, length: number) => string
  /** A text from outside, without what could disturb a terminal. */
  readonly oneLine: (text: string) => string
  readonly outcome: (of: TaskAudit.TaskAudit["outcome"]) => string
  readonly net: (of: Score) => string
  readonly events: (events: ReadonlyArray<Event>) => Lines
  /** An event in a few words. */
  readonly summary: (of: Event) => string
  readonly chain: (causes: ReadonlyArray<TimeTravel.Cause>) => Lines
  /** What a person is asked, complete: nobody can decide about what is hidden. */
  readonly question: (shown: JsonObject) => Lines
  readonly withBefore: (document: Json, differences: ReadonlyArray<TimeTravel.Difference>) => ReadonlyArray<ShownChange>
  readonly changes: (of: ReadonlyArray<ShownChange>) => Lines
  /** Compares a task's score in the set labelled `live` with its score in the given set. */
  readonly scoreChange: (audit: TaskAudit.TaskAudit, scoreSetId: string) => ScoreChange
}

/** What belongs to the demo's user, and to the program that the user started. */
export interface User {
  /** `human:ada` */
  readonly actor: string
  /** Who holds the log, in words. */
  readonly owner: string
  /** A command of `hindcast` as the user would paste it. */
  readonly command: (args: ReadonlyArray<string>) => string
  /** The same as messages name it; the command line turns it into one that can be pasted. */
  readonly written: (...args: ReadonlyArray<string>) => string
  /** A path as the user would type it. */
  readonly path: (file: string) => string
  /** Runs a command of `hindcast` in a process of its own. Returns what it prints. */
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<string, Error>
  /** The words that start `story/FirstKernel` in a process of its own, but for its argument. */
  readonly firstKernel: ReadonlyArray<string>
  /** Asks the user about every command that waits for a person after a position, and records the answers. */
  readonly ask: (
    after: number,
    filename: string,
  ) => Effect.Effect<void, Error, EventLog.EventLog | Confirmations.Confirmations>
  /** The model of a name whose requests a cassette answers. */
  readonly play: (cassette: string, model: string) => Effect.Effect<Models.Model, Error>
  /** Verifies the log. Fails where it was tampered with. */
  readonly verified: Effect.Effect<{ readonly head: EventLog.Head; readonly events: number }, Error, EventLog.EventLog>
}
