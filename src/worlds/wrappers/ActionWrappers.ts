/** Wrappers of actions: `ClipAction` and `RescaleAction`. */

import { Either } from "effect"
import { type Box, boxOf, isBounded, mapped, unbounded } from "./Boxes.ts"
import { changed, DoesNotFit, type Wrapper } from "./Wrapper.ts"

/**
 * Accepts any numbers of the right shape, and cuts each off at the bounds of the world's action space. It needs a Box of
 * actions.
 */
export const ClipAction: Wrapper = (world) =>
  Either.map(
    boxOf("ClipAction", world, "action", "a Box", ({ dtype }) => dtype !== "bool"),
    (boxOf) =>
      changed(world, {
        spaces: (spaces, agent) => ({ ...spaces, action: unbounded(boxOf(agent)) }),
        action: (action, agent) => {
          const box = boxOf(agent)
          return mapped(world, agent, unbounded(box), box, action, (number, low, high) =>
            Math.min(Math.max(number, low), high),
          )
        },
      }),
  )

/**
 * Accepts numbers from `min` to `max`, and stretches them to the bounds of the world's action space. It needs a Box of
 * actions whose bounds are finite.
 */
export const RescaleAction =
  (min: number, max: number): Wrapper =>
  (world) => {
    if (!(Number.isFinite(min) && Number.isFinite(max) && min < max)) {
      const expected = "finite numbers of which the first is less than the second"
      return Either.left(
        new DoesNotFit({ wrapper: "RescaleAction", world: world.name, expected, found: `${min} and ${max}` }),
      )
    }
    return Either.map(boxOf("RescaleAction", world, "action", "a Box with finite bounds", isBounded), (boxOf) => {
      const accepted = (box: Box): Box => ({ ...box, low: min, high: max })
      return changed(world, {
        spaces: (spaces, agent) => ({ ...spaces, action: accepted(boxOf(agent)) }),
        action: (action, agent) => {
          const box = boxOf(agent)
          return mapped(world, agent, accepted(box), box, action, (number, low, high) => {
            // The bounds are met exactly, whatever the rounding between them.
            if (number === max) return high
            return low + (high - low) * ((number - min) / (max - min))
          })
        },
      })
    })
  }
