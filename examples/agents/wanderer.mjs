/**
 * An agent without a plan: it does something at random that what it sees makes plausible, over and over, what was refused
 * before too. It stops when its senses say that the story is over; else a limit of steps has to stop it.
 *
 * Its randomness comes from the view, never from `Math.random`: so a recorded run can be replayed to the letter.
 */
export default {
  name: "wanderer",
  version: "1.0.0",

  decide({ readings, random }) {
    const room = readings["text-room/room"]
    if (room === undefined) return { done: "abandoned", reason: "There is nothing to see." }
    if (room.won) return { done: "achieved", reason: "It is done, as luck would have it." }
    if (room.lost) return { done: "failed", reason: "The story is lost." }
    const choices = plausible(room, readings["text-room/inventory"]?.items ?? [])
    const choice = choices[Math.floor(random() * choices.length)]
    return choice ?? { done: "abandoned", reason: "There is nothing to do." }
  },
}

/** Every command that comes to mind in a room, in a fixed order. */
const plausible = (room, carried) => [
  ...room.exits.map((direction) => ({ act: "text-room/go", args: { direction } })),
  ...room.things.flatMap(whatToDoWith),
  ...carried.map(({ name }) => ({ act: "text-room/drop", args: { item: name } })),
  ...carried.filter(({ readable }) => readable).map(read),
  ...carried.flatMap(({ name }) =>
    room.things
      .filter(({ open }) => open === false)
      .map((container) => ({ act: "text-room/use", args: { item: name, on: container.name } })),
  ),
]

const whatToDoWith = (thing) => [
  { act: "text-room/examine", args: { target: thing.name } },
  ...(thing.takeable ? [{ act: "text-room/take", args: { item: thing.name } }] : []),
  ...(thing.readable ? [read(thing)] : []),
  ...(thing.open === false ? [{ act: "text-room/open", args: { target: thing.name } }] : []),
  ...(thing.open === true ? [{ act: "text-room/close", args: { target: thing.name } }] : []),
]

const read = ({ name }) => ({ act: "text-room/read", args: { target: name } })
