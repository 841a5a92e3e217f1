/**
 * A boat on a line: an action moves it, and the wind draws from the generator. `wrong` names a mistake to make; with `swollen`, its
 * state is too large at 1.
 */
import type { Step, WorldPlugin } from "hindcast/plugin"

let at = 0
let gust = 0
let wrong = ""

const LARGE = "x".repeat(5 * 1024 * 1024)

const step = (): Step => {
  if (wrong === "reward") return { reward: Number.NaN }
  if (wrong === "flags") return { reward: 1, terminated: 1 as unknown as boolean }
  if (wrong === "large") return { reward: 1, info: { text: LARGE } }
  return {
    reward: { way: at, wind: -gust },
    terminated: at >= 3 || at <= -3,
    outcome: at >= 3 ? "achieved" : "failed",
    info: { gust },
  }
}

export default {
  environment: {
    reset: (context, options) => {
      if (options.wrong === "reset") throw Object.assign(new Error("there is no wind"), { code: "NoWind" })
      at = Number(options.at ?? 0)
      wrong = String(options.wrong ?? "")
      gust = context.rng.random()
      return { info: wrong === "info" ? ("calm" as unknown as { readonly gust: number }) : { gust } }
    },
    observe: () => (wrong === "observation" ? [at, 1_000] : [at, gust]),
    mask: () => (wrong === "mask" ? [1, 1] : [at > -3 ? 1 : 0, 1, 1]),
    step: (context, action: number) => {
      if (wrong === "refuses") throw Object.assign(new Error("the sail is torn"), { code: "TornSail" })
      if (wrong === "dies") Reflect.get(globalThis, "Deno").exit(3)
      if (wrong === "hangs") return new Promise<Step>(() => {})
      at += action
      gust = context.rng.random()
      return step()
    },
    state: () => ({ at, gust, wrong, ...(wrong === "swollen" && at === 1 ? { text: LARGE } : {}) }),
    restore: (_context, _options, state) => {
      at = Number(state.at)
      gust = Number(state.gust)
      wrong = String(state.wrong)
    },
  },
} satisfies WorldPlugin
