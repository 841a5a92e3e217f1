#!/usr/bin/env node
/**
 * The executable `hindcast`. It prints the version without loading anything else and passes all other command lines to
 * `Start`.
 */
import { VERSION } from "../kernel/versions.ts"
import * as CodeCache from "./CodeCache.ts"

const words = process.argv.slice(2)

if (words.length === 1 && words[0] === "--version") {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // The output's reader closed its end (`EPIPE`). That is not an error.
    if (error.code !== "EPIPE") throw error
  })
  process.stdout.write(`${VERSION}\n`)
} else {
  const code = CodeCache.directory()
  if (code !== undefined) CodeCache.enable(code)
  const { start } = await import("./Start.ts")
  await start(words)
}
