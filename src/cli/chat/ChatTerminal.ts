/** The input and output of a conversation: a person's terminal, or pipes. */

import * as readline from "node:readline"
import { Effect, Queue, type Scope } from "effect"
import * as Output from "../command/Output.ts"
import * as Question from "../terminal/Question.ts"
import type { Style } from "../terminal/Style.ts"
import * as Wrap from "../terminal/Wrap.ts"

export interface ChatTerminal {
  /** The next typed line; undefined at the end of the input. */
  readonly next: Effect.Effect<string | undefined>
  /** Whether a person watches the output and can answer questions. */
  readonly isInteractive: boolean
  readonly style: Style
  readonly columns: number
  /** Shows text, which may end within a line. */
  readonly write: (text: string) => Effect.Effect<void>
  /**
   * Shows a question and returns the first line typed after it appeared. Earlier typing does not count as an answer.
   */
  readonly ask: (question: string) => Effect.Effect<string>
}

/** The standard input and output: interactive if both are a terminal. */
export const standard: Effect.Effect<ChatTerminal, never, Scope.Scope> = Effect.suspend(() =>
  Question.isPossible() ? interactive : piped,
)

const opened = (isTerminal: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      readline.createInterface({
        input: process.stdin,
        ...(isTerminal ? { output: process.stdout, prompt: PROMPT, terminal: true } : { terminal: false }),
      }),
    ),
    (reader) =>
      Effect.sync(() => {
        reader.close()
        if (!isTerminal) return
        readline.cursorTo(process.stdout, 0)
        readline.clearScreenDown(process.stdout)
      }),
  )

/** Pipes or files. Questions never get an answer. */
export const piped: Effect.Effect<ChatTerminal, never, Scope.Scope> = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<string | undefined>()
  const reader = yield* opened(false)
  reader.on("line", (line) => queue.unsafeOffer(line))
  reader.on("close", () => queue.unsafeOffer(undefined))
  const terminal: ChatTerminal = {
    next: Queue.take(queue),
    isInteractive: false,
    style: Output.styleOf(process.stdout),
    columns: Output.columnsOf(process.stdout),
    write: Output.writePart,
    ask: () => Effect.never,
  }
  return terminal
})

const PROMPT = "you: "

/**
 * A person's terminal. Output appears above the line that the person is typing. When more of an unfinished output line
 * arrives, the terminal writes that line again.
 */
const interactive = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<string | undefined>()
  const reader = yield* opened(true)
  /** The last output line, while it is unfinished. */
  let open = ""
  /** Whether the person's line break ended the unfinished line, so that it needs none of its own. */
  let isTyped = false
  let answer: ((line: string) => void) | undefined
  reader.on("line", (line) => {
    // The person's line break also ended the output line above.
    isTyped = open !== ""
    open = ""
    if (answer === undefined) queue.unsafeOffer(line)
    else answer(line)
    reader.prompt(true)
  })
  reader.on("close", () => queue.unsafeOffer(undefined))
  reader.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
  reader.prompt()

  const clear = () => {
    const { rows } = reader.getCursorPos()
    const above = rows + (open === "" ? 0 : rowsOf(open))
    readline.cursorTo(process.stdout, 0)
    if (above > 0) readline.moveCursor(process.stdout, 0, -above)
    readline.clearScreenDown(process.stdout)
  }

  const rowsOf = (line: string) => Math.max(1, Math.ceil(Wrap.widthOf(line) / Output.columnsOf(process.stdout, 80)))

  const terminal: ChatTerminal = {
    next: Queue.take(queue),
    isInteractive: true,
    style: Output.styleOf(process.stdout),
    columns: Output.columnsOf(process.stdout),
    write: (text) =>
      Effect.suspend(() => {
        const all = open + (isTyped && text === "\n" ? "" : text)
        isTyped = false
        if (all === "") return Effect.void
        clear()
        open = all.slice(all.lastIndexOf("\n") + 1)
        return Effect.zipRight(
          Output.writePart(open === "" ? all : `${all}\n`),
          Effect.sync(() => reader.prompt(true)),
        )
      }),
    ask: (question) =>
      Effect.sleep(Question.TYPEAHEAD_MS).pipe(
        Effect.zipRight(
          Effect.async<string>((resume) => {
            const typed = reader.line
            reader.write(null, { ctrl: true, name: "u" })
            const end = () => {
              answer = undefined
              reader.setPrompt(PROMPT)
              reader.write(typed)
            }
            answer = (line) => {
              end()
              resume(Effect.succeed(line))
            }
            reader.setPrompt(question)
            reader.prompt()
            return Effect.sync(() => {
              end()
              reader.prompt(true)
            })
          }),
        ),
      ),
  }
  return terminal
})
