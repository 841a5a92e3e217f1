/** `hindcast step` on a task that failed: its failures, its rewards, its conversation, as Studio has them. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoLog } from "../demoLog.ts"
import { promoted } from "../studio/browser/tenLogs.ts"
import { hindcast } from "./hindcast.ts"
import { inTerminal, KEYS, type TerminalProgram } from "./terminal.ts"

const TASK = "task-0015"

let log: string
let directory: string
beforeAll(async () => {
  log = await demoLog(23, 7)
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-step-failed-"))
})
afterAll(() => fs.rmSync(directory, { recursive: true }))

const stepping = async (args: ReadonlyArray<string>, body: (terminal: TerminalProgram) => Promise<void>) => {
  const terminal = inTerminal(["step", ...args], { columns: 120 })
  try {
    await body(terminal)
  } finally {
    terminal.kill("SIGKILL")
  }
}

/** What a command prints as JSON. */
const told = async (args: ReadonlyArray<string>) => JSON.parse((await hindcast([...args, "--json"])).stdout)

interface Why {
  readonly moment: number
  readonly sentence: string
}

interface Tasks {
  readonly tasks: ReadonlyArray<{ readonly id: string }>
}

interface Scores {
  readonly scores: ReadonlyArray<{ readonly label: string; readonly net: number }>
}

describe("hindcast step on a failed task", () => {
  it("goes to the next and the previous failure", async () => {
    const { moment }: Why = await told(["why", TASK, "--log", log])
    await stepping([TASK, "--log", log], async (terminal) => {
      await terminal.shows("only task")
      terminal.type("b")
      await terminal.shows(/CommandDenied[\s\S]*A valve is never blocked/)
      terminal.type("bb")
      await terminal.shows(new RegExp(`main@${moment} of[\\s\\S]*CommandFailed`))
      terminal.type("BBB")
      await terminal.shows("Nothing failed before this.")
      terminal.type(`${KEYS.end}b`)
      await terminal.shows("Nothing fails after this.")
    })
  })

  it("leads to the worst moment with the explanation that `why` gives", async () => {
    const { moment, sentence }: Why = await told(["why", TASK, "--log", log])
    await stepping([TASK, "--log", log], async (terminal) => {
      await terminal.shows("only task")
      terminal.type("!")
      const lines = await terminal.shows(new RegExp(`main@${moment} of[\\s\\S]*\\[failure\\][\\s\\S]*failed here`))
      expect(lines.join(" ").replaceAll(/\s+/g, " ")).toContain(sentence.slice(0, 90))
      terminal.type(`${KEYS.home}m`)
      await terminal.shows(`main@${moment} of`)
    })
  })

  it("shows the score that --scores chooses, as the audit has it, and goes to its rewards", async () => {
    const file = await promoted(directory)
    const { scores }: Scores = await told(["audit", TASK, "--log", file])
    expect(scores.length).toBeGreaterThan(1)
    for (const { label, net } of scores) {
      const shown = String(Math.round(net * 1000) / 1000).replace("-", "−")
      await stepping([TASK, "--scores", label, "--log", file], async (terminal) => {
        await terminal.shows("only task")
        terminal.type("s")
        await terminal.shows((lines) => lines.includes(`${shown} by ${label}`))
        terminal.type("r")
        await terminal.shows(/\n▸ +[−0-9]/)
      })
    }
    // Without the option, the score that counts.
    await stepping([TASK, "--log", file], async (terminal) => {
      await terminal.shows("only task")
      terminal.type("s")
      await terminal.shows(/ by wordy\n/)
    })
  })
})

describe("hindcast step on a task of a model", () => {
  it("shows the conversation around the moment, steps by its items, and shows what the model saw", async () => {
    const file = path.join(directory, "coding.db")
    const { code, stderr } = await hindcast(["demo", "--log", file, "--directory", path.join(directory, "coding")])
    expect(code, stderr).toBe(0)
    const { tasks }: Tasks = await told(["task", "ls", "--all", "--log", file])
    const [task] = tasks.map(({ id }) => id).toReversed()
    await stepping([String(task), "--log", file], async (terminal) => {
      await terminal.shows("only task")
      terminal.type("a")
      await terminal.shows(/\[conversation\][\s\S]*\n▸ @\d+ goal/)
      terminal.type("n")
      await terminal.shows(/\n {2}@\d+ goal[\s\S]*\n▸ @\d+ /)
      terminal.type("p")
      await terminal.shows(/\n▸ @\d+ goal/)
      terminal.type("p")
      await terminal.shows("This is the first item of the conversation.")
      terminal.type("NN")
      await terminal.shows((lines) => !lines.some((line) => / goal/.test(line)))
      terminal.type("g")
      terminal.type(`event.type == "ModelResponded"${KEYS.enter}F`)
      await terminal.shows("ModelResponded")
      terminal.type("S")
      await terminal.shows(/\[saw\][\s\S]*system/)
    })
  })
})
