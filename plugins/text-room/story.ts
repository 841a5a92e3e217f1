import type { Verb } from "./command.ts"

/** A room, and where its exits lead. */
export interface Room {
  readonly description: string
  readonly exits: { readonly [direction: string]: string }
}

/** Anything in a room: furniture, containers, and what can be carried. */
export interface Thing {
  readonly description: string
  readonly takeable: boolean
  /** What reading it says; null where there is nothing to read. */
  readonly text: string | null
  readonly lid: Lid | null
}

/** What makes a thing a container: it opens and closes, and may be locked. `key` names what unlocks it. */
export interface Lid {
  readonly open: boolean
  readonly locked: boolean
  readonly key: string | null
}

/**
 * Where a thing is: lying in a room, in or on another thing, hidden in another thing until that is examined, or
 * carried.
 */
export type Place = `room:${string}` | `thing:${string}` | `hidden:${string}` | "inventory"

/** What makes a story won. One condition is enough. */
export type WinCondition =
  | { readonly type: "item_in_inventory"; readonly item: string }
  | { readonly type: "flag_set"; readonly flag: string }

/** What sets a happening off: a command carried out, or a thing found (brought to light, or first taken). */
export type Trigger =
  | { readonly type: "action_taken"; readonly verb: Verb; readonly target: string | null; readonly count: number }
  | { readonly type: "item_found"; readonly item: string }

/** What a happening does. */
export type Response =
  | { readonly type: "message_to_agent"; readonly content: string }
  | { readonly type: "log_milestone"; readonly milestone: string }
  | { readonly type: "set_flag"; readonly flag: string }

/** Something that happens once, when its trigger comes true. */
export interface Happening {
  readonly trigger: Trigger
  readonly response: Response
}

/** A checked scenario. All names are canonical, every reference leads somewhere, every thing has one place. */
export interface Story {
  readonly name: string
  readonly rooms: { readonly [name: string]: Room }
  readonly things: { readonly [name: string]: Thing }
  readonly placed: { readonly [thing: string]: Place }
  readonly startRoom: string
  readonly flags: { readonly [name: string]: boolean }
  readonly winWhen: ReadonlyArray<WinCondition>
  /** The number of commands after which it is lost; null where there is no limit. */
  readonly maxSteps: number | null
  readonly happenings: ReadonlyArray<Happening>
}
