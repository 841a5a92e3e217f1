/** Pushed readings. */

import type { Plugin, PluginContext } from "../author.ts"
import type { Frame } from "./Frames.ts"
import type { Init } from "./HostFrame.ts"
import { findNonJson } from "./NonJson.ts"

/**
 * Pushes at most `readingsInFlight` readings at a time. It drops any more, and sends their number with the next
 * reading.
 */
export const emitter = (
  { readingsInFlight }: Init,
  { sensors }: Pick<Plugin, "sensors">,
  ask: (frame: Frame) => Promise<unknown>,
): PluginContext["emit"] => {
  let waiting = 0
  let dropped = 0
  const refuse = (code: string, message: string): Promise<never> => {
    const refused = Promise.reject(Object.assign(new Error(message), { code }))
    refused.catch(() => undefined)
    return refused
  }
  return (component, value) => {
    if (!Object.hasOwn(sensors ?? {}, component)) return refuse("NoSuchComponent", `there is no sensor ${component}`)
    const wrong = findNonJson(value, 0)
    if (wrong !== undefined) return refuse("NotJson", `expected JSON, found ${wrong} in the reading`)
    if (waiting >= readingsInFlight) {
      dropped++
      return refuse("TooManyReadings", `${waiting} readings wait to be taken: await some before pushing more`)
    }
    const frame = { type: "emit", component, value, ...(dropped === 0 ? {} : { dropped }) }
    dropped = 0
    waiting++
    const taken = ask(frame).then(() => undefined)
    const settled = () => {
      waiting--
    }
    taken.then(settled, settled)
    return taken
  }
}
