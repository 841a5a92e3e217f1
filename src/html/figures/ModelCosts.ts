/** Tokens and cost of language models: key figures and a table. */

import type * as ModelUse from "../../projections/audit/ModelUse.ts"
import { type Markup, markup, type Value } from "../../values/Markup.ts"
import * as Money from "../../values/Money.ts"
import * as FormattedNumbers from "../FormattedNumbers.ts"
import { leftOut, numbers, table } from "../Table.ts"
import { key } from "./KeyFigures.ts"

/** Calls of models and their cost; empty without calls. */
export const figures = (use: ModelUse.UseOfModel | undefined): ReadonlyArray<Markup> => {
  if (use === undefined || use.calls === 0) return []
  const { calls, failed, inputTokens, outputTokens, unmetered, cost } = use
  const saving = cost.saved && Money.saving(cost.saved)
  const bound = unmetered === 0 ? "" : "at least "
  const tokens =
    unmetered > 0 && inputTokens + outputTokens === 0
      ? "tokens unknown"
      : `${bound}${FormattedNumbers.count(inputTokens)} tokens in, ${FormattedNumbers.count(outputTokens)} out`
  return [
    key(
      "language model calls",
      FormattedNumbers.count(calls),
      `${failed === 0 ? "" : `${FormattedNumbers.count(failed)} failed; `}${tokens}`,
    ),
    key(
      "cost of models",
      Money.costInTable(cost),
      (cost.unpriced === 0
        ? "the cost of every call is known"
        : `${FormattedNumbers.counted(cost.unpriced, "call")} of unknown cost`) +
        (saving === undefined ? "" : `; ${saving}`),
    ),
  ]
}

export interface Row {
  readonly model: string
  readonly use: ModelUse.UseOfModel
  readonly more?: ReadonlyArray<Value>
}

const [MAX_ROWS, MAX_PRICES] = [40, 10]

/**
 * A section with a row for each model; empty without calls.
 *
 * @param more headings of further columns of numbers
 */
export const section = (
  rows: ReadonlyArray<Row>,
  prices: ReadonlyArray<string>,
  more: ReadonlyArray<string> = [],
): Markup => {
  const hasWrites = rows.some(({ use }) => use.cacheWriteTokens !== undefined)
  return rows.length === 0
    ? markup``
    : markup`<section><h2>What did the language models cost?</h2>${table(
        "Calls, tokens and cost by model",
        [
          { heading: "model" },
          ...numbers(
            ...more,
            "calls",
            "failed",
            "tokens in",
            "of them cached",
            ...(hasWrites ? ["of them written to the cache"] : []),
            "tokens out",
            "of them reasoning",
            "cost",
          ),
        ],
        rows
          .slice(0, MAX_ROWS)
          .map(({ model, use, more = [] }) => [
            markup`<bdi>${model}</bdi>`,
            ...more,
            ...[use.calls, use.failed, use.inputTokens, use.cachedTokens].map(FormattedNumbers.count),
            ...(hasWrites ? [written(use)] : []),
            ...[use.outputTokens, use.reasoningTokens].map(FormattedNumbers.count),
            Money.costInTable(use.cost),
          ]),
      )}${leftOut(MAX_ROWS, rows.length, "models")}${unknown(rows)}${pricesNote(prices)}</section>`
}

const written = ({ cacheWriteTokens }: ModelUse.UseOfModel): Value =>
  cacheWriteTokens === undefined ? "" : FormattedNumbers.count(cacheWriteTokens)

const unknown = (rows: ReadonlyArray<Row>): Markup => {
  const sum = (of: (use: ModelUse.UseOfModel) => number) => rows.reduce((total, { use }) => total + of(use), 0)
  const [unmetered, unpriced] = [sum(({ unmetered }) => unmetered), sum(({ cost }) => cost.unpriced)]
  const notes = [
    ...(unmetered === 0 ? [] : [`The tokens of ${FormattedNumbers.counted(unmetered, "call")} are not known.`]),
    ...(unpriced === 0
      ? []
      : [`The cost of ${FormattedNumbers.counted(unpriced, "call")} is not known: what is shown is the known part.`]),
  ]
  return notes.length === 0 ? markup`` : markup`<p class="warn">${notes.join(" ")}</p>`
}

const pricesNote = (prices: ReadonlyArray<string>): Markup => {
  const shown = prices.slice(0, MAX_PRICES)
  const more = prices.length - shown.length
  return prices.length === 0
    ? markup``
    : markup`<p class="note">In US dollars, by the prices of ${shown.map((name, index) => [index === 0 ? "" : ", ", markup`<bdi>${name}</bdi>`])}${more > 0 ? ` and ${more} more` : ""}.</p>`
}
