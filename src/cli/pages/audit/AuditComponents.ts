/** The tables of a task's sensors, actuators and models, for the text and the Markdown audit. */
import type { Latency } from "../../../projections/audit/Samples.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import * as Money from "../../../values/Money.ts"

export interface Counted {
  readonly heading: string
  readonly cells: ReadonlyArray<string>
}

export interface Components {
  readonly kind: "sensor" | "actuator" | "model"
  readonly names: ReadonlyArray<string>
  readonly columns: ReadonlyArray<Counted>
}

export const of = ({ sensing, acting, model }: TaskAudit): ReadonlyArray<Components> =>
  [
    components("sensor", sensing.byComponent, ["reads"], ["failures", "skipped", "pushed"]),
    components("actuator", withObserved(acting.byComponent), ["commanded", "succeeded"], RARE),
    models(model?.byModel ?? {}),
  ].filter(({ names }) => names.length > 0)

/** Observed commands are timed from the call to its result. */
const RARE = ["failed", "denied", "expired", "unknown", "observed"] as const

const withObserved = (byComponent: TaskAudit["acting"]["byComponent"]) =>
  Object.fromEntries(Object.entries(byComponent).map(([name, of]) => [name, { ...of, observed: of.observed ?? 0 }]))

/** Builds the table of one kind. Leaves out the columns of `rarely` whose counts are all 0. */
const components = <Key extends string>(
  kind: Components["kind"],
  byName: { readonly [name: string]: { readonly [K in Key]: number } & { readonly latencyMs: Latency | null } },
  always: ReadonlyArray<Key>,
  rarely: ReadonlyArray<Key>,
): Components => {
  const all = Object.values(byName)
  const shownKeys = [...always, ...rarely.filter((key) => all.some((one) => one[key] > 0))]
  const shownQuantiles = all.some(({ latencyMs }) => latencyMs !== null) ? QUANTILES : []
  return {
    kind,
    names: Object.keys(byName),
    columns: [
      ...shownKeys.map((key) => ({ heading: key, cells: all.map((one) => String(one[key])) })),
      ...shownQuantiles.map((key) => ({
        heading: `${key} ms`,
        cells: all.map(({ latencyMs }) => (latencyMs === null ? "" : latencyMs[key].toFixed(1))),
      })),
    ],
  }
}

const models = (byModel: NonNullable<TaskAudit["model"]>["byModel"]): Components => {
  const all = Object.values(byModel)
  return {
    kind: "model",
    names: Object.keys(byModel),
    columns: [
      ...MODEL_COLUMNS.filter(({ key, always }) => always || all.some((one) => (one[key] ?? 0) > 0)).map(
        ({ heading, key }) => ({ heading, cells: all.map((one) => String(one[key] ?? "")) }),
      ),
      { heading: "cost", cells: all.map(({ cost }) => Money.costInTable(cost)) },
    ],
  }
}

const MODEL_COLUMNS = [
  { heading: "calls", key: "calls", always: true },
  { heading: "failed", key: "failed", always: false },
  { heading: "tokens in", key: "inputTokens", always: true },
  { heading: "cached", key: "cachedTokens", always: false },
  { heading: "written", key: "cacheWriteTokens", always: false },
  { heading: "for 1 h", key: "cacheWrite1hTokens", always: false },
  { heading: "audio in", key: "inputAudioTokens", always: false },
  { heading: "images in", key: "inputImageTokens", always: false },
  { heading: "video in", key: "inputVideoTokens", always: false },
  { heading: "out", key: "outputTokens", always: true },
  { heading: "reasoning", key: "reasoningTokens", always: false },
  { heading: "audio out", key: "outputAudioTokens", always: false },
  { heading: "images out", key: "outputImageTokens", always: false },
  { heading: "video out", key: "outputVideoTokens", always: false },
  { heading: "searches", key: "webSearches", always: false },
  { heading: "unmetered", key: "unmetered", always: false },
] as const

const QUANTILES = ["p50", "p95", "max"] as const
