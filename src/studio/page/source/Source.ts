/** The source of the page's data: a log's server, or the file that the page itself is. */
import type { Annotated, AnnotationList, AnnotationOrder } from "../../wire/Annotations.ts"
import type {
  Answer,
  Comparison,
  FindLine,
  ForkMade,
  ForkOrder,
  Located,
  PathHistory,
  Question,
  Rescored,
  RescoreOrder,
  RowDifferences,
  RubricIssue,
  SearchAnswer,
  TextIssue,
} from "../../wire/Asking.ts"
import type { CourseSlice, Effects, WholeEvent, Why } from "../../wire/CourseSlice.ts"
import type { Behaviour } from "../../wire/collective/Behaviour.ts"
import type { Curricula } from "../../wire/curricula/Curricula.ts"
import type { FileChanges, FilesThen, FileThen } from "../../wire/Files.ts"
import type { Density, LogInfo, PluginRow } from "../../wire/Log.ts"
import type { TaskOverview } from "../../wire/Overview.ts"
import type { TimelineRows } from "../../wire/Rows.ts"
import type { RunTable } from "../../wire/Runs.ts"
import type { CopiedRequest, Saw } from "../../wire/Saw.ts"
import type {
  Saved,
  ScenarioFiles,
  ScenarioRun,
  ScenarioText,
  Schemas,
  TextToCheck,
  TextToSave,
  WorldAtStart,
} from "../../wire/Scenarios.ts"
import type { Preview, PreviewOrder, RubricOfSet, VerdictTable } from "../../wire/Scoring.ts"
import type { TaskSpans } from "../../wire/Spans.ts"
import type { Input } from "../../wire/Talk.ts"
import type {
  Course,
  Relatives,
  RewardRow,
  Scorings,
  TaskCapture,
  TaskGroup,
  TaskHead,
  TaskList,
  TaskReasons,
  TaskTree,
  WhyFailed,
} from "../../wire/Task.ts"

/** A failure in words for people: expected, found, what to do. */
export class SourceFailed extends Error {
  /** A name for programs, such as `TaskNotFound`; `Unreachable` if there was no answer. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export interface Questions {
  readonly log: LogInfo
  readonly tasks: TaskList
  /** Null if the source has no totals, as in a shared file. */
  readonly overview: TaskOverview | null
  readonly groups: ReadonlyArray<TaskGroup>
  readonly task: TaskHead
  readonly reasons: TaskReasons
  readonly failure: WhyFailed
  readonly course: Course
  readonly spans: TaskSpans
  readonly relatives: Relatives
  readonly tree: TaskTree
  readonly capture: TaskCapture
  readonly chunk: CourseSlice
  readonly event: WholeEvent
  readonly why: Why
  readonly effects: Effects
  readonly files: FilesThen
  readonly file: FileThen
  readonly "file-changes": FileChanges
  readonly saw: Saw
  readonly curl: CopiedRequest
  readonly scorings: Scorings
  readonly rewards: ReadonlyArray<RewardRow>
  readonly verdicts: VerdictTable
  readonly rubric: RubricOfSet
  readonly locate: Located
  readonly search: SearchAnswer
  readonly history: PathHistory
  readonly density: Density
  readonly rows: TimelineRows
  readonly compare: Comparison
  readonly differences: RowDifferences
  readonly runs: RunTable
  readonly plugins: ReadonlyArray<PluginRow>
  readonly curricula: Curricula
  readonly behaviour: Behaviour
  readonly questions: ReadonlyArray<Question>
  readonly annotations: AnnotationList
  readonly scenarios: ScenarioFiles
  readonly scenario: ScenarioText
  readonly schemas: Schemas
}

/** The orders that a page may give if its server allows them. */
export interface Orders {
  readonly answers: { readonly order: Answer; readonly result: { readonly position: number } }
  readonly annotate: { readonly order: AnnotationOrder; readonly result: Annotated }
  readonly inputs: { readonly order: Input; readonly result: { readonly position: number } }
  readonly forks: { readonly order: ForkOrder; readonly result: ForkMade }
  readonly rescores: { readonly order: RescoreOrder; readonly result: Rescored }
  readonly "scenarios/check": { readonly order: TextToCheck; readonly result: ReadonlyArray<TextIssue> }
  readonly "scenarios/save": { readonly order: TextToSave; readonly result: Saved }
  readonly "scenarios/look": { readonly order: { readonly text: string }; readonly result: WorldAtStart }
  readonly "scenarios/run": { readonly order: ScenarioRun; readonly result: ForkMade }
  readonly "rubrics/preview": { readonly order: PreviewOrder; readonly result: Preview }
  readonly "rubrics/check": {
    readonly order: RescoreOrder
    readonly result: ReadonlyArray<RubricIssue>
  }
}

/** The parameters of a question. Undefined and empty ones are not sent. */
export type Parameters = { readonly [name: string]: string | number | null | undefined }

export interface LiveEvent {
  readonly name: string
  readonly data: unknown
}

export interface Source {
  /** Fails with `SourceFailed`. */
  readonly ask: <Path extends keyof Questions>(
    path: Path,
    parameters?: Parameters,
    signal?: AbortSignal,
  ) => Promise<Questions[Path]>
  /** Fails with `SourceFailed`. The signal cancels only orders without effects, such as checks. */
  readonly order: <Path extends keyof Orders>(
    path: Path,
    order: Orders[Path]["order"],
    signal?: AbortSignal,
  ) => Promise<Orders[Path]["result"]>
  /** Looks for the events at which a predicate becomes true, and passes on lines as they arrive. */
  readonly find: (parameters: Parameters, onLine: (line: FindLine) => void, signal: AbortSignal) => Promise<void>
  /**
   * Follows the log (`live`, from a position on) or an agent (`talk`), until the connection ends. Null if there is
   * nothing to follow.
   */
  readonly follow:
    | ((
        path: "live" | "talk",
        parameters: Parameters,
        onEvent: (event: LiveEvent) => void,
        signal: AbortSignal,
      ) => Promise<void>)
    | null
}
