import type { Place } from "./story.ts"

/** Everything that can change in a story, as plain JSON. It is never changed in place: every step makes a new one. */
export type World = {
  readonly scenario: string
  readonly room: string
  /** Where every thing is. Each is in one place. */
  readonly placed: { readonly [thing: string]: Place }
  readonly containers: { readonly [thing: string]: { readonly open: boolean; readonly locked: boolean } }
  /** Hidden things that were brought to light, in that order. */
  readonly discovered: ReadonlyArray<string>
  readonly flags: { readonly [name: string]: boolean }
  readonly milestones: ReadonlyArray<string>
  /** What happenings of the last command said. */
  readonly messages: ReadonlyArray<string>
  /** How often the trigger of each of the story's happenings came true. */
  readonly triggered: ReadonlyArray<number>
  /** Commands so far, refused ones among them. */
  readonly steps: number
  readonly refusals: number
  /** Refusals of a command that had been refused before for the same reason. */
  readonly repeatedRefusals: number
  /** The codes for which each command was refused so far. */
  readonly refused: { readonly [command: string]: ReadonlyArray<string> }
  readonly won: boolean
  readonly lost: boolean
}
