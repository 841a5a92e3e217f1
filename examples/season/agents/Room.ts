/** The observations and commands of the plugin `text-room`, as the season's agents use them. */
import { Option, Schema } from "effect"
import type { Agent } from "hindcast"

/** A thing in a room, as the sensors of `text-room` report it. */
const Thing = Schema.Struct({
  name: Schema.String,
  takeable: Schema.Boolean,
  readable: Schema.Boolean,
  open: Schema.optionalWith(Schema.Boolean, { exact: true }),
})

export type Thing = typeof Thing.Type

const Around = Schema.Struct({
  room: Schema.String,
  exits: Schema.Array(Schema.String),
  things: Schema.Array(Thing),
  won: Schema.Boolean,
  lost: Schema.Boolean,
})

const Carried = Schema.Struct({ items: Schema.Array(Thing) })

/** An agent's observation of a text room. */
export interface RoomObservation extends Schema.Schema.Type<typeof Around> {
  readonly carried: ReadonlyArray<Thing>
}

/** Decodes the observation from a context's readings; `undefined` if they contain none. */
export const seen = ({ readings }: Agent.DecisionContext): RoomObservation | undefined => {
  const around = Option.getOrUndefined(Schema.decodeUnknownOption(Around)(readings["text-room/room"]))
  const carried = Option.getOrUndefined(Schema.decodeUnknownOption(Carried)(readings["text-room/inventory"]))
  return around === undefined ? undefined : { ...around, carried: carried?.items ?? [] }
}

/** A command of `text-room`. */
export type Act = Extract<Agent.Choice, { readonly act: string }>

const command =
  (verb: string, key: string) =>
  (name: string): Act => ({ act: `text-room/${verb}`, args: { [key]: name } })

export const go = command("go", "direction")
export const examine = command("examine", "target")
export const open = command("open", "target")
export const read = command("read", "target")
export const take = command("take", "item")
export const use = (item: string, on: string): Act => ({ act: "text-room/use", args: { item, on } })

/** A command as a string, for use as a set's element. */
export const keyOf = ({ act, args }: Act): string => `${act} ${JSON.stringify(args ?? {})}`

/** All commands that are possible in this room without leaving it, in a fixed order. */
export const doable = ({ things, carried }: RoomObservation): ReadonlyArray<Act> => [
  ...things.flatMap(({ name, takeable, readable, open: isOpen }) => [
    examine(name),
    ...(takeable ? [take(name)] : []),
    ...(readable ? [read(name)] : []),
    ...(isOpen === false ? [open(name)] : []),
  ]),
  ...carried.filter(({ readable }) => readable).map(({ name }) => read(name)),
  ...carried.flatMap(({ name }) => things.filter(({ open }) => open === false).map((closed) => use(name, closed.name))),
]

/** The element that a number in [0, 1) selects. */
export const pick = <A>(from: ReadonlyArray<A>, random: number): A | undefined => from[Math.floor(random * from.length)]
