/** Collects the verdicts of several score sets side by side. Pure, one event at a time. */

import { Option, Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import type * as Critics from "../../kernel/critics/Verdict.ts"
import * as Rubric from "../../projections/audit/Rubric.ts"
import { verdictKey } from "../../projections/audit/Verdicts.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Sum from "../../values/Sum.ts"
import type { VerdictCell, VerdictRow } from "../wire/Scoring.ts"

/** The event types that decide verdicts. */
export const TYPES: ReadonlyArray<CoreName> = ["RewardGiven", "PunishmentGiven", "MeasureUnscored"]

const EVIDENCE = 20

interface Deciding extends Omit<VerdictCell, "amount" | "because"> {
  times: number
  sum: Sum.Sum
  because: Array<number>
  weight: number | null
  rationale: string | null
  unscored: string | null
}

interface Row extends Pick<VerdictRow, "measure" | "name" | "kind"> {
  readonly bySet: Map<string, Deciding>
}

export class VerdictRows {
  readonly #sets: ReadonlyArray<string>
  readonly #rows = new Map<string, Row>()

  /** @param rubrics each score set's recorded rubric */
  constructor(rubrics: ReadonlyMap<string, JsonObject>) {
    this.#sets = [...rubrics.keys()]
    for (const [set, rubric] of rubrics) {
      for (const named of namedIn(rubric)) {
        this.#rowOf(named).bySet.set(set, { ...UNDECIDED(), weight: named.weight, when: named.when, rule: named.rule })
      }
    }
  }

  /** Takes an event of `TYPES` and ignores others. */
  take(event: Event): void {
    if (is(event, "MeasureUnscored")) this.add(event.payload.scoreSetId, { kind: "unscored", ...event.payload })
    else if (is(event, "RewardGiven")) this.add(event.payload.scoreSetId, { kind: "reward", ...event.payload })
    else if (is(event, "PunishmentGiven")) this.add(event.payload.scoreSetId, { kind: "punishment", ...event.payload })
  }

  /** Adds a score set's decision. Ignores other score sets. */
  add(scoreSetId: string, verdict: Critics.Verdict): void {
    const { kind, measure, name } = verdict
    if (kind === "unscored") {
      // The event does not say whether it concerns a reward or a punishment of that name.
      for (const either of KINDS) {
        const known = this.#rows.get(verdictKey(measure, either, name))?.bySet.get(scoreSetId)
        if (known !== undefined) known.unscored = verdict.reason
      }
      return
    }
    if (!this.#sets.includes(scoreSetId)) return
    const { weight, amount, occurrences, because, rationale } = verdict
    const { bySet } = this.#rowOf({ measure, name, kind })
    const known = bySet.get(scoreSetId) ?? UNDECIDED()
    known.weight ??= weight
    // Without `occurrences`, `because` lists one position per occurrence; a verdict without evidence counts once.
    known.times += occurrences ?? Math.max(1, because.length)
    known.sum = Sum.add(known.sum, kind === "reward" ? amount : 0 - amount)
    known.because = [...known.because, ...because].slice(-EVIDENCE)
    known.rationale = rationale ?? known.rationale
    bySet.set(scoreSetId, known)
  }

  /** The rows in the order of the rubrics, then those that no rubric names. */
  rows(): ReadonlyArray<VerdictRow> {
    return [...this.#rows.values()].map(({ bySet, ...named }) => ({
      ...named,
      verdicts: this.#sets.map((set) => {
        const decided = bySet.get(set)
        if (decided === undefined) return null
        const { sum, ...verdict } = decided
        return { ...verdict, amount: Sum.value(sum) }
      }),
    }))
  }

  #rowOf({ measure, name, kind }: Pick<VerdictRow, "measure" | "name" | "kind">): Row {
    const key = verdictKey(measure, kind, name)
    const known = this.#rows.get(key)
    if (known !== undefined) return known
    const made: Row = { measure, name, kind, bySet: new Map() }
    this.#rows.set(key, made)
    return made
  }
}

const KINDS = ["reward", "punishment"] as const

const UNDECIDED = (): Deciding => ({
  weight: null,
  when: null,
  rule: null,
  times: 0,
  sum: Sum.zero,
  because: [],
  rationale: null,
  unscored: null,
})

/**
 * The rewards and punishments that a rubric names. A recorded rubric is unvalidated JSON; skips anything that is not a
 * measure.
 */
const namedIn = ({ measures }: JsonObject) =>
  (Array.isArray(measures) ? measures : []).flatMap((value: unknown) =>
    Option.match(decodeMeasure(value), {
      onNone: () => [],
      onSome: ({ rewards, punishments, ...measure }) => {
        const named = { measure: Rubric.nameOf(measure) }
        return [
          ...rewards.map((one) => ({ ...named, ...one, kind: "reward" as const })),
          ...punishments.map((one) => ({ ...named, ...one, kind: "punishment" as const })),
        ]
      },
    }),
  )

const OptionalText = Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })

const List = Schema.optionalWith(
  Schema.Array(Schema.Struct({ name: Schema.String, weight: Schema.Finite, when: OptionalText, rule: OptionalText })),
  { default: () => [] },
)

const decodeMeasure = Schema.decodeUnknownOption(
  Schema.Struct({ plugin: OptionalText, name: Schema.String, rewards: List, punishments: List }),
)
