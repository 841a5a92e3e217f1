/** The constant part of a game: rooms, things, happenings, and conditions to win and lose. */
import type { Verb } from "./command.ts"

/** A room with its exits. */
export interface Room {
  readonly description: string
  readonly exits: { readonly [direction: string]: string }
}

/** Anything in a room: furniture, containers, portable things. */
export interface Thing {
  readonly description: string
  readonly takeable: boolean
  /** Readable text on the thing, if any. */
  readonly text: string | null
  readonly lid: Lid | null
}

/** A container's lid, possibly locked. `key` names the thing that unlocks it. */
export interface Lid {
  readonly open: boolean
  readonly locked: boolean
  readonly key: string | null
}

/** In a room, in or on another thing, hidden in another thing until that is examined, or carried. */
export type Place = `room:${string}` | `thing:${string}` | `hidden:${string}` | "inventory"

/** Any one of them wins the story. */
export type WinCondition =
  | { readonly type: "item_in_inventory"; readonly item: string }
  | { readonly type: "flag_set"; readonly flag: string }

/** A successful command, or a found thing (discovered, or first taken). */
export type Trigger =
  | { readonly type: "action_taken"; readonly verb: Verb; readonly target: string | null; readonly count: number }
  | { readonly type: "item_found"; readonly item: string }

/** The effect of a happening. */
export type Response =
  | { readonly type: "message_to_agent"; readonly content: string }
  | { readonly type: "log_milestone"; readonly milestone: string }
  | { readonly type: "set_flag"; readonly flag: string }

/** An effect that happens once, when its trigger fires. */
export interface Happening {
  readonly trigger: Trigger
  readonly response: Response
}

/** A checked scenario: names are canonical, references resolve, and every thing has one place. */
export interface Story {
  readonly name: string
  readonly rooms: { readonly [name: string]: Room }
  readonly things: { readonly [name: string]: Thing }
  readonly placed: { readonly [thing: string]: Place }
  readonly startRoom: string
  readonly flags: { readonly [name: string]: boolean }
  readonly winWhen: ReadonlyArray<WinCondition>
  /** The story is lost after this many commands; null for no limit. */
  readonly maxSteps: number | null
  readonly happenings: ReadonlyArray<Happening>
}
