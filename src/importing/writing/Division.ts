/**
 * Divides the events of an account among the tasks that tell of one session: the account's own, and those that others
 * opened. The one place that decides which events the log takes of an account when another has the session. Pure.
 */

import type { MatchRule } from "../../events/vocabulary/Inference.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { RunEvent } from "../runs/RunEvent.ts"

/** A task that another opened. */
interface Opened {
  readonly openedAt: number
}

/** Says that another account has an event. */
interface Told {
  readonly part: number
  readonly eventId: string
  /** Undefined if the match needs no record. */
  readonly rule?: MatchRule
}

export interface Others {
  /** Oldest first. */
  readonly tasks: ReadonlyArray<Opened>
  /** Whether the session has no task of the account's own. */
  readonly isWhole: boolean
  /** Milliseconds by which an event may be older than the task to which it belongs. */
  readonly beforeMs: number
  /** The event that tells the same, by the rule for this account. */
  readonly told: (event: RunEvent) => Told | "elsewhere" | undefined
}

export interface Divided {
  readonly own: ReadonlyArray<RunEvent>
  readonly merged: ReadonlyArray<{ readonly event: RunEvent; readonly part: number }>
  readonly matches: PayloadOf<"AccountMerged">["matches"]
}

/** The last task that had begun at a time; -1 if none had. */
export const taskAt = (tasks: ReadonlyArray<Opened>, at: number | null, beforeMs = 0): number =>
  at === null ? -1 : tasks.findLastIndex(({ openedAt }) => openedAt - beforeMs <= at)

/** Divides events in their order; an event belongs to no earlier task than the ones before it. */
export class Division {
  readonly #others: Others
  /** The task to which events belong at the moment; -1 for the account's own. */
  #at: number

  constructor(others: Others) {
    this.#others = others
    this.#at = others.isWhole ? 0 : -1
  }

  divide(events: ReadonlyArray<RunEvent>): Divided {
    const { tasks, isWhole, beforeMs, told } = this.#others
    const own: Array<RunEvent> = []
    const merged: Array<Divided["merged"][number]> = []
    const matches: Array<Divided["matches"][number]> = []
    for (const event of events) {
      const found = told(event)
      if (found === "elsewhere") continue
      if (found !== undefined) {
        this.#at = Math.max(this.#at, found.part)
        if (found.rule !== undefined) matches.push({ key: event.key, event: found.eventId, rule: found.rule })
        continue
      }
      this.#at = Math.max(this.#at, taskAt(tasks, event.at, beforeMs))
      // The other account closes its tasks.
      const isEnd = event.body.type === "TaskClosed"
      if (this.#at < 0 || (isEnd && !isWhole)) own.push(event)
      else if (!isEnd) merged.push({ event, part: this.#at })
    }
    return { own, merged, matches }
  }
}

/** Events that no hooks, editor or session file has, and that do not affect the others. */
const OF_TELEMETRY: ReadonlySet<string> = new Set(["ModelCalled", "ModelResponded", "ModelFailed", "SourceRecordKept"])

/**
 * The rule for telemetry, which anybody may send: it matches nothing and adds only events of types that the other
 * account lacks.
 */
export const toldBesideTelemetry: Others["told"] = ({ body }) => (OF_TELEMETRY.has(body.type) ? undefined : "elsewhere")
