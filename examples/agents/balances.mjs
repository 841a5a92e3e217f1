/**
 * Balances the pole of the world `cart-pole`: it pushes the cart to the side where the pole is falling, which is the
 * right where angle + angular velocity > 0. An observation holds position, velocity, angle and angular velocity.
 *
 * It never finishes by itself: the world ends the episode.
 */
export default {
  name: "balances",
  version: "1.0.0",

  decide({ readings }) {
    const [, , angle, angularVelocity] = readings["cart-pole/observation"]
    return { act: "cart-pole/step", args: { action: angle + angularVelocity > 0 ? 1 : 0 } }
  },
}
