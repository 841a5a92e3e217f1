/** Numbers for monitoring, and their text for Prometheus. */

/** A metric with its samples, which differ in their labels. */
export interface Metric {
  /** As Prometheus names it: `hindcast_…`, with its unit, and `_total` if it only grows. */
  readonly name: string
  readonly help: string
  /** `counter`: it only grows, as long as the log lives. `gauge`: it is as of now. */
  readonly type: "counter" | "gauge"
  readonly samples: ReadonlyArray<Sample>
}

/** A value of a metric, with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * The text of metrics for Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
 */
export const prometheus = (metrics: ReadonlyArray<Metric>): string => metrics.map(linesOf).join("")

/** Its media type. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const linesOf = ({ name, help, type, samples }: Metric): string =>
  [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => `${name}${labelsOf(labels)} ${value}`),
    "",
  ].join("\n")

const labelsOf = (labels: Sample["labels"]): string => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/** A value may be the name of somebody else's task or agent. */
const escaped = (value: string): string =>
  value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
