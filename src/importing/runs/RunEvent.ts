/** Events of an imported run before they get ids, and the interfaces that take them. */

import type { CoreName, PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { PriceTable } from "../../kernel/pricing/Prices.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { FormatCapture, MappingCounts } from "./FormatCapture.ts"

export type Body = { [Name in CoreName]: { readonly type: Name; readonly payload: PayloadOf<Name> } }[CoreName]

export interface RunStart {
  /** The source's id of the run. */
  readonly id: string
  readonly goal: string
  /** `name@version`. */
  readonly agent: string
  readonly at: number | null
  /** The source's details, such as directory and settings. */
  readonly about: JsonObject
  /** For formats whose forks do not name their origin: the id of the first message, and whether the run is a copy. */
  readonly begins?: { readonly with: string; readonly isCopied: boolean }
  /** The writer's name in the log, if it is not the format's. */
  readonly account?: string
  /** The task of another account of the run, next to which the events go. */
  readonly beside?: {
    readonly taskId: string
    readonly openedBy: string
    readonly openedAt: number
    /** Recorders have the session's calls; an import has everything. */
    readonly by: "recorder" | "import"
  }
}

export interface ImportedRun {
  readonly taskId: string
  readonly start: RunStart
  readonly closed: boolean
  /** First events of a further task for the run, after the log closed the earlier one. */
  readonly continuedAs: (part: number) => ReadonlyArray<RunEvent>
}

export interface RunEvent {
  readonly run: ImportedRun
  /** Unique in its run; derives from the source's ids. */
  readonly key: string
  /** Key of the event that caused it. */
  readonly cause: string | null
  /** Epoch milliseconds by the source's clock; null if it has none. */
  readonly at: number | null
  readonly body: Body
  readonly bytes: number
}

export interface RunSink {
  readonly source: string
  readonly prices: PriceTable
  readonly capture: FormatCapture
  /** Records kept unchanged, by kind. */
  readonly kept: Map<string, number>
  readonly add: (event: RunEvent) => void
  readonly remark: (what: string) => void
  /** A remark that is not recorded in a task: it does not concern a run, or a later import may find otherwise. */
  readonly remarkOnFile: (what: string) => void
  /** Takes the counts since the last call. Each run takes them when it ends. */
  readonly takeCounts: () => MappingCounts
}

export interface When {
  /** Null for the last known time. */
  readonly at: number | null
  /** Default: the task's opening. */
  readonly cause?: string | null
  readonly agentId?: string | undefined
}

export interface RunWriter {
  readonly source: string
  readonly prices: PriceTable
  readonly capture: FormatCapture
  readonly taskId: string
  readonly write: (key: string, body: Body, when: When) => void
  /** Writes an event at a time of its own, such as that of a result's call. */
  readonly writeAt: (key: string, body: Body, at: number | null, cause: string | null) => void
}

export const ofAgent = (agentId: string | undefined) => (agentId === undefined ? {} : { agentId })
