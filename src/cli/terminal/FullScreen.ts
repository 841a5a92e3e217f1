/** Full-screen access to the terminal: raw keys, drawing and resizing. Restores the terminal at the end. */
import * as readline from "node:readline"
import { Data, Deferred, Effect, Queue, type Scope } from "effect"

export class TerminalNeeded extends Data.TaggedError("TerminalNeeded")<{
  readonly command: string
  readonly found: string
  /** One sentence: what to do without a terminal. */
  readonly instead: string
}> {
  override get message() {
    return `hindcast ${this.command}: expected a terminal, found ${this.found}. ${this.instead}`
  }
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A key: a name such as `down` or `return`, or the typed character. */
export interface Key {
  readonly name: string
  /** The text that the key adds to a prompt, or an empty text. */
  readonly text: string
  readonly ctrl: boolean
}

export interface FullScreen {
  readonly size: () => Size
  /** Draws rows from the top of the screen. Their number must be the terminal's height. */
  readonly draw: (rows: ReadonlyArray<string>) => Effect.Effect<void>
  /** The next key, or `resized` after the terminal's size changed. */
  readonly next: Effect.Effect<Key | "resized">
  /** Runs an effect that the user can stop with Esc or Ctrl-C. Queues all other keys. */
  readonly stoppable: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A | "stopped", E, R>
}

/**
 * Switches the terminal to the alternate screen and raw input until the scope closes. A hang-up of the terminal
 * interrupts the program as SIGTERM does.
 */
export const open = (command: string, instead: string): Effect.Effect<FullScreen, TerminalNeeded, Scope.Scope> =>
  Effect.gen(function* () {
    const { stdin, stdout } = process
    if (!stdin.isTTY || !stdout.isTTY) {
      const found = `${stdin.isTTY ? "its output" : "its input"} in a pipe or a file`
      return yield* new TerminalNeeded({ command, found, instead })
    }
    const inputs = yield* Queue.unbounded<Key | "resized">()
    let stop: (() => void) | undefined

    const onKey = (text: string | undefined, { name, ctrl }: readline.Key) => {
      const key: Key = { name: name ?? "", text: isText(text) ? text : "", ctrl: ctrl === true }
      if (stop !== undefined && isStopKey(key)) stop()
      else Queue.unsafeOffer(inputs, key)
    }
    const onResize = () => void Queue.unsafeOffer(inputs, "resized")
    const onHangUp = () => void process.kill(process.pid, "SIGTERM")
    const onEnd = () => void Queue.unsafeOffer(inputs, { name: "c", text: "", ctrl: true })

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        stdout.write(ENTER_SCREEN)
        readline.emitKeypressEvents(stdin)
        stdin.setRawMode(true)
        stdin.on("keypress", onKey).on("end", onEnd).resume()
        stdout.on("resize", onResize)
        process.on("SIGHUP", onHangUp)
      }),
      () =>
        Effect.sync(() => {
          process.off("SIGHUP", onHangUp)
          stdout.off("resize", onResize)
          stdin.off("keypress", onKey).off("end", onEnd).pause()
          stdin.setRawMode(false)
          stdout.write(LEAVE_SCREEN)
        }),
    )

    return {
      size: () => ({ columns: stdout.columns, rows: stdout.rows }),
      draw: (rows) =>
        Effect.sync(() => {
          stdout.write(`${HOME}${rows.map((row) => row + CLEAR_LINE_END).join("\r\n")}`)
        }),
      next: Queue.take(inputs),
      stoppable: (work) =>
        Effect.gen(function* () {
          const stopped = yield* Deferred.make<"stopped">()
          stop = () => Deferred.unsafeDone(stopped, Effect.succeed("stopped"))
          return yield* Effect.raceFirst(work, Deferred.await(stopped))
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              stop = undefined
            }),
          ),
        ),
    }
  })

const isStopKey = ({ name, ctrl }: Key): boolean => name === "escape" || (ctrl && name === "c")

const isText = (text: string | undefined): text is string => text !== undefined && /^[^\p{Cc}]+$/u.test(text)

/** Control sequences (ECMA-48, and xterm's alternate screen). Full-screen mode hides the cursor. */
const ENTER_SCREEN = "\u001b[?1049h\u001b[?25l"
const LEAVE_SCREEN = "\u001b[?25h\u001b[?1049l"
const HOME = "\u001b[H"
const CLEAR_LINE_END = "\u001b[K"
