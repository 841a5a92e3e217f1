/** The mark of a kind of event. Each has its own shape, so that none depends on colour alone. */
import type { Kind } from "../../wire/Kind.ts"

export const NAMES: { readonly [kind in Kind]: string } = {
  reading: "reading",
  decision: "decision",
  command: "command",
  approval: "approval",
  reward: "reward",
  punishment: "punishment",
  world: "world",
  model: "model",
  message: "message",
  task: "task",
  plugin: "plugin",
  other: "event",
}

/** Paths in a square of 10 × 10. */
export const SHAPES: { readonly [kind in Kind]: string } = {
  reading: "M4 1h2v8H4z",
  decision: "M5 0.6 9.4 5 5 9.4 0.6 5z",
  command: "M0.5 3h9v4h-9z",
  approval: "M5 0.6 9.4 5 5 9.4 0.6 5zM5 2.8 2.8 5 5 7.2 7.2 5z",
  reward: "M5 1 9.5 9h-9z",
  punishment: "M5 9 0.5 1h9z",
  world: "M1.5 1.5h7v7h-7z",
  model: "M5 0.8a4.2 4.2 0 1 0 .01 0z",
  message: "M1 1.5h8v5H5L2.5 9V6.500H1z",
  task: "M1.500 0.5h1.200v0.700h6L7 4l1.700 2.800H2.700V9.500H1.500z",
  plugin: "M3.500 1h3v2.500H9v3H6.500V9h-3V6.500H1v-3h2.500z",
  other: "M3.500 3.500h3v3h-3z",
}

export const Mark = ({ kind, bad = false }: { readonly kind: Kind; readonly bad?: boolean }) => (
  <svg class={`mark k-${kind}${bad ? " bad" : ""}`} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
    <path d={SHAPES[kind]} fill-rule="evenodd" />
    {bad ? <path class="strike" d="M0.500 9.500 9.500 0.500" /> : null}
  </svg>
)
