// A policy for cart-pole: push the cart to the side to which the pole falls.
//
//   hindcast rollout cart-pole --policy examples/policies/balances.mjs --episodes 100

export default {
  name: "balances",
  version: "1",
  act: ({ observation: [, , angle, turn] }) => (angle + turn > 0 ? 1 : 0),
}
