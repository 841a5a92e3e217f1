/** Compares a program with its recording, by the report of its process. */
import { Data, Effect } from "effect"
import type { ProgramExit } from "../../record/RunAtWork.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as Program from "./Program.ts"

export class Diverged extends Data.TaggedError("Diverged")<{ readonly message: string }> {}

/** The program made no request that a replay can see. */
export class NothingReplayed extends Data.TaggedError("NothingReplayed")<{ readonly message: string }> {}

/** The program ended before the comparison. To be compared, it has to return or call `process.exit`. */
export class NotCompared extends Data.TaggedError("NotCompared")<{ readonly ended: Program.Ended }> {
  override get message() {
    const { code, signal } = this.ended
    return `expected a program that returns, or calls \`process.exit\`, found one that ended by ${signal ?? `itself with ${code}`} before it was compared with its recording`
  }
}

export const endedOtherwise = (
  recorded: ProgramExit,
  { ended: { code, signal }, errors }: Program.Ran,
  taskId: string,
) =>
  new Diverged({
    message: `The replay of ${taskId} diverged at its end: expected a program that ${inWords(recorded)}, as when it was recorded, found one that ${inWords(code ?? signal ?? "a signal")}${Program.endOfErrors(code === 0 ? undefined : errors) || "."}`,
  })

/** For a program whose own process cannot compare its attempts with the recording. */
export const triedNetwork = (taskId: string): Diverged =>
  new Diverged({
    message: `The replay of ${taskId} diverged: expected no attempt to reach the network, found one (see above).`,
  })

const inWords = (exit: ProgramExit): string => (typeof exit === "number" ? `exits with ${exit}` : `ends by ${exit}`)

/** How many calls the recording answered, and how many were live. */
export interface Compared {
  readonly recorded: number
  readonly live: number
  /** Whether the program ended by itself with exit code 0. */
  readonly isSuccess: boolean
}

/**
 * Sets this process's exit code to the program's. Returns the counts, or undefined if the program did not start and
 * said why. Fails (exit code 2) if the program diverged, made no request, or was not compared.
 *
 * @param words the program's command
 * @param options options of `record` that would record it
 */
export const of = ({ ended, report }: Program.Ran, words: ReadonlyArray<string>, options: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const code = Program.exitCodeOf(ended)
    process.exitCode = code
    if (report === undefined) return undefined
    const { compared } = report
    if (compared === undefined) return yield* new NotCompared({ ended })
    const { found, ...counts } = compared
    if (found?.tag === "Diverged") return yield* new Diverged({ message: found.message })
    if (found?.tag === "NothingReplayed") {
      const again = CommandHints.written("record", ...options, "--", ...words)
      return yield* new NothingReplayed({ message: `${found.message} \`${again}\` records it.` })
    }
    return { ...counts, isSuccess: code === 0 } satisfies Compared
  })
