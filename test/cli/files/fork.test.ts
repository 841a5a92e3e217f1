import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { temporary } from "../../record/recorded.ts"
import * as Hindcast from "../hindcast.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** A session with two prompts, whose second call breaks a file, in a project with a secret and an ignored directory. */
const broken = async () => {
  const made = await Session.project()
  opened.push(made)
  const { write, session, close, json } = made
  write("app.txt", "good\n")
  write(".env", "KEY=1\n")
  write(".gitignore", "node_modules\n")
  write("node_modules/lib/index.js", "1\n")
  const { prompt, call } = session()
  await prompt("improve it")
  await call("Write", { file_path: "b.txt" }, () => write("b.txt", "b\n"))
  await prompt("simplify it")
  await call("Bash", { command: "break it" }, () => write("app.txt", "broken\n"))
  await close()
  const { versions } = await json("history", "b.txt")
  return { ...made, good: `@${versions.at(-1).position}` }
}

interface Version {
  readonly kind: string
  readonly cause: string
  readonly timeline: string
}

describe("files fork", () => {
  it("restores the files of the moment, writes the conversation up to it, and prints the command", async () => {
    const { files, good, at } = await broken()
    const into = temporary("forked")
    const said = await files("fork", good, "--into", into, "--model", "opus", "--prompt", "go on")
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(fs.readFileSync(path.join(into, "app.txt"), "utf8")).toBe("good\n")
    expect(fs.readFileSync(path.join(into, "b.txt"), "utf8")).toBe("b\n")
    expect(fs.existsSync(path.join(into, ".env"))).toBe(false)
    expect(said.stdout).toContain(".env: it holds secrets")
    expect(said.stdout).toContain("node_modules")
    expect(said.stdout.split("\n").at(-2)).toBe(`cd ${into} && claude --model opus "$(cat ${into}.conversation.md)"`)
    const handover = fs.readFileSync(`${into}.conversation.md`, "utf8")
    expect(handover).toContain("> improve it")
    expect(handover).toContain("### Call of Write")
    expect(handover).toContain("## Now\n\ngo on")
    expect(handover).toContain("node_modules")
    expect(handover).not.toContain("simplify it")
    expect(handover).not.toContain("break it")
    expect(fs.statSync(`${into}.conversation.md`).mode & 0o777).toBe(0o600)
    expect(fs.readFileSync(at("app.txt"), "utf8")).toBe("broken\n")
  })

  it("copies what snapshots leave out", async () => {
    const { files, good } = await broken()
    const into = temporary("forked")
    await files("fork", good, "--into", into, "--copy", "node_modules")
    expect(fs.readFileSync(path.join(into, "node_modules/lib/index.js"), "utf8")).toBe("1\n")
  })

  it("runs a program in the directory with the conversation as its last argument, and names the session of it", async () => {
    const { log, root, good, reopen, session } = await broken()
    const into = temporary("forked")
    const program = `console.log(process.cwd(), process.argv[1].includes("improve it")); process.exit(7)`
    const { code, stdout, stderr } = await Hindcast.start(
      ["files", "fork", good, "--into", into, "--log", log, "--json", "--", process.execPath, "-e", program],
      { cwd: root },
    ).ended
    expect([code, stderr]).toEqual([7, `${into} true\n`])
    expect(JSON.parse(stdout)).toMatchObject({ at: Number(good.slice(1)), ran: { code: 7, tasks: [] } })
    await reopen()
    const { prompt, end } = session("s-2", into)
    await prompt("go on")
    await end()
    const [opening] = await Hindcast.listed(["--task", "claude-code-s-2", "--type", "TaskOpened", "--log", log])
    expect(opening).toMatchObject({
      payload: { forkedFrom: { taskId: "claude-code-s-1", timeline: "main", at: Number(good.slice(1)) } },
    })
    const elsewhere = session("s-3")
    await elsewhere.prompt("another one")
    await elsewhere.end()
    const [other] = await Hindcast.listed(["--task", "claude-code-s-3", "--type", "TaskOpened", "--log", log])
    expect(other?.payload).not.toHaveProperty("forkedFrom")
  })

  it("runs a recorded program on the files that it began with, where its calls run again", async () => {
    const root = temporary("program")
    fs.mkdirSync(root)
    const log = temporary("program.db")
    const server = http.createServer((_, response) => response.end("{}"))
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const asks = `await (await fetch("http://127.0.0.1:${port}")).text()`
    const notes = `require("node:fs").appendFileSync("notes.txt", "note ")`
    fs.writeFileSync(path.join(root, "agent.cjs"), `(async () => { ${notes}; ${asks}; ${notes}; ${asks} })()`)
    fs.writeFileSync(path.join(root, "notes.txt"), "first ")
    const into = temporary("forked")
    try {
      const program = ["--", "node", "agent.cjs"]
      const recording = ["record", "--log", log, "--workspace", root, ...program]
      expect(await Hindcast.start(recording, { cwd: root }).ended).toMatchObject({ code: 0 })
      const [answer] = await Hindcast.listed(["--type", "IoAnswered", "--log", log])
      const forking = ["files", "fork", `@${answer?.position}`, "--into", into, "--log", log]
      const named = await Hindcast.hindcast([...forking, "--run"], { cwd: root })
      expect([named.code, named.stderr]).toEqual([1, expect.stringContaining("expected a coding agent's session")])
      expect(fs.existsSync(into)).toBe(false)
      const forked = await Hindcast.start([...forking, ...program], { cwd: root }).ended
      expect([forked.code, forked.stderr]).toEqual([0, expect.stringContaining("on timeline fork-1")])
      expect(fs.readFileSync(path.join(into, "notes.txt"), "utf8")).toBe("first note note ")
      expect(fs.readFileSync(path.join(root, "notes.txt"), "utf8")).toBe("first note note ")
      const versions = ["files", "history", "notes.txt", "--at", "fork-1@now", "--json", "--log", log]
      const known = JSON.parse((await Hindcast.hindcast(versions, { cwd: into })).stdout).versions
      // What the calls before the moment did, nobody watched in the fork.
      const { size } = fs.statSync(path.join(into, "notes.txt"))
      expect(known.map(({ kind, cause, timeline }: Version) => [kind, cause, timeline])).toEqual([
        ["start", "start", "fork-1"],
        ["changed", "not-watched", "fork-1"],
      ])
      expect(known.at(-1)).toMatchObject({ size })
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  it.each([
    [
      "a missing program, before it writes",
      ["--", "no-such-agent"],
      "no-such-agent: expected a program on the PATH",
      3,
    ],
    ["an unknown client", ["--client", "vim"], "found vim", 1],
    ["a model beside a program's words", ["--model", "opus", "--", "node"], "--model: expected no program", 1],
    ["a path that is not there", ["--copy", "nowhere"], "--copy nowhere", 1],
  ])("refuses %s", async (_, words, message, code) => {
    const { files, good } = await broken()
    const into = temporary("forked")
    const said = await files("fork", good, "--into", into, ...words)
    expect([said.code, said.error]).toEqual([code, expect.stringContaining(message)])
    expect(fs.existsSync(into)).toBe(false)
  })

  it("refuses a directory with files, and one in a Git repository", async () => {
    const { files, good, root, at } = await broken()
    expect((await files("fork", good, "--into", root)).error).toContain("found a directory with files")
    fs.mkdirSync(at(".git"))
    fs.writeFileSync(at(".git/HEAD"), "ref: refs/heads/main\n")
    const said = await files("fork", good, "--into", at("inside"))
    expect(said).toMatchObject({ code: 1 })
    expect(said.error).toContain("expected a directory outside of every Git repository")
    expect(fs.existsSync(at("inside"))).toBe(false)
  })

  it("refuses a task that nobody recorded here, and one without files", async () => {
    const { files } = await broken()
    const { error, code } = await files("fork", "@1", "--task", "claude-code-s-1")
    expect([code, error]).toEqual([3, expect.stringContaining("Expected a task whose files were recorded")])
  })
})
