/** The state of a story. */
import type { Place } from "./story.ts"

/** The mutable state of a story, as plain JSON. A world is never modified: each step makes a new one. */
export type World = {
  readonly scenario: string
  readonly room: string
  /** The place of every thing. Each thing has exactly one. */
  readonly placed: { readonly [thing: string]: Place }
  readonly containers: { readonly [thing: string]: { readonly open: boolean; readonly locked: boolean } }
  /** Hidden things that were discovered, in that order. */
  readonly discovered: ReadonlyArray<string>
  readonly flags: { readonly [name: string]: boolean }
  readonly milestones: ReadonlyArray<string>
  /** The messages that the last command triggered. */
  readonly messages: ReadonlyArray<string>
  /** How often the trigger of each happening of the story was met. */
  readonly triggered: ReadonlyArray<number>
  /** The number of commands so far, including refused ones. */
  readonly steps: number
  readonly refusals: number
  /** The number of refusals of a command that was refused before for the same reason. */
  readonly repeatedRefusals: number
  /** The codes with which each command was refused so far. */
  readonly refused: { readonly [command: string]: ReadonlyArray<string> }
  readonly won: boolean
  readonly lost: boolean
}
