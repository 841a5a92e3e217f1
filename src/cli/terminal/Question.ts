/** A question to the person at the terminal. */
import * as readline from "node:readline/promises"
import { Effect } from "effect"

/** Whether there is a person to ask: one who sees the question and can type an answer. */
export const isPossible = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Whether an answer says yes. Whatever else it says is no. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

/**
 * A line from the terminal; empty where the person closed the input. What was typed before the question could be read is no answer
 * to it, and is dropped.
 */
export const ask = (text: string): Effect.Effect<string> => Effect.zipRight(dropTyped, lineAfter(text))

/** How long is waited for what the terminal still has, in milliseconds: it hands it over at once. */
const DROP_MS = 50

const dropTyped: Effect.Effect<void> = Effect.async((resume) => {
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
  }, DROP_MS)
  return Effect.sync(stop)
})

const lineAfter = (text: string): Effect.Effect<string> =>
  Effect.async((resume, signal) => {
    const terminal = readline.createInterface({ input: process.stdin, output: process.stdout })
    // Reading lines takes Ctrl-C from the process; it is given back.
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
