/** A question to the person at the terminal. */
import * as readline from "node:readline/promises"
import { Effect } from "effect"

/** Whether there is a person to ask: one who sees the question and can type an answer. */
export const isPossible = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Whether an answer says yes. Whatever else it says is no. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim())

/** A line from the terminal; empty where the person closed the input. */
export const ask = (text: string): Effect.Effect<string> =>
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
