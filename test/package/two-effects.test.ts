import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, expect, it } from "vitest"
import { PACKAGE } from "../built.ts"
import { inRepository } from "../repository.ts"
import { makeProject, run } from "./consumer.ts"

const { directory, remove } = makeProject()
afterAll(remove)

const PROGRAM = `import { Effect, Stream } from "effect"
import { EventLog, Hindcast, Kernel } from "hindcast"

const story = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  const task = yield* kernel.tasks.open({ goal: "Be worked on by two copies" })
  yield* task.close("achieved")
  const events = yield* Stream.runCollect((yield* EventLog.EventLog).read({ taskId: task.id }))
  const refused = yield* Effect.flip(kernel.audit("nobody"))
  return [...[...events].map(({ type }) => type), refused._tag, import.meta.resolve("effect")]
})
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(story, Hindcast.layer({ log: "agent.db" })))))
`

it("a program with an Effect 3 of its own, another copy than Hindcast's, uses Hindcast's services and layers", () => {
  const modules = path.join(directory, "node_modules")
  fs.mkdirSync(modules)
  fs.symlinkSync(PACKAGE, path.join(modules, "hindcast"))
  for (const name of ["fast-check", "pure-rand", "@standard-schema"])
    fs.symlinkSync(inRepository("node_modules", name), path.join(modules, name))
  for (const part of ["package.json", "dist/esm", ...parts()])
    fs.cpSync(inRepository("node_modules", "effect", part), path.join(modules, "effect", part), { recursive: true })
  fs.writeFileSync(path.join(directory, "story.mjs"), PROGRAM)
  const answer: ReadonlyArray<string> = JSON.parse(run(directory, process.execPath, "story.mjs"))
  expect(answer.slice(0, -1)).toEqual(["TaskOpened", "TaskClosed", "TaskNotFound"])
  expect(answer.at(-1)).toContain(directory)
})

/** The directories by which `effect/Effect` and the like are found. */
const parts = (): ReadonlyArray<string> =>
  fs.readdirSync(inRepository("node_modules", "effect")).filter((name) => /^[A-Z]/.test(name) && name !== "LICENSE")
