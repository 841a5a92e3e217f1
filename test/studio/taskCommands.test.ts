import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { auditOf, exportsOf, rescoreOf } from "../../src/studio/page/screens/taskCommands.ts"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { append, EVIL, opening, reading } from "./browser/writing.ts"

const place = workplace()
afterAll(place.remove)

/** A name that a shell would read if it were not quoted. */
const NAMES = ["plain", `it's "$(touch owned)" & ${EVIL}`]
const chosen = { timeline: "main", tasks: NAMES, log: "log.db" }

beforeAll(async () => {
  for (const name of NAMES)
    await append(place.file("log.db"), name, [
      opening("look"),
      reading(1),
      { type: "TaskClosed", payload: { outcome: "failed" } },
    ])
  fs.copyFileSync(inRepository("examples", "rubrics", "mending.yaml"), place.file("rubric.yaml"))
})

/** Runs a command as somebody who pastes it into a shell. */
const paste = (command: string) =>
  promisify(execFile)("bash", ["-c", command.replaceAll("npx hindcast", `"${process.execPath}" "$HINDCAST"`)], {
    cwd: place.directory,
    env: { ...process.env, HINDCAST: MAIN },
  })

describe("the commands about several tasks", () => {
  it("can be pasted, whatever the tasks are called: audits, files of every kind, and scores", async () => {
    expect((await paste(auditOf(chosen))).stdout).toContain("plain")
    for (const { command } of exportsOf(chosen)) await paste(command)
    const audits = JSON.parse(fs.readFileSync(place.file("audits.json"), "utf8"))
    expect(JSON.stringify(audits)).toContain("plain")
    expect(fs.readFileSync(place.file("tasks.html"), "utf8")).toContain("<template")
    for (const [index, name] of NAMES.entries()) {
      const lines = fs
        .readFileSync(place.file(`events-${index + 1}.jsonl`), "utf8")
        .trim()
        .split("\n")
      expect(lines.map((line) => JSON.parse(line).taskId).filter((id) => id !== undefined)).toContain(name)
    }
    await paste(rescoreOf(chosen))
    const scored = await paste(auditOf(chosen).replace("audit", "audit --json"))
    expect(scored.stdout).toContain("mending")
    expect(fs.existsSync(path.join(place.directory, "owned"))).toBe(false)
  })

  it("name the timeline of tasks in a fork", () => {
    const commands = [auditOf, rescoreOf].map((of) => of({ ...chosen, timeline: "fork 1" }))
    for (const command of commands) expect(command).toContain("--timeline 'fork 1' --log log.db")
  })
})
