/** Asks the user a question at the terminal. Only this module and the screens of `chat`, `play` and `step` do so. */
import * as readline from "node:readline/promises"
import { Writable } from "node:stream"
import { Data, Effect } from "effect"

/** Whether the user can be asked: both the standard input and the standard output are terminals. */
export const isPossible = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Whether a person types the standard input, wherever the output goes. */
export const isTyped = (): boolean => process.stdin.isTTY === true

/** Whether an answer is `y` or `yes`. Any other answer means no. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

/** A question that a command asks before it acts. */
interface Needed {
  readonly command: string
  readonly about: string
  readonly options: ReadonlyArray<string>
}

/** A command needs an answer, and nobody can be asked. */
export class NobodyToAsk extends Data.TaggedError("NobodyToAsk")<Needed> {
  override get message() {
    const { command, about, options } = this
    return `${command}: expected ${options.join(" or ")}, or a terminal to ask at, found neither. ${about} Nothing was done.`
  }
}

export interface Asking extends Needed {
  /** Whether one of the options was given, which means yes. */
  readonly given: boolean
  /** Whether a program reads the output. Then nobody is asked. */
  readonly json: boolean
  /** Shows the subject and asks. Runs only if the user can be asked. */
  readonly ask: Effect.Effect<boolean>
}

/** Whether the user agrees, by an option or at the terminal. Fails if neither is possible, as with `--json`. */
export const agrees = ({ given, json, ask, ...asking }: Asking): Effect.Effect<boolean, NobodyToAsk> => {
  if (given) return Effect.succeed(true)
  return !json && isPossible() ? ask : new NobodyToAsk(asking)
}

/**
 * Prints a question and reads a line. Drops input that was typed before the question. Returns an empty line, which
 * approves nothing, if the user closed the input or there is no terminal.
 */
export const ask = (text: string): Effect.Effect<string> =>
  Effect.suspend(() => (isPossible() ? Effect.zipRight(dropTypeahead, readLineAfter(text)) : Effect.succeed("")))

/**
 * Milliseconds after a question in which input counts as typed before it: the terminal delivers earlier input at once.
 */
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
    // `readline` intercepts Ctrl-C, so raise the signal again for the process.
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

/**
 * Reads a secret: at a terminal without showing it, otherwise a line of the standard input. The question goes to the
 * standard error, so that the standard output can be a file. Returns an empty text if the input ends before a line.
 */
export const secret = (text: string): Effect.Effect<string> =>
  Effect.async((resume) => {
    const isTerminal = process.stdin.isTTY === true
    const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
    const terminal = readline.createInterface({ input: process.stdin, output: unseen, terminal: isTerminal })
    if (isTerminal) process.stderr.write(text)
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    terminal.once("line", (line) => {
      if (isTerminal) process.stderr.write("\n")
      resume(Effect.succeed(line))
      terminal.close()
    })
    terminal.once("close", () => resume(Effect.succeed("")))
    return Effect.sync(() => terminal.close())
  })
