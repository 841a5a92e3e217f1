#!/usr/bin/env node
import { createRequire } from "node:module"
import * as Argv from "./Argv.ts"

const arranged = Argv.arrange(process.argv.slice(2))

/** Whoever asks for the version waits for nothing else to be loaded. */
const version = (): string => {
  const { version }: { readonly version: string } = createRequire(import.meta.url)("../../package.json")
  return version
}

if (Argv.asksForVersion(arranged)) {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever reads the output has gone away: that is no error.
    if (error.code !== "EPIPE") throw error
  })
  process.stdout.write(`${version()}\n`)
} else {
  const { start } = await import("./Start.ts")
  start(arranged)
}
