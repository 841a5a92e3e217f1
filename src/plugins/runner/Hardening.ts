/** Removes the channel to the host and WebGPU from the plugin's reach, before the plugin loads. */

import { Deno, inspect } from "./Captured.ts"
import type { Send } from "./Frames.ts"

/** Turns printed output into log frames, and keeps the host's frames from the plugin. */
export const hideStreams = (send: Send) => {
  const endless = { read: async () => null, readSync: () => null, close: () => undefined, isTerminal: () => false }
  Object.defineProperty(Deno, "stdin", { value: endless })
  Object.defineProperty(Deno, "stdout", { value: Deno.stderr })
  const print =
    (level: string) =>
    (...values: ReadonlyArray<unknown>) =>
      send({ type: "log", level, message: values.map((v) => (typeof v === "string" ? v : inspect(v))).join(" ") })
  Object.assign(console, {
    debug: print("debug"),
    log: print("info"),
    info: print("info"),
    warn: print("warn"),
    error: print("error"),
  })
}

/** WebGPU needs no permission and loads the machine's graphics libraries if the environment allows it. */
export const hideGraphics = () => {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (name.startsWith("GPU")) Reflect.deleteProperty(globalThis, name)
  }
  const { navigator } = globalThis as unknown as { readonly navigator: object }
  Reflect.deleteProperty(Object.getPrototypeOf(navigator), "gpu")
}
