/** An agent whose commands are mostly refused. */
import type { Agent } from "hindcast"
import * as Room from "./Room.ts"

/** An agent that gives unknown commands, omits arguments, opens locked things repeatedly, and then claims success. */
export const hothead = (): Agent.DecidingAgent => ({
  name: "hothead",
  version: "1.0.0",
  decide: (context): Agent.Choice => {
    const seen = Room.seen(context)
    if (seen === undefined) return { done: "abandoned", reason: "There is nothing to see." }
    if (seen.won) return { done: "achieved", reason: "Of course." }
    const closed = seen.things.find(({ open }) => open === false)?.name ?? seen.things[0]?.name ?? "door"
    const tries: ReadonlyArray<Agent.Choice> = [
      Room.open(closed),
      { act: "text-room/smash", args: { target: closed } },
      Room.open(closed),
      { act: "text-room/take", args: {} },
      Room.pick(seen.exits.map(Room.go), context.random()) ?? Room.go("north"),
      Room.take(seen.things[0]?.name ?? "everything"),
    ]
    return tries[context.step] ?? { done: "achieved", reason: "As good as done." }
  },
})
