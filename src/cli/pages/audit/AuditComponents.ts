import type { Latency } from "../../../projections/audit/Samples.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"

/** What one column counts of a component. */
export interface Counted {
  readonly heading: string
  /** A cell for each component, in their order. */
  readonly cells: ReadonlyArray<string>
}

/** A table of components of one kind: their names, and columns of numbers. */
export interface Components {
  readonly kind: "sensor" | "actuator"
  readonly names: ReadonlyArray<string>
  readonly columns: ReadonlyArray<Counted>
}

/** The sensors of a task, and its actuators; a kind that it did not use is left out. */
export const of = ({ sensing, acting }: TaskAudit): ReadonlyArray<Components> =>
  [
    components("sensor", sensing.byComponent, ["reads"], ["failures", "skipped", "pushed"]),
    components("actuator", acting.byComponent, ["commanded", "succeeded"], ["failed", "denied", "expired", "unknown"]),
  ].filter(({ names }) => names.length > 0)

/** @param rarely what is counted only where it ever happened: a column of noughts says nothing */
const components = <Key extends string>(
  kind: Components["kind"],
  byName: { readonly [name: string]: { readonly [K in Key]: number } & { readonly latencyMs: Latency | null } },
  always: ReadonlyArray<Key>,
  rarely: ReadonlyArray<Key>,
): Components => {
  const all = Object.values(byName)
  const counted = [...always, ...rarely.filter((key) => all.some((one) => one[key] > 0))]
  const measured = all.some(({ latencyMs }) => latencyMs !== null) ? QUANTILES : []
  return {
    kind,
    names: Object.keys(byName),
    columns: [
      ...counted.map((key) => ({ heading: key, cells: all.map((one) => String(one[key])) })),
      ...measured.map((key) => ({
        heading: `${key} ms`,
        cells: all.map(({ latencyMs }) => (latencyMs === null ? "" : latencyMs[key].toFixed(1))),
      })),
    ],
  }
}

const QUANTILES = ["p50", "p95", "max"] as const
