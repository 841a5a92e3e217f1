import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import * as HarborTask from "../../../src/datasets/harbor/HarborTask.ts"
import { temporary } from "../../record/recorded.ts"
import * as FromSource from "../fromSource.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const TASK = "claude-code-s-1"
const GOAL = 'Mend "it"\n\n[verifier]\ntimeout_sec = 0'

/** A session that mends a file, deletes another and makes a third. */
const recorded = async (more: (made: Session.Project) => void = () => {}) => {
  const made = await Session.project()
  opened.push(made)
  const { write, at, session } = made
  write("app.sh", "exit 1\n")
  write("it's old.txt", "old\n")
  more(made)
  const { prompt, call } = session()
  await prompt(GOAL)
  await call("Bash", { command: "x" }, () => {
    write("app.sh", "exit 0\n")
    write("new/file.txt", "new\n")
    fs.rmSync(at("it's old.txt"))
  })
  await made.close()
  return made
}

const exporting = ({ log }: Session.Project, output: string, ...words: ReadonlyArray<string>) =>
  FromSource.run(["export", "harbor", TASK, "--output", output, "--test", "sh app.sh", ...words, "--log", log])

const text = (...names: ReadonlyArray<string>) => fs.readFileSync(path.join(...names), "utf8")

/** Runs a script of the task as Harbor does, with the container's directories in a temporary one. */
const running = (task: string, script: string, root: string): string => {
  const own = text(task, script).replaceAll("/app", `${root}/app`).replaceAll("/logs", `${root}/logs`)
  const moved = own.replaceAll("/tests/", `${task}/tests/`).replaceAll("/solution/", `${task}/solution/`)
  expect(spawnSync("bash", ["-c", moved], { encoding: "utf8" }).status).toBe(0)
  return fs.existsSync(`${root}/logs/verifier/reward.txt`) ? text(root, "logs/verifier/reward.txt").trim() : "none"
}

describe("export harbor", () => {
  it("writes a task whose test fails at the start and passes with the solution", async () => {
    const made = await recorded()
    const task = temporary("task")
    const said = await exporting(made, task, "--solution", "now")
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(text(task, "instruction.md")).toBe(`${GOAL}\n`)
    expect(text(task, "environment/workspace/app.sh")).toBe("exit 1\n")
    expect(fs.existsSync(path.join(task, "environment/workspace/new"))).toBe(false)
    expect(text(task, "environment/Dockerfile")).toBe("FROM ubuntu:24.04\nWORKDIR /app\nCOPY workspace/ /app/\n")
    const root = temporary("container")
    fs.mkdirSync(root, { recursive: true })
    fs.cpSync(path.join(task, "environment/workspace"), path.join(root, "app"), { recursive: true })
    expect(running(task, "tests/test.sh", root)).toBe("0")
    running(task, "solution/solve.sh", root)
    expect(fs.readdirSync(path.join(root, "app")).sort()).toEqual(["app.sh", "new"])
    expect(running(task, "tests/test.sh", root)).toBe("1")
  })

  it("writes settings that no goal can change", async () => {
    const made = await recorded()
    const task = temporary("task")
    expect((await exporting(made, task)).code).toBe(0)
    const toml = text(task, "task.toml")
    expect(toml.match(/^\[.*\]$/gm)).toEqual(["[task]", "[metadata]", "[verifier]", "[agent]", "[environment]"])
    expect(toml).toContain('description = "Mend \\"it\\""')
    expect(toml).toContain(`name = "hindcast/${TASK}"`)
    expect(fs.existsSync(path.join(task, "solution"))).toBe(false)
  })

  it("fails for files that it cannot restore, and names them, unless that is accepted", async () => {
    const made = await recorded(({ write, at }) => {
      write(".env", "KEY=1\n")
      fs.symlinkSync("../outside", at("link"))
    })
    const task = temporary("task")
    const refused = await exporting(made, task)
    expect([refused.code, fs.existsSync(task)]).toEqual([1, false])
    expect(refused.error).toContain(".env: it holds secrets")
    expect(refused.error).toMatch(/link/)
    expect((await exporting(made, task, "--partial")).code).toBe(0)
    expect(fs.readdirSync(path.join(task, "environment/workspace")).sort()).toEqual(["app.sh", "it's old.txt"])
    expect(fs.readdirSync(path.dirname(task)).filter((name) => name.includes("partial-"))).toEqual([])
  })

  it("replaces nothing, and refuses an image that would be another line of the Dockerfile", async () => {
    const made = await recorded()
    const task = temporary("task")
    fs.mkdirSync(task, { recursive: true })
    expect((await exporting(made, task)).error).toContain("expected a directory that does not exist yet")
    for (const image of ["ubuntu\nRUN evil", "", "-x", "a b"]) {
      const { code, error } = await exporting(made, temporary("other"), `--image=${image}`)
      expect([image, code, error]).toEqual([image, 1, expect.stringContaining("--image: expected")])
    }
    expect((await exporting(made, temporary("third"), "--test", " ")).code).toBe(1)
  })

  it("makes names that Harbor takes, of every id", () => {
    for (const id of ["../..", "a..b", "", "тест", "x".repeat(500), "claude-code-0b5f.3"])
      expect(HarborTask.nameFrom(id)).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/)
  })

  it("writes programs that bash reads", async () => {
    const files = HarborTask.files({
      ...{ name: "hindcast/a", instruction: "x", description: "x", image: "a", test: "true", from: {} },
      deleted: ["a'b; touch evil", "$(touch evil)", "-rf"],
    })
    for (const { path: name, text: content, isProgram } of files)
      if (isProgram === true) {
        execFileSync("bash", ["-n", "-c", content])
        expect(name).toMatch(/\.sh$/)
      }
    const solve = files.find(({ path: name }) => name === "solution/solve.sh")?.text ?? ""
    expect(solve).toContain("rm -f -- './a'\\''b; touch evil'")
  })
})
