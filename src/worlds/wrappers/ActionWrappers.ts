/** Wrappers of actions: `ClipAction` and `RescaleAction`. */

import { Either } from "effect"
import { type Box, boxOf, isBounded, mapped, unbounded } from "./Boxes.ts"
import { changed, DoesNotFit, type Wrapper } from "./Wrapper.ts"

/**
 * Accepts any numbers of the right shape and clips them to the bounds of the world's action space, which must be a Box.
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
 * Accepts numbers from `min` to `max` and scales them linearly to the bounds of the world's action space, which must be
 * a Box with finite bounds.
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
            // Rounding must not move the upper bound.
            if (number === max) return high
            return low + (high - low) * ((number - min) / (max - min))
          })
        },
      })
    })
  }
