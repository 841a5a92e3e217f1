/** The tables of a task's sensors and actuators, for the text and the Markdown audit. */
import type { Latency } from "../../../projections/audit/Samples.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"

/** A column of counts. */
export interface Counted {
  readonly heading: string
  /** One cell for each component, in their order. */
  readonly cells: ReadonlyArray<string>
}

/** A table of the components of one kind: names and columns of numbers. */
export interface Components {
  readonly kind: "sensor" | "actuator"
  readonly names: ReadonlyArray<string>
  readonly columns: ReadonlyArray<Counted>
}

/** The tables of a task's sensors and actuators. A kind without components is left out. */
export const of = ({ sensing, acting }: TaskAudit): ReadonlyArray<Components> =>
  [
    components("sensor", sensing.byComponent, ["reads"], ["failures", "skipped", "pushed"]),
    components("actuator", acting.byComponent, ["commanded", "succeeded"], ["failed", "denied", "expired", "unknown"]),
  ].filter(({ names }) => names.length > 0)

/** Builds the table of one kind. The columns of `rarely` are left out if all their counts are 0. */
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

const QUANTILES = ["p50", "p95", "max"] as const
