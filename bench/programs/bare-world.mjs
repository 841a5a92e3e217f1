/**
 * Steps cart poles without Hindcast: no process boundary, no checks, no log. Prints the steps per second.
 * Run by Deno: `deno run bare-world.mjs STEPS`
 */
import world from "../../packages/worlds/cart-pole/world.ts"
import { elementary as math } from "../../src/plugins/elementary/Elementary.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"

const steps = Number(Deno.args[0])
const { environment } = world
const context = { math, rng: Generator.seeded(1) }
environment.reset(context, {})
const startedAt = performance.now()
for (let step = 0; step < steps; step++) {
  const [, , angle, turn] = environment.observe(context)
  if (environment.step(context, angle + turn > 0 ? 1 : 0).terminated) environment.reset(context, {})
}
console.log((steps / (performance.now() - startedAt)) * 1000)
