import { Effect, type Scope } from "effect"
import * as builtOn from "../../built.ts"
import * as Killable from "../../killable.ts"

export interface Starting {
  /** What comes before `node` on the command line: a program that runs another one. */
  readonly under?: ReadonlyArray<string>
  /** A program that runs first in the same process, and its input. */
  readonly first?: { readonly program: string; readonly input: unknown }
}

/** A file of `programs/`. */
export const programFile = (name: string): string => builtOn.program(import.meta.url, name)

/** Starts a program of `programs/`. It reads its input as JSON from its standard input, and the one before it from FIRST. */
export const start = (
  program: string,
  input: unknown,
  { under = [], first }: Starting = {},
): Effect.Effect<Killable.Killable, never, Scope.Scope> =>
  Killable.start([...(first === undefined ? [] : ["--import", programFile(first.program)]), programFile(program)], {
    under,
    env: { ...process.env, FIRST: JSON.stringify(first?.input) },
    input: JSON.stringify(input),
  })

/** Runs a program to its end, and reads the one line of JSON that it tells its findings in. */
export const report = (program: string, input: unknown, starting: Starting = {}): Effect.Effect<unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { code, signal, lines, stderr } = yield* Effect.flatMap(
        start(program, input, starting),
        ({ ended }) => ended,
      )
      const [line] = lines
      if (code !== 0 || line === undefined || lines.length > 1) {
        return yield* Effect.dieMessage(
          `${program} ended with ${code ?? signal}, told ${lines.length} lines:\n${stderr}`,
        )
      }
      return JSON.parse(line)
    }),
  )
