/** Asks the user a question at the terminal. No other module asks one, but for the screens of `chat`, `play` and `step`. */
import * as readline from "node:readline/promises"
import { Data, Effect } from "effect"

/** Whether the user can be asked: both the standard input and the standard output are terminals. */
export const isPossible = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Whether an answer is `y` or `yes`. Any other answer is no. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

/** What a command has to know before it does something. */
interface Needed {
  /** The command, as it is typed. */
  readonly command: string
  /** What the answer is about: a sentence. */
  readonly about: string
  /** The options that answer. */
  readonly options: ReadonlyArray<string>
}

/** A command needs an answer, and nobody can be asked. To recover, give the answer by an option. */
export class NobodyToAsk extends Data.TaggedError("NobodyToAsk")<Needed> {
  override get message() {
    const { command, about, options } = this
    return `${command}: expected ${options.join(" or ")}, or a terminal to ask at, found neither. ${about} Nothing was done.`
  }
}

/** A question that a command asks before it does something. */
export interface Asking extends Needed {
  /** Whether one of the options was given: it answers with yes. */
  readonly given: boolean
  /** Whether the output is for a program, which is not asked. */
  readonly json: boolean
  /** Shows what the question is about. Called only if the user is asked. */
  readonly ask: Effect.Effect<boolean>
}

/** Whether the user agrees: by an option, or when asked at the terminal. Fails if neither is possible, also for `--json`. */
export const agrees = ({ given, json, ask, ...asking }: Asking): Effect.Effect<boolean, NobodyToAsk> => {
  if (given) return Effect.succeed(true)
  return !json && isPossible() ? ask : new NobodyToAsk(asking)
}

/**
 * Prints a question and reads a line. The line is empty, which is no approval, if the user closed the input, and if there
 * is no terminal to ask at. Input that was typed before the question is dropped, because it does not answer it.
 */
export const ask = (text: string): Effect.Effect<string> =>
  Effect.suspend(() => (isPossible() ? Effect.zipRight(dropTypeahead, readLineAfter(text)) : Effect.succeed("")))

/** How long what comes after a question is taken for what was typed before it, in milliseconds: the terminal delivers that at once. */
export const TYPEAHEAD_MS = 50

const dropTypeahead: Effect.Effect<void> = Effect.async((resume) => {
  const drop = () => undefined
  process.stdin.on("data", drop)
  const stop = () => {
    clearTimeout(timer)
    process.stdin.off("data", drop)
    process.stdin.pause()
  }
  const timer = setTimeout(() => {
    stop()
    resume(Effect.void)
  }, TYPEAHEAD_MS)
  return Effect.sync(stop)
})

const readLineAfter = (text: string): Effect.Effect<string> =>
  Effect.async((resume, signal) => {
    const terminal = readline.createInterface({ input: process.stdin, output: process.stdout })
    // `readline` intercepts Ctrl-C. The signal is raised again for the process.
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    terminal.on("close", () => resume(Effect.succeed("")))
    terminal.question(text, { signal }).then(
      (line) => {
        resume(Effect.succeed(line))
        terminal.close()
      },
      () => terminal.close(),
    )
  })
