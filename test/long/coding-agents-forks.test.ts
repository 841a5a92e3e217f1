import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { codingAgents, RUNS_HERE } from "./codingAgents.ts"

const homeOf = codingAgents()

/** The shell lines of the session, and of the one that continues it from the moment after the first. */
const LINES = ["printf 'first\\ngood\\n' > value.txt", "sed -i s/good/bad/ value.txt"]
const [, BREAKS = ""] = LINES
const CONTINUES = ["pwd -P > where.txt", "echo more >> value.txt"]

/** Starts the agent in the fork: Claude Code as people do it, and Codex, which wants a terminal for that, by its own words. */
const AGENTS = {
  "claude-code": { model: "claude-haiku-4-5", words: () => ["--run", "--model", "claude-haiku-4-5"] },
  codex: {
    model: "gpt-5.4",
    words: (program: string, args: ReadonlyArray<string>) => {
      const own = args.slice(0, -1).map((word) => (word === "gpt-5.5" ? "gpt-5.4" : word))
      return ["--", program, ...own]
    },
  },
}

describe.skipIf(!RUNS_HERE)("a recorded session of the real program of", () => {
  it.each(Object.entries(AGENTS))(
    "%s continues from a moment in the restored directory, with the conversation so far and another model",
    async (agent, { model, words }) => {
      const { home, project, hindcast, runs, starts } = homeOf(`forks-${agent}`)
      fs.writeFileSync(path.join(project, "value.txt"), "good\n")
      const log = path.join(home, "sessions.db")
      const installed = await hindcast("hooks", "install", agent, "--log", log, "--no-check")
      expect([installed.code, installed.stderr]).toEqual([0, ""])
      if (agent === "claude-code") allowShell(home)
      const said = await runs(agent, "improve the value", LINES)
      expect([said, fs.readFileSync(path.join(project, "value.txt"), "utf8")]).toEqual([said, "first\nbad\n"])
      const history = await hindcast("files", "history", "value.txt", "--log", log, "--json")
      const { versions } = JSON.parse(history.stdout)
      const [, good] = versions
      expect(versions).toHaveLength(3)

      const forking = ["files", "fork", `@${good.position}`, "--log", log, "--json"]
      const named = ["--prompt", "go on without breaking it"]
      const forked = await starts(agent, CONTINUES, ({ program, args }) => [
        ...forking,
        ...named,
        ...words(program, args("")),
      ])
      expect([forked.stderr, forked.code]).toEqual([forked.stderr, 0])
      const { ran, directory } = JSON.parse(forked.stdout)
      onTestFinished(() => fs.rmSync(path.dirname(directory), { recursive: true, force: true }))
      expect(ran).toMatchObject({ code: 0, tasks: [expect.stringContaining(agent)] })

      const [first = ""] = forked.requests
      expect(JSON.parse(first)).toMatchObject({ model })
      const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
      for (const text of ["> improve the value", "### Call of", "printf", directory, "go on without breaking it"])
        expect(first).toContain(inJson(text))
      expect(first).not.toContain(BREAKS)

      expect(fs.readFileSync(path.join(directory, "where.txt"), "utf8")).toBe(`${directory}\n`)
      expect(fs.readFileSync(path.join(directory, "value.txt"), "utf8")).toBe("first\ngood\nmore\n")
      expect(fs.readFileSync(path.join(project, "value.txt"), "utf8")).toBe("first\nbad\n")
      const task = await hindcast("files", "blame", "value.txt:3", "--task", ran.tasks[0], "--log", log, "--json")
      expect(JSON.parse(task.stdout).versions[0].calls[0]).toMatchObject({ taskId: ran.tasks[0] })
    },
    400_000,
  )
})

/** Without a person, Claude Code refuses what no setting allows. */
const allowShell = (home: string) => {
  const file = path.join(home, ".claude", "settings.json")
  const settings = JSON.parse(fs.readFileSync(file, "utf8"))
  fs.writeFileSync(file, JSON.stringify({ ...settings, permissions: { allow: ["Bash"] } }))
}
