import { spawn } from "node:child_process"
import { afterAll, describe, expect, it } from "vitest"
import "../built.ts"
import { document, hindcast } from "../cli/hindcast.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

/** Runs the program that trains learners; `until` kills it once it is true. */
const train = (args: ReadonlyArray<string>, until?: () => Promise<boolean>) =>
  new Promise<{ readonly code: number | null; readonly lines: ReadonlyArray<string>; readonly stderr: string }>(
    (resolve, reject) => {
      const child = spawn(process.execPath, [inRepository("examples", "learners", "train.mjs"), ...args])
      let [stdout, stderr, over] = ["", "", false]
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text
      })
      child.on("error", reject)
      child.on("close", (code) => {
        over = true
        resolve({ code, lines: stdout.trim().split("\n"), stderr })
      })
      const watch = async (): Promise<void> => {
        if (over || until === undefined) return
        if (await until()) child.kill("SIGKILL")
        else return watch()
      }
      watch().catch(reject)
    },
  )

const closed = async (log: string): Promise<number> => {
  const { code, stdout } = await hindcast([
    "log",
    "ls",
    "--type",
    "TaskClosed",
    "--json",
    "--limit",
    "1000",
    "--log",
    log,
  ])
  return code === 0 ? stdout.split('"TaskClosed"').length - 1 : 0
}

const knowledgeIn = ({ lines }: { readonly lines: ReadonlyArray<string> }): unknown =>
  JSON.parse(lines[0] ?? "").knowledge

describe("examples/learners/train.mjs", { timeout: 240_000 }, () => {
  const log = place.file("whole.db")

  it("learns from the log, evaluates without exploration, and shows it as agents of their own", async () => {
    const done = await train(["bandit", "--log", log, "--episodes", "14", "--evaluate", "4"])
    expect([done.code, done.stderr]).toEqual([0, ""])
    const { pulls } = knowledgeIn(done) as { readonly pulls: ReadonlyArray<number> }
    expect(pulls.reduce((sum, count) => sum + count, 0)).toBe(14)
    expect(JSON.parse(done.lines[1] ?? "")).toMatchObject({ run: "bandit-1", evaluations: 4 })
    const { tasks } = (await document(["task", "ls", "--log", log])) as {
      readonly tasks: ReadonlyArray<{ readonly agent: string }>
    }
    const agents = tasks.map(({ agent }) => agent)
    expect(agents.filter((agent) => agent === "bandit@1")).toHaveLength(14)
    expect(agents.filter((agent) => agent === "bandit-greedy@1")).toHaveLength(4)
    // Called again, it finds everything in the log, and plays nothing.
    const again = await train(["bandit", "--log", log, "--episodes", "14", "--evaluate", "4"])
    expect(again.lines).toEqual(done.lines)
    expect(await closed(log)).toBe(18)
  })

  it("continues after kill -9, and ends with the knowledge of a learner that nobody stopped", async () => {
    const killed = place.file("killed.db")
    const stopped = await train(
      ["bandit", "--log", killed, "--episodes", "14"],
      async () => (await closed(killed)) >= 5,
    )
    expect(stopped.code).toBeNull()
    const done = await train(["bandit", "--log", killed, "--episodes", "14"])
    expect([done.code, done.stderr]).toEqual([0, ""])
    const whole = await train(["bandit", "--log", log, "--episodes", "14"])
    expect(knowledgeIn(done)).toEqual(knowledgeIn(whole))
    expect(await closed(killed)).toBe(14)
  })

  it("forks a learner: another run begins with what this one knew after some episodes", async () => {
    const { lines, code } = await train([
      "bandit",
      "--log",
      log,
      "--run",
      "fork",
      "--from",
      "bandit-1:8",
      "--episodes",
      "2",
      "--seed",
      "9",
    ])
    const { pulls } = knowledgeIn({ lines }) as { readonly pulls: ReadonlyArray<number> }
    expect([code, pulls.reduce((sum, count) => sum + count, 0)]).toEqual([0, 10])
    const far = await train(["bandit", "--log", log, "--run", "far", "--from", "bandit-1:80", "--episodes", "2"])
    expect([far.code, far.stderr]).toEqual([1, expect.stringContaining("the log has no 80 episodes of bandit-1")])
  })

  it.each([
    [["nobody"], "expected a learner (q-learning, sarsa, bandit, policy-gradient), found nobody"],
    [["__proto__"], "expected a learner (q-learning, sarsa, bandit, policy-gradient), found __proto__"],
    [["bandit", "--episodes", "none"], "--episodes: expected a whole number, 1 or more, found none"],
  ])("refuses %j before it opens a log", async (args, expected) => {
    const { code, stderr } = await train([...args, "--log", place.file("refused.db")])
    expect([code, stderr]).toEqual([1, expect.stringContaining(expected)])
  })

  it("acts greedily in the command line too, from the record", async () => {
    const env = { LEARNER: "bandit", LEARNER_LOG: log, LEARNER_EPISODES: "14" }
    const agent = inRepository("examples", "learners", "greedy.mjs")
    const args = [
      "run",
      "--agent",
      agent,
      "--plugin",
      inRepository("packages", "worlds", "blackjack"),
      "--goal",
      "Win",
      "--log",
      log,
    ]
    const { code, stdout } = await hindcast([...args, "--json", "--sandbox", "flags"], { env })
    expect([code, JSON.parse(stdout).agent]).toEqual([0, "bandit-greedy@1"])
  })
})
