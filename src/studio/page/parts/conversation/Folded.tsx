/** Details with a summary of one line, and their position next to it: keys could not reach a link within a summary. */
import type { ComponentChildren } from "preact"
import { At } from "../Link.tsx"

interface FoldedProps {
  readonly class: string
  readonly position: number
  readonly summary: ComponentChildren
  readonly children: ComponentChildren
}

export const Folded = ({ class: name, position, summary, children }: FoldedProps) => (
  <div class="folded">
    <details class={name}>
      <summary>{summary}</summary>
      {children}
    </details>
    <At position={position} />
  </div>
)
