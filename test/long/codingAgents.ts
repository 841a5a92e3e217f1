/** The real programs of coding agents, each with a home of its own. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll } from "vitest"
import * as HeadlessClient from "../../src/hooks/check/HeadlessClient.ts"
import * as ScriptedModel from "../../src/hooks/check/ScriptedModel.ts"
import { start } from "../cli/hindcast.ts"
import { fetchedModules } from "../fetched.ts"
import { inRepository } from "../repository.ts"

/** Where each program is in its packages. Packages that were fetched ran no scripts, which two need for their `bin`. */
const PROGRAMS = {
  claude: "@anthropic-ai/claude-code-linux-x64/claude",
  codex: "@openai/codex/bin/codex.js",
  gemini: "@google/gemini-cli/bundle/gemini.js",
  copilot: "@github/copilot/npm-loader.js",
  opencode: "opencode-linux-x64/bin/opencode",
  acpx: "acpx/dist/cli.js",
  qwen: "@qwen-code/qwen-code/cli-entry.js",
}

/** The systems that they run on here. */
export const RUNS_HERE = process.platform === "linux" && process.arch === "x64"

/** An agent's run against a scripted model. */
interface Scripted {
  readonly program: string
  readonly args: (prompt: string) => ReadonlyArray<string>
  readonly variables: Readonly<Record<string, string>>
  readonly requests: ScriptedModel.ScriptedModel["requests"]
}

/** Fetches the programs before the tests of a file. Returns a function that makes homes. */
export const codingAgents = () => {
  // Gemini CLI reads no settings below a directory that others may write, such as the one for temporary files.
  const root = fs.mkdtempSync(path.join(inRepository("node_modules"), ".cache", "hindcast-agents-"))
  afterAll(() => fs.rmSync(root, { recursive: true, force: true }))
  const bin = path.join(root, "bin")
  beforeAll(() => {
    const modules = fetchedModules("test/coding-agents")
    fs.mkdirSync(bin)
    for (const [name, file] of Object.entries(PROGRAMS)) fs.symlinkSync(path.join(modules, file), path.join(bin, name))
  }, 600_000)

  /** A home, a project and a hook store of its own. */
  return (name: string) => {
    const home = path.join(root, name)
    const project = path.join(home, "project")
    fs.mkdirSync(project, { recursive: true })
    const env = {
      HOME: home,
      PATH: `${bin}${path.delimiter}${process.env.PATH}`,
      HINDCAST_STATE: path.join(home, "state"),
      XDG_CONFIG_HOME: path.join(home, ".config"),
      XDG_DATA_HOME: path.join(home, ".local", "share"),
      XDG_STATE_HOME: path.join(home, ".local", "state"),
      XDG_CACHE_HOME: path.join(home, ".cache"),
    }
    const hindcast = (...args: ReadonlyArray<string>) => start(args, { cwd: project, env }).ended
    /** Runs an agent once in the project, with a model that calls its shell with these lines. */
    const runs = (agent: string, prompt: string, lines: ReadonlyArray<string>): Promise<string> =>
      scripted(agent, lines, ({ program, args, variables }) =>
        // opencode works where PWD says.
        ended(path.join(bin, program), args(prompt), project, { ...process.env, ...env, PWD: project, ...variables }),
      )
    /** Runs `hindcast` with words that start an agent, whose model is such a one. */
    const starts = (agent: string, lines: ReadonlyArray<string>, words: (own: Scripted) => ReadonlyArray<string>) =>
      scripted(agent, lines, async (own) => {
        const said = await start(words(own), { cwd: project, env: { ...env, ...own.variables } }).ended
        return { ...said, requests: own.requests() }
      })
    const scripted = async <A>(agent: string, lines: ReadonlyArray<string>, work: (own: Scripted) => Promise<A>) => {
      const client = HeadlessClient.named(agent)
      if (client === undefined) throw new Error(`expected one of the headless clients, found ${agent}`)
      const model = await ScriptedModel.start(lines.map((line) => ({ tool: client.tool, args: client.args(line) })))
      try {
        const { env: own, files = {} } = client.run(model.url, "")
        const directory = fs.mkdtempSync(path.join(home, "run-"))
        for (const [file, content] of Object.entries(files))
          fs.writeFileSync(path.join(directory, file), JSON.stringify(content))
        const variables = Object.fromEntries(
          Object.entries(own).map(([key, value]) => [key, value.replaceAll(HeadlessClient.DIRECTORY, directory)]),
        )
        const args = (prompt: string) => client.run(model.url, prompt).args
        return await work({ program: client.program, args, variables, requests: model.requests })
      } finally {
        await model.close()
      }
    }
    return { home, project, variables: env, hindcast, runs, starts }
  }
}

const ended = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env, timeout: 180_000 }, (_, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}`),
    )
    child.stdin?.end()
  })
