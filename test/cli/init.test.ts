import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { transformSync } from "esbuild"
import { describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { run } from "./fromSource.ts"

const place = workplace()
let made = 0

const create = async (...options: ReadonlyArray<string>) => {
  const directory = place.file(`desk-${++made}`)
  const said = await run(["init", directory, ...options, "--json"])
  return { directory, said, document: said.code === 0 ? JSON.parse(said.stdout) : undefined }
}

const textOf = (directory: string, file: string) => fs.readFileSync(path.join(directory, file), "utf8")

/** Puts the packages where npm would, and runs a program of the project. */
const installed = (directory: string) => {
  const modules = path.join(directory, "node_modules")
  fs.mkdirSync(modules)
  fs.symlinkSync(inRepository(), path.join(modules, "hindcast"))
  fs.symlinkSync(inRepository("node_modules", "zod"), path.join(modules, "zod"))
}

/** Runs a program of the project, without its types: not every Node runs TypeScript. */
const running = (directory: string, file: string, ...args: ReadonlyArray<string>) => {
  for (const source of ["agent", "agent.test"]) {
    const { code } = transformSync(textOf(directory, `${source}.ts`), { loader: "ts", format: "esm" })
    fs.writeFileSync(path.join(directory, `${source}.mjs`), code.replace("./agent.ts", "./agent.mjs"))
  }
  const program = path.join(directory, file)
  return spawnSync(process.execPath, [...args, program], { cwd: directory, encoding: "utf8", input: "" })
}

/** Answers the question of the project's agent with a no, as the project's own program does. */
const REFUSES = `import { GOAL, makeAgent, openDesk, recorded } from "./agent.mjs"
const hindcast = await openDesk("refused.db")
const refusing = (async () => {
  for await (const { confirmationId, shownDigest } of hindcast.confirmations.follow())
    await hindcast.confirmations.decide(confirmationId, { approved: false, by: "me", channel: "terminal", shownDigest })
})()
const { outcome, acting } = await hindcast.tasks.run(makeAgent(await recorded()), { goal: GOAL })
await hindcast.close()
await refusing
console.log(outcome + ", " + acting.denied + " denied")
`

describe("hindcast init", () => {
  it("writes a project whose test passes", async () => {
    const { directory, document } = await create("--name", "umbrellas")
    expect(document).toMatchObject({ name: "umbrellas", model: null, gate: "ask" })
    expect([...document.files].sort()).toEqual(
      [".gitignore", "README.md", "agent.test.ts", "agent.ts", "cassettes/umbrella.json"].concat([
        "hindcast.gate.yaml",
        "package.json",
        "rubric.yaml",
        "tsconfig.json",
      ]),
    )
    const { name, dependencies } = JSON.parse(textOf(directory, "package.json"))
    expect(name).toBe("umbrellas")
    const { version } = JSON.parse(fs.readFileSync(inRepository("node_modules", "zod", "package.json"), "utf8"))
    // The cassette contains the schemas that this zod makes.
    expect(dependencies.zod).toBe(version)
    expect(path.resolve(fs.realpathSync(directory), dependencies.hindcast.slice("file:".length))).toBe(
      path.resolve(inRepository()),
    )
    installed(directory)
    const tested = running(directory, "agent.test.mjs", "--test")
    expect(tested.stdout).toContain("pass 1")
    expect(tested.status).toBe(0)
  })

  it("writes a project whose agent also takes a no for an answer", async () => {
    const { directory } = await create()
    installed(directory)
    fs.writeFileSync(path.join(directory, "refuses.mjs"), REFUSES)
    const { stdout, stderr } = running(directory, "refuses.mjs")
    expect({ stdout, stderr }).toEqual({ stdout: "achieved, 1 denied\n", stderr: "" })
  })

  it("gives a project without confirmations a test that expects none", async () => {
    const { directory } = await create("--gate", "allow")
    expect(textOf(directory, "README.md")).not.toContain("asks you")
    installed(directory)
    const tested = running(directory, "agent.test.mjs", "--test")
    expect(tested.stdout).toContain("pass 1")
    const started = running(directory, "agent.mjs")
    expect(started.stdout).toContain("The task ended as achieved.")
    // A rubric and a gate that commands accept.
    const log = path.join(directory, "agent.db")
    const scored = await run(["rescore", "--rubric", path.join(directory, "rubric.yaml"), "--log", log])
    expect(scored).toMatchObject({ code: 0, stdout: expect.stringContaining("1 of 1") })
    const rules = path.join(directory, "hindcast.gate.yaml")
    expect(await run(["gate", "try", "--rules", rules, "--log", log])).toMatchObject({ code: 0 })
  })

  it("names the wanted model, and its provider's package", async () => {
    const { directory, document } = await create("--model", "openai/gpt-5")
    expect(document.model).toBe("openai/gpt-5")
    expect(textOf(directory, "agent.ts")).toContain('process.env.MODEL ?? "openai/gpt-5"')
    expect(JSON.parse(textOf(directory, "package.json")).dependencies["@ai-sdk/openai"]).toBe("^3.0.0")
    expect(textOf(directory, "README.md")).not.toContain("recorded answers, which")
    const [, schema = ""] = /\$schema=(\S+)/.exec(textOf(directory, "hindcast.gate.yaml")) ?? []
    expect(fs.existsSync(inRepository(schema.replace("./node_modules/hindcast/", "")))).toBe(true)
  })

  it("refuses a directory that has files, and names that npm refuses", async () => {
    const taken = place.file("taken")
    fs.mkdirSync(taken)
    fs.writeFileSync(path.join(taken, "mine.txt"), "mine")
    const full = await run(["init", taken])
    expect(full.code).toBe(1)
    expect(full.error).toContain("expected a new or an empty directory, found mine.txt in it")
    expect(fs.readdirSync(taken)).toEqual(["mine.txt"])
    const named = await create("--name", "../up")
    expect(named.said.code).toBe(1)
    expect(fs.existsSync(named.directory)).toBe(false)
    const unknown = await create("--model", "anthropc/claude")
    expect(unknown.said).toMatchObject({ code: 1, error: expect.stringContaining("anthropic") })
    expect(fs.existsSync(unknown.directory)).toBe(false)
    const gated = await create("--gate", "perhaps")
    expect(gated.said).toMatchObject({ code: 1, error: expect.stringContaining("one of ask, allow") })
  })
})
