import { spawn } from "@lydell/node-pty"
import xterm from "@xterm/headless"
import { MAIN } from "../built.ts"
import type { Starting } from "./hindcast.ts"

/** What a terminal of a person shows, and how to type into it. */
export interface TerminalProgram {
  /** The lines of the screen, without the blanks at their ends. */
  readonly screen: () => ReadonlyArray<string>
  /** Types text, or keys as terminals send them: see `KEYS`. */
  readonly type: (text: string) => void
  /** Waits until the screen shows something, or is as it is to be; answers its lines. */
  readonly shows: (
    wanted: string | RegExp | ((lines: ReadonlyArray<string>) => boolean),
  ) => Promise<ReadonlyArray<string>>
  /** Which of a terminal's two screens is used, and whether the cursor is hidden. */
  readonly isOwnScreen: () => boolean
  readonly resize: (columns: number, rows: number) => void
  readonly kill: (signal: string) => void
  readonly ended: Promise<number>
}

export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  home: "\u001b[H",
  end: "\u001b[F",
}

/** Runs the program in a terminal of 80 × 24, or of other columns: a real one, of the operating system, read by xterm's own parser. */
export const inTerminal = (
  args: ReadonlyArray<string>,
  { cwd, env = {}, columns = 80 }: Pick<Starting, "cwd" | "env"> & { readonly columns?: number } = {},
): TerminalProgram => {
  const emulator = new xterm.Terminal({ cols: columns, rows: 24, allowProposedApi: true })
  const program = spawn(process.execPath, [MAIN, ...args], {
    name: "xterm-256color",
    cols: columns,
    rows: 24,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, HINDCAST_LOG: undefined, NO_COLOR: undefined, ...env },
  })
  const waiting = new Set<() => void>()
  program.onData((data) => emulator.write(data, () => waiting.forEach((look) => look())))
  const screen = () => {
    const { active } = emulator.buffer
    return Array.from(
      { length: emulator.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true, 0, emulator.cols) ?? "",
    )
  }
  const ended = new Promise<number>((resolve) => {
    // The last output is parsed before the end is told.
    program.onExit(({ exitCode }) => emulator.write("", () => resolve(exitCode)))
  })
  return {
    screen,
    type: (text) => program.write(text),
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const lines = screen()
          if (!isShown(wanted, lines)) return false
          waiting.delete(look)
          resolve(lines)
          return true
        }
        if (look()) return
        waiting.add(look)
        void ended.then(
          () => look() || reject(new Error(`it ended before it showed ${wanted}:\n${screen().join("\n")}`)),
        )
      }),
    isOwnScreen: () => emulator.buffer.active.type === "alternate",
    resize: (columns, rows) => {
      emulator.resize(columns, rows)
      program.resize(columns, rows)
    },
    kill: (signal) => program.kill(signal),
    ended,
  }
}

const isShown = (wanted: Parameters<TerminalProgram["shows"]>[0], lines: ReadonlyArray<string>): boolean => {
  if (typeof wanted === "function") return wanted(lines)
  const text = lines.join("\n")
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)
}
