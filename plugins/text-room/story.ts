/** The immutable part of a game: rooms, things, happenings and the conditions to win and to lose. */
import type { Verb } from "./command.ts"

/** A room, and the rooms that its exits lead to. */
export interface Room {
  readonly description: string
  readonly exits: { readonly [direction: string]: string }
}

/** Anything in a room: furniture, containers and things that can be carried. */
export interface Thing {
  readonly description: string
  readonly takeable: boolean
  /** The text that can be read on the thing; null if there is none. */
  readonly text: string | null
  readonly lid: Lid | null
}

/** The lid of a container, which opens and closes and may be locked. `key` names the thing that unlocks it. */
export interface Lid {
  readonly open: boolean
  readonly locked: boolean
  readonly key: string | null
}

/**
 * The place of a thing: in a room, in or on another thing, hidden in another thing until that is examined, or carried.
 */
export type Place = `room:${string}` | `thing:${string}` | `hidden:${string}` | "inventory"

/** A condition that wins the story. One is enough. */
export type WinCondition =
  | { readonly type: "item_in_inventory"; readonly item: string }
  | { readonly type: "flag_set"; readonly flag: string }

/**
 * The trigger of a happening: a command that was carried out, or a thing that was found (discovered, or first taken).
 */
export type Trigger =
  | { readonly type: "action_taken"; readonly verb: Verb; readonly target: string | null; readonly count: number }
  | { readonly type: "item_found"; readonly item: string }

/** The effect of a happening. */
export type Response =
  | { readonly type: "message_to_agent"; readonly content: string }
  | { readonly type: "log_milestone"; readonly milestone: string }
  | { readonly type: "set_flag"; readonly flag: string }

/** An effect that happens once, when its trigger is met. */
export interface Happening {
  readonly trigger: Trigger
  readonly response: Response
}

/** A checked scenario. All names are canonical, all references resolve, and every thing has one place. */
export interface Story {
  readonly name: string
  readonly rooms: { readonly [name: string]: Room }
  readonly things: { readonly [name: string]: Thing }
  readonly placed: { readonly [thing: string]: Place }
  readonly startRoom: string
  readonly flags: { readonly [name: string]: boolean }
  readonly winWhen: ReadonlyArray<WinCondition>
  /** The number of commands after which the story is lost; null if there is no limit. */
  readonly maxSteps: number | null
  readonly happenings: ReadonlyArray<Happening>
}
