/**
 * `node scripts/project-cassette.mjs`, after a build: writes the cassette of the project that `hindcast init` makes, from the
 * turns below: what follows a yes, and what follows a no. Run it when the project's prompt, goal or tools have changed, or
 * its zod.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const load = (...names) => import(path.join(root, "dist", ...names))
const Recorder = await load("agents", "models", "CassetteRecorder.js")
const ScriptedTurns = await load("agents", "models", "ScriptedTurns.js")
const { Effect } = await import("effect")

const text = (words) => ({ type: "text", text: words })
const call = (callId, tool, args) => ({ type: "call", callId, tool, args })

const ASKING = [
  [text("I look the order up."), call("look-1", "program__order", { id: 7 })],
  [
    text("Order 7 is an umbrella for 20 euros. It arrived broken, so Ada gets her money back."),
    call("pay-1", "program__refund", { id: 7, euros: 20 }),
  ],
]
const AFTER = {
  yes: [text("Ada, we are sorry about the umbrella. Your 20 euros are on their way.")],
  no: [text("Ada, we are sorry about the umbrella. A colleague looks at your money, and will write to you.")],
}

const left = []
const answer = async () => {
  const parts = left.shift()
  if (parts === undefined) throw new Error("expected fewer requests than turns, found one more")
  const finish = parts.some(({ type }) => type === "call") ? "calls" : "stop"
  return new Response(JSON.stringify({ parts, finish, usage: { inputTokens: 0, outputTokens: 0 } }))
}

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-project-")))
try {
  const template = path.join(root, "template", "project")
  fs.cpSync(template, directory, { recursive: true })
  fs.mkdirSync(path.join(directory, "node_modules"))
  fs.symlinkSync(root, path.join(directory, "node_modules", "hindcast"))
  fs.symlinkSync(path.join(root, "node_modules", "zod"), path.join(directory, "node_modules", "zod"))
  const outfile = path.join(directory, "agent.mjs")
  await build({
    entryPoints: [path.join(directory, "agent.ts")],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
  })
  const { GOAL, makeAgent, openDesk } = await import(pathToFileURL(outfile).href)
  const cassette = path.join(template, "cassettes", "umbrella.json")
  fs.rmSync(cassette, { force: true })
  const recorder = Recorder.make(cassette, { kind: "scripted", fetch: answer })
  for (const [said, turn] of Object.entries(AFTER)) {
    left.push(...ASKING, turn)
    const hindcast = await openDesk(path.join(directory, `${said}.db`))
    const answering = (async () => {
      for await (const { confirmationId } of hindcast.confirmations.follow())
        await hindcast.confirmations.decide(confirmationId, { approved: said === "yes", by: "me", channel: "terminal" })
    })()
    const audit = await hindcast.tasks.run(makeAgent(ScriptedTurns.over("umbrella", recorder.fetch)), { goal: GOAL })
    await hindcast.close()
    await answering
    if (audit.outcome !== "achieved") throw new Error(`after a ${said}, the task ended as ${audit.outcome}`)
  }
  await Effect.runPromise(recorder.save)
  // The requests before the question are the same both times.
  const { interactions, ...rest } = JSON.parse(fs.readFileSync(cassette, "utf8"))
  const different = new Map(interactions.map((interaction) => [interaction.request.digest, interaction]))
  fs.writeFileSync(cassette, `${JSON.stringify({ ...rest, interactions: [...different.values()] }, null, 2)}\n`)
  fs.chmodSync(cassette, 0o644)
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}
