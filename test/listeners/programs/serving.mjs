/**
 * A process that serves a webhook and opens a task for each signal, until it dies. Writes its URL to a file of the directory (`url`), and
 * says so.
 *
 * Argument: { directory, commits?, moment? }: with the last two it dies before or after that commit of its own. Appended to another file,
 * as lines: what its tool executes (`executed`).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { Hindcast, Listener, Tool } from "../../../dist/index.js"
import { dieAtCommit } from "../../e2e/programs/dying.mjs"

const { directory, commits, moment } = JSON.parse(process.argv[2])
if (commits !== undefined) dieAtCommit(commits, moment)

const clerk = {
  name: "clerk",
  version: "1",
  advance: (task) =>
    Effect.gen(function* () {
      const [input] = yield* task.inputs()
      const { n } = input.content.body
      yield* task.act("program/file", { n })
      yield* task.say(`filed ${n}`)
      yield* task.close("achieved")
      return false
    }),
}

const file = Tool.make({
  description: "Files a number",
  risk: "none",
  idempotent: true,
  run: (args, { commandId }) => {
    fs.appendFileSync(path.join(directory, "executed"), `${JSON.stringify({ n: args.n, commandId })}\n`)
    return "filed"
  },
})

const serving = Effect.gen(function* () {
  const listeners = [Listener.webhook({ name: "hook" })]
  const { urls, ended } = yield* Listener.serve({ listeners, rules: [{ agent: clerk }] })
  fs.writeFileSync(path.join(directory, "url"), urls.hook)
  console.log("serving")
  yield* ended
})

const layer = Hindcast.layer({
  log: path.join(directory, "log.db"),
  workspace: directory,
  onOpenTasks: "resume",
  gate: { default: "allow" },
  tools: { file },
})

await Effect.runPromise(serving.pipe(Effect.scoped, Effect.provide(layer)))
