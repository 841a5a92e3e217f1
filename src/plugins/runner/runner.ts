/**
 * The main module of every plugin process, run by Deno. It imports the plugin's entry, reports the entry's exports to
 * the host, and then answers calls, one JSON object per line (see `Protocol.ts`).
 *
 * The build bundles it with the modules beside it into one file without imports (`scripts/runner.mjs`), so that the
 * sandbox needs no read permission for other files of the host. It runs before the plugin but has no more rights than
 * it. It captures globals (`Captured`) so that a careless plugin does not break the protocol; against a hostile plugin,
 * the sandbox and the host protect.
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
    // Reading continues while the entry loads, so that the end of the input is noticed: the host is gone or wants this
    // process to end.
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
