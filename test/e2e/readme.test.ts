import { execFile, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as ts from "typescript"
import { describe, expect } from "vitest"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { KEY, mockServer } from "../agents/models/servers.ts"
import { PACKAGE } from "../built.ts"
import { eventsOf } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

const read = (page: string) => fs.readFileSync(inRepository(page), "utf8")
const readme = read("README.md")
const guide = read("docs/guides/embed-in-a-program.md")
const byHand = read("docs/guides/write-a-plugin-by-hand.md")

/** The code that the guide tells people to embed: by Effect, and by promises. */
const [byEffect = "", byPromises = ""] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? "")

describe.each([
  { by: "README, by promises", example: /```js desk.mjs\n([\s\S]*?)```/.exec(readme)?.[1] ?? "", most: 25 },
  { by: "the guide, by promises", example: byPromises, most: 15 },
  { by: "the guide, by Effect", example: byEffect, most: 20 },
])("the embedding of $by", ({ example, most }) => {
  it(`is at most ${most} lines`, () => {
    const lines = example.split("\n").filter((line) => line.trim() !== "")
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.length).toBeLessThanOrEqual(most)
  })

  it.scopedLive("compiles under the strictest options, and runs as it stands", () =>
    Effect.gen(function* () {
      const directory = yield* insideThePackage
      const source = path.join(directory, "example.ts")
      fs.writeFileSync(source, example)
      const compiled = ts.createProgram([source], { ...options(), noEmit: true }, parsingOnce)
      const problems = ts
        .getPreEmitDiagnostics(compiled)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
      expect(problems).toEqual([])
      // It is JavaScript as it stands: what people save as a file of JavaScript.
      const program = path.join(directory, "example.mjs")
      fs.writeFileSync(program, example)

      const workplace = yield* temporaryDirectory
      fs.mkdirSync(path.join(workplace, "node_modules"))
      fs.symlinkSync(PACKAGE, path.join(workplace, "node_modules", "hindcast"))
      const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
        cwd: workplace,
        encoding: "utf8",
      })
      expect(stderr).toBe("")
      expect(status).toBe(0)
      expect(stdout.trim()).toBe(/^\/\/ prints: (.*)$/m.exec(example)?.[1])
      const [, log = ""] = /log: "(\w+\.db)"/.exec(example) ?? []
      expect(fs.existsSync(path.join(workplace, log))).toBe(true)
    }),
  )
})

describe("the README's recording", () => {
  it.scopedLive("is three lines, which record what the client of OpenAI asks", () =>
    Effect.gen(function* () {
      const [, example = ""] = /## 1. Gate and record the agent[\s\S]*?```js\n([\s\S]*?)```/.exec(readme) ?? []
      const [recording, client, end, ...others] = example.trim().split("\n")
      expect(others).toEqual([])
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "Good morning." })
      const directory = yield* insideThePackage
      const program = path.join(directory, "recorded.mjs")
      const asking = `await openai.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content: "hello" }] })`
      const imports = [`import { record } from "hindcast/record"`, `import OpenAI from "openai"`]
      fs.writeFileSync(program, [...imports, recording, client, asking, end].join("\n"))
      const env = { ...process.env, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${mock.url}/v1` }
      yield* Effect.promise(() => promisify(execFile)(process.execPath, [program], { cwd: directory, env }))
      const events = yield* Effect.promise(() => eventsOf(path.join(directory, "agent.db")))
      expect(events.find(({ type }) => type === "ModelResponded")?.payload.response).toMatchObject({
        parts: [{ type: "text", text: "Good morning." }],
      })
      expect(events.find(({ type }) => type === "TaskClosed")?.payload).toMatchObject({ outcome: "achieved" })
    }),
  )
})

describe("the plugin by hand", () => {
  it.scopedLive("loads, counts and earns its reward", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const plugin = path.join(directory, "counter")
      fs.mkdirSync(plugin)
      fs.writeFileSync(path.join(plugin, "looper-plugin.json"), /```json\n([\s\S]*?)```/.exec(byHand)?.[1] ?? "")
      fs.writeFileSync(path.join(plugin, "entry.ts"), /```json\n[\s\S]*?```js\n([\s\S]*?)```/.exec(byHand)?.[1] ?? "")
      const options = { log: path.join(directory, "log.db"), workspace: directory, plugins: [plugin] }
      const layer = Hindcast.layer({ ...options, host: { consent: "flags" } })
      const audit = yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "count" })
        for (const _ of [1, 2, 3]) yield* task.act("counter/add")
        yield* task.perceive()
        yield* task.close("achieved")
        return yield* kernel.audit(task.id)
      }).pipe(Effect.provide(layer))
      expect(audit.scores[0]).toMatchObject({ earned: 1, unscored: [] })
    }),
  )
})

/** A directory from which `hindcast` is found as an embedding program finds it: through the package's own exports. */
const insideThePackage = Effect.acquireRelease(
  Effect.sync(() => {
    fs.mkdirSync(inRepository(".hindcast"), { recursive: true })
    return fs.mkdtempSync(inRepository(".hindcast", "readme-"))
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
)

const options = (): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(inRepository("tsconfig.json"), ts.sys.readFile)
  const { paths: _ours, rewriteRelativeImportExtensions: _rewrite, ...rest } = config.compilerOptions
  return { ...ts.convertCompilerOptionsFromJson(rest, PACKAGE).options, skipLibCheck: true }
}

/** Reads what the examples import once for both. */
const parsingOnce: ts.CompilerHost = (() => {
  const host = ts.createCompilerHost(options())
  const parsed = new Map<string, ts.SourceFile | undefined>()
  return {
    ...host,
    getSourceFile: (name, ...rest) => {
      if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, ...rest))
      return parsed.get(name)
    },
  }
})()
