/**
 * Main module of every plugin process, run by Deno. It imports the plugin's entry, reports its exports to the host, and
 * then answers calls, one JSON object per line (see `Protocol.ts`).
 *
 * The build bundles it into one file without imports (`scripts/runner.mjs`), so that the sandbox grants no read access
 * to other files of the host. It has no more rights than the plugin. Captured globals (`Captured`) keep a careless
 * plugin from breaking the protocol; the sandbox and the host protect against a hostile one.
 */
import { exit, parse } from "./Captured.ts"
import { dispatcher } from "./Dispatcher.ts"
import { exportsOf, importPlugin } from "./Entry.ts"
import { readLines, sender } from "./Frames.ts"
import { hideGraphics, hideStreams } from "./Hardening.ts"
import type { HostFrame } from "./HostFrame.ts"
import { describe } from "./Outcome.ts"

const main = (): Promise<never> => {
  let handle: ((line: string) => void) | undefined
  const early: Array<string> = []
  return readLines((line) => {
    if (handle !== undefined) return handle(line)
    // Reads on while the entry loads, to notice the end of the input: the host is gone or is ending this process.
    if (early.push(line) > 1) return
    const init = parse(line) as Extract<HostFrame, { readonly type: "init" }>
    const send = sender(init)
    hideStreams(send)
    hideGraphics()
    importPlugin(init.entry).then(
      (plugin) => {
        send({ type: "ready", exports: exportsOf(plugin) })
        const dispatch = dispatcher(init, plugin, send)
        handle = (text) => dispatch(parse(text) as HostFrame)
        for (const text of early.slice(1)) handle(text)
      },
      (cause: unknown) => {
        send({ type: "failed", error: describe(cause) })
        exit(1)
      },
    )
  })
}

await main()
