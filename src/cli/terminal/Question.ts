/** Asks the user a question at the terminal. */
import * as readline from "node:readline/promises"
import { Effect } from "effect"

/** Whether the user can be asked: both the standard input and the standard output are terminals. */
export const isPossible = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Whether an answer is `y` or `yes`. Any other answer is no. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

/**
 * Prints a question and reads a line. The line is empty if the user closed the input. Input that was typed before the
 * question is dropped, because it does not answer it.
 */
export const ask = (text: string): Effect.Effect<string> => Effect.zipRight(dropTypeahead, readLineAfter(text))

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
