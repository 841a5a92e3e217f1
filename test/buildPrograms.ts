/** Makes one file of each program that tests start again and again: part of the set-up of the project `program`, after the build. */
import * as path from "node:path"
import * as esbuild from "esbuild"
import { bundleOf, PROGRAMS } from "./programs.ts"
import { inRepository } from "./repository.ts"

export default async function programs(): Promise<void> {
  // Together, so that what they share is read and written once. It stands beside them.
  await esbuild.build({
    entryPoints: PROGRAMS.map((program) => ({
      in: inRepository("test", program),
      out: path.basename(bundleOf(program), ".mjs"),
    })),
    outdir: path.dirname(bundleOf("")),
    outExtension: { ".js": ".mjs" },
    chunkNames: "[hash].program",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: REQUIRE },
    logLevel: "error",
    external: ["better-sqlite3", "vitest"],
  })
}

/** For modules of CommonJS that are bundled. */
const REQUIRE = 'import { createRequire as ofBundle } from "node:module"; const require = ofBundle(import.meta.url)'
