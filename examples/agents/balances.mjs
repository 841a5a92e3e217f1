/**
 * An agent that balances the pole of the world `cart-pole`. It pushes the cart to the side to which the pole is falling:
 * to the right where angle + angular velocity > 0. The numbers of an observation are position, velocity, angle and
 * angular velocity.
 *
 * It never says that it is done. The world says when the episode is over.
 */
export default {
  name: "balances",
  version: "1.0.0",

  decide({ readings }) {
    const [, , angle, angularVelocity] = readings["cart-pole/observation"]
    return { act: "cart-pole/step", args: { action: angle + angularVelocity > 0 ? 1 : 0 } }
  },
}
