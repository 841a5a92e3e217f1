/** A message of a conversation, with its speaker. */
import type { ComponentChildren } from "preact"
import type { Item } from "../../../../projections/conversation/Item.ts"
import { At } from "../Link.tsx"
import { Verdicts } from "./Verdicts.tsx"

interface SaidByProps {
  readonly of: Item
  readonly class: string
  readonly who: string
  /** Behind the speaker's name: time, tokens, state. */
  readonly facts?: ComponentChildren
  readonly children: ComponentChildren
}

/** A message with its speaker above it. */
export const SaidBy = ({ of, class: name, who, facts, children }: SaidByProps) => (
  <article class={`said ${name}`}>
    <header>
      <span class="who">
        <bdi>{of.agentId ?? who}</bdi>
      </span>
      {of.agentId === null || of.agentId === who ? null : (
        <small>
          <bdi>{who}</bdi>
        </small>
      )}
      {facts}
      <Verdicts of={of} />
      <At position={of.position} />
    </header>
    {children}
  </article>
)
