/** Whether a program did as was recorded, told by what its process reported. */
import { Data, Effect } from "effect"
import type { ProgramExit } from "../../record/RunAtWork.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as Program from "./Program.ts"

/** The program did otherwise than was recorded. */
export class Diverged extends Data.TaggedError("Diverged")<{ readonly message: string }> {}

/** The program asked nothing that a replay sees: it is to be recorded in a way that sees it. */
export class NothingReplayed extends Data.TaggedError("NothingReplayed")<{ readonly message: string }> {}

/** The program was not compared: it ended itself in a way that nobody sees. To recover, let it return, or call `process.exit`. */
export class NotCompared extends Data.TaggedError("NotCompared")<{ readonly ended: Program.Ended }> {
  override get message() {
    const { code, signal } = this.ended
    return `expected a program that returns, or calls \`process.exit\`, found one that ended by ${signal ?? `itself with ${code}`} before it was compared with its recording`
  }
}

/** The program ended in another way than when it was recorded. */
export const endedOtherwise = (recorded: ProgramExit, { code, signal }: Program.Ended, taskId: string): Diverged =>
  new Diverged({
    message: `The replay of ${taskId} diverged at its end: expected a program that ${inWords(recorded)}, as when it was recorded, found one that ${inWords(code ?? signal ?? "a signal")}.`,
  })

const inWords = (exit: ProgramExit): string => (typeof exit === "number" ? `exits with ${exit}` : `ends by ${exit}`)

/** How many calls were answered from the recording, and made for real. */
export interface Compared {
  readonly recorded: number
  readonly live: number
  /** Whether the program ended well by itself. */
  readonly isSuccess: boolean
}

/**
 * Sets the exit code to that of the program. Returns the counts; undefined if the program was not started, and said so itself. Fails, which is exit code 2, if it did otherwise than was recorded, asked nothing, or was not compared.
 *
 * @param words the command of the program
 * @param options those of `record` that it is recorded with
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
