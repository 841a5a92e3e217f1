/**
 * Has no plan: it repeats random but plausible actions, even refused ones. It stops when its sensors report the end of
 * the story; otherwise a limit of steps has to stop it.
 *
 * Its randomness comes from the context, never from `Math.random`, so that a replay repeats it exactly.
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

/** All plausible commands in a room, in a fixed order. */
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
