/** Reads and creates the text files that options name. */
import * as fs from "node:fs"
import { Effect } from "effect"
import * as SmallFile from "../../platform/SmallFile.ts"
import { BadInput } from "../command/BadInput.ts"

export const read = (input: string, file: string): Effect.Effect<string, BadInput> =>
  Effect.try({
    try: () => SmallFile.read(file),
    catch: (cause) =>
      new BadInput({
        input,
        expected: "a readable file",
        found: reasonOf(cause),
        missing: SmallFile.isMissing(cause),
      }),
  })

export const make = (input: string, file: string, text: string, mode: number): Effect.Effect<void, BadInput> =>
  Effect.try({
    try: () => fs.writeFileSync(file, text, { flag: "wx", mode }),
    catch: (cause) => new BadInput({ input, expected: "a file that can be created", found: reasonOf(cause) }),
  })

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
