/** Makes one file of each program that tests start again and again: part of the set-up of the project `program`, after the build. */
import * as esbuild from "esbuild"
import { bundleOf, PROGRAMS } from "./programs.ts"
import { inRepository } from "./repository.ts"

export default async function programs(): Promise<void> {
  await Promise.all(
    PROGRAMS.map((program) =>
      esbuild.build({
        ...{ entryPoints: [inRepository("test", program)], outfile: bundleOf(program), bundle: true },
        ...{ platform: "node", format: "esm", target: "node20", banner: { js: REQUIRE }, logLevel: "error" },
        external: ["better-sqlite3", "vitest"],
      }),
    ),
  )
}

/** For modules of CommonJS that are bundled. */
const REQUIRE = 'import { createRequire as ofBundle } from "node:module"; const require = ofBundle(import.meta.url)'
