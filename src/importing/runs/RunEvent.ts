/** The events of an imported run before they have their ids, and who takes them. */

import type { CoreName, PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { PriceTable } from "../../kernel/pricing/Prices.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { FormatCapture, MappingCounts } from "./FormatCapture.ts"

/** The type and payload of an event. */
export type Body = { [Name in CoreName]: { readonly type: Name; readonly payload: PayloadOf<Name> } }[CoreName]

/** How a run begins. */
export interface RunStart {
  /** The source's id of the run. */
  readonly id: string
  readonly goal: string
  /** `name@version` of the agent. */
  readonly agent: string
  readonly at: number | null
  /** What the source says of the run: its directory, its settings. */
  readonly about: JsonObject
  /** Of a format whose forks do not name what they were copied from: what the run begins with. */
  readonly begins?: { readonly with: string; readonly isCopied: boolean }
}

/** A run as those know it who write its events. */
export interface ImportedRun {
  readonly taskId: string
  readonly start: RunStart
  /** Whether it has ended. */
  readonly closed: boolean
  /** The first events of the task in which the run goes on, where the log has closed the one before. */
  readonly continuedAs: (part: number) => ReadonlyArray<RunEvent>
}

/** An event of a run: keys name events within their run. */
export interface RunEvent {
  readonly run: ImportedRun
  /** Names the event within its run. It follows from the source's own ids. */
  readonly key: string
  /** The key of the event that caused it. */
  readonly cause: string | null
  /** The source's clock, in milliseconds since 1970; null if it has none. */
  readonly at: number | null
  readonly body: Body
  /** Its approximate size, in bytes. */
  readonly bytes: number
}

/** Takes the events of runs, and counts. */
export interface RunSink {
  /** The source's name. */
  readonly source: string
  /** What the calls of models are priced by. */
  readonly prices: PriceTable
  /** What the source shows of a run. */
  readonly capture: FormatCapture
  /** Records that are kept as they are, by kind. */
  readonly kept: Map<string, number>
  readonly add: (event: RunEvent) => void
  readonly remark: (what: string) => void
  /** The same of what is no matter of a run, or what a later import may find otherwise: no task says so. */
  readonly remarkOnFile: (what: string) => void
  /** What was counted since this was last called: a run that ends takes what was counted since the one before it ended. */
  readonly takeCounts: () => MappingCounts
}

/** Optional circumstances of an event. */
export interface When {
  /** Null: the time of the record before. */
  readonly at: number | null
  /** Default: the task's opening. */
  readonly cause?: string | null
  readonly agentId?: string | undefined
}

/** Writes events of one run. */
export interface RunWriter {
  readonly source: string
  readonly prices: PriceTable
  readonly capture: FormatCapture
  readonly taskId: string
  readonly write: (key: string, body: Body, when: When) => void
  /** Writes an event at a time of its own, such as that of the call that a result belongs to. */
  readonly writeAt: (key: string, body: Body, at: number | null, cause: string | null) => void
}

/** The part of a payload that names the agent. */
export const ofAgent = (agentId: string | undefined) => (agentId === undefined ? {} : { agentId })
