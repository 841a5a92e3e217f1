/**
 * The programs that tests start again and again in processes of their own. Effect and what is built are bundled with each of them into
 * one file before the tests: to load the several hundred modules of Effect takes a short process most of its time.
 */
import * as path from "node:path"
import { inRepository } from "./repository.ts"

/** From `test/`. A program that shares state with others of the process, by what it imports of what is built, is not one of them. */
export const PROGRAMS: ReadonlyArray<string> = [
  ...["appender", "attempt", "contender", "copier", "fullDisk", "one"].map(
    (name) => `events/faults/programs/${name}.mjs`,
  ),
  ...["publishing", "twenty"].map((name) => `e2e/programs/${name}.mjs`),
  ...["asking", "remembering", "rescoring", "stalling"].map((name) => `kernel/programs/${name}.mjs`),
  "listeners/programs/serving.mjs",
]

/** The file that is made of a program. It stands where the modules stand that are bundled into it: they look for others beside them. */
export const bundleOf = (program: string): string =>
  inRepository("dist", `${path.basename(program, ".mjs")}.program.mjs`)
