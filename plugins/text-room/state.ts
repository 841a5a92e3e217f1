/** The state of a story. */
import type { Place } from "./story.ts"

/** A story's state as plain JSON. It is immutable: each step makes a new one. */
export type World = {
  readonly scenario: string
  readonly room: string
  /** Every thing has exactly one place. */
  readonly placed: { readonly [thing: string]: Place }
  readonly containers: { readonly [thing: string]: { readonly open: boolean; readonly locked: boolean } }
  /** Discovered hidden things, in order. */
  readonly discovered: ReadonlyArray<string>
  readonly flags: { readonly [name: string]: boolean }
  readonly milestones: ReadonlyArray<string>
  /** Messages that the last command triggered. */
  readonly messages: ReadonlyArray<string>
  /** By happening: how often its trigger fired. */
  readonly triggered: ReadonlyArray<number>
  /** Number of commands so far, including refused ones. */
  readonly steps: number
  readonly refusals: number
  /** Number of refusals that repeat an earlier command and reason. */
  readonly repeatedRefusals: number
  /** By command: the codes of its refusals so far. */
  readonly refused: { readonly [command: string]: ReadonlyArray<string> }
  readonly won: boolean
  readonly lost: boolean
}
