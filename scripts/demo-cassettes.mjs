/**
 * `node scripts/demo-cassettes.mjs`, after a build: writes the cassettes of `hindcast demo` from the hand-written turns
 * below, with the requests of the story without its crash. Run it when prompts have changed, and then
 * `npx biome check --write examples`.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Agent, Kernel } from "hindcast"

const dist = fileURLToPath(new URL("../dist", import.meta.url))
const load = (...names) => import(path.join(dist, ...names))
const story = ["cli", "examples", "demo", "story"]
const [Recorder, ScriptedTurns, Mending, Repository, Transcript] = await Promise.all([
  load("agents", "models", "CassetteRecorder.js"),
  load("agents", "models", "ScriptedTurns.js"),
  load(...story, "Mending.js"),
  load(...story, "Repository.js"),
  load(...story, "Transcript.js"),
])

const text = (words) => ({ type: "text", text: words })
const call = (callId, tool, args = {}) => ({ type: "call", callId, tool, args })

const code = fs.readFileSync(path.join(dist, "..", "examples", "coding-agent", "repository", "prices.mjs"), "utf8")
const tests = fs.readFileSync(
  path.join(dist, "..", "examples", "coding-agent", "repository", "prices.test.mjs"),
  "utf8",
)

const TURNS = {
  careful: [
    [text("I look at what the tests say."), call("look-1", "perceive")],
    [
      text("Ten pieces cost too much. I read the code and the tests."),
      call("read-1", "program__read_file", { path: "prices.mjs" }),
      call("read-2", "program__read_file", { path: "prices.test.mjs" }),
    ],
    [
      text("The comment says from ten pieces on, the code says more than ten. I fix the code."),
      call("write-1", "program__write_file", {
        path: "prices.mjs",
        content: code.replace("pieces > 10", "pieces >= 10"),
      }),
    ],
    [text("I look at the tests again."), call("look-2", "perceive")],
    [text("All tests pass: ten pieces cost a tenth less now, as the comment says.")],
  ],
  hasty: [
    [
      text("The test expects 900 and finds 1000. I make the test agree."),
      call("write-1", "program__write_file", {
        path: "prices.test.mjs",
        content: tests.replace('tenth less", 900', 'tenth less", 1000'),
      }),
    ],
    [call("look-2", "perceive")],
    [text("All tests pass.")],
  ],
}

/** Answers with a script's turns in order, without counting tokens. */
const script = (turns) => {
  const left = [...turns]
  return async () => {
    const parts = left.shift()
    if (parts === undefined) throw new Error("expected fewer requests than turns, found one more")
    const finish = parts.some(({ type }) => type === "call") ? "calls" : "stop"
    return new Response(JSON.stringify({ parts, finish, usage: { inputTokens: 0, outputTokens: 0 } }))
  }
}

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-cassettes-")))
const filename = path.join(directory, "log.db")

/** An agent with a scripted, recorded model. */
const recording = (name) => {
  const { model, cassette } = Mending.scripted(name)
  const recorder = Recorder.make(cassette, { kind: "scripted", fetch: script(TURNS[name]) })
  const scripted = ScriptedTurns.over(model.slice(model.indexOf("/") + 1), recorder.fetch)
  return { model: scripted, save: recorder.save }
}

/** Lets an agent work on a copy of the repository without confirmations. */
const working = (name, work) =>
  Effect.gen(function* () {
    const { model, save } = recording(name)
    const guide = yield* Agent.Guide.load(Mending.GUIDE)
    const copy = yield* Repository.copyInto(directory, name)
    const place = { filename, directory: copy }
    const user = { actor: "program:cassettes", owner: "cassettes" }
    const kernel = Mending.kernel(user, place, { default: "allow" })
    const done = yield* Effect.provide(
      Effect.flatMap(Kernel.Kernel, (kernel) => work(kernel, Agent.fromModel({ model, guide }))),
      kernel,
    )
    yield* save
    fs.chmodSync(Mending.scripted(name).cassette, 0o644)
    return done
  })

await Effect.runPromise(
  Effect.gen(function* () {
    const { taskId, at } = yield* working("careful", (kernel, agent) =>
      Effect.gen(function* () {
        const { taskId } = yield* kernel.tasks.run(agent, { goal: Mending.GOAL, plugins: Mending.PLUGINS })
        const events = yield* Transcript.of(taskId)
        const written = events.find(
          ({ type, payload }) => type === "ActuatorCommanded" && payload.actuator === Mending.WRITE_FILE,
        )
        return { taskId, at: Transcript.beforeDeciding(events, written.position) }
      }),
    )
    yield* working("hasty", (kernel, agent) => kernel.fork(agent, { at, task: taskId, acceptUnrewound: true }))
  }),
).finally(() => fs.rmSync(directory, { recursive: true, force: true }))
