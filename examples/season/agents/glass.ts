/** An agent that fails with an exception. */
import type { Agent } from "hindcast"
import * as Room from "./Room.ts"

/** An agent with a bug: it throws once nothing in the room is left to examine. */
export const glass = (): Agent.DecidingAgent => {
  let looked: ReadonlyArray<string> = []
  return {
    name: "glass",
    version: "0.3.1",
    decide: (context) => {
      if (context.step === 0) looked = []
      const things = (Room.seen(context)?.things ?? []).map(({ name }) => name).filter((name) => !looked.includes(name))
      const name = Room.pick(things, context.random())
      if (name === undefined) throw new TypeError("Cannot read properties of undefined (reading 'name')")
      looked = [...looked, name]
      return Room.examine(name)
    },
  }
}
