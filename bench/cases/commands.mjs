/** Commands on logs of 1,000, 100,000 and 1,000,000 events: processor time of the whole process. */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { EventLog } from "../../dist/index.js"
import { history, judged, sha256 } from "../history.mjs"
import { median, started } from "../measure.mjs"

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))

/** Tasks per log, of some hundred events each. */
const SIZES = [
  { tasks: 10, name: "1,000" },
  { tasks: 1_000, name: "100,000" },
  { tasks: 10_000, name: "1,000,000" },
]

/** The commands for a task. Those of the whole state start at a snapshot from `log snapshot`. */
const commandsOf = (task) => ({
  "confirm ls": ["confirm", "ls"],
  "task ls": ["task", "ls"],
  "audit TASK": ["audit", task],
  "audit TASK, by the end of its id": ["audit", task.slice(-8)],
  "audit --all --limit 20": ["audit", "--all", "--limit", "20"],
  "score ls": ["score", "ls"],
  "plugin ls": ["plugin", "ls"],
  "state --path /tasks/TASK": ["state", "--path", `/tasks/${task}`],
  "blame /tasks/TASK/goal": ["blame", `/tasks/${task}/goal`],
  "why EVENT": ["why", "@500"],
  "log ls": ["log", "ls"],
  "log info": ["log", "info"],
  "task ls --all": ["task", "ls", "--all", "--json"],
  state: ["state"],
})

/** Maximum time of one command, in seconds. */
const GOAL = 0.5

/** On the largest log, these are compared with the list of its newest tasks, which takes the same time on any log. */
const AGAINST_LIST = ["audit --all --limit 20", "log info", "state --path /tasks/TASK"]
const LIST = "task ls"
const GOAL_AGAINST_LIST = 1.5

export const run = async (directory, rounds, say) => {
  const spent = new Map()
  for (const { tasks, name } of SIZES) {
    say(`recording a log of ${name} events`)
    const filename = path.join(directory, `commands-${tasks}.db`)
    const task = await record(filename, tasks)
    const env = { ...process.env, HINDCAST_LOG: filename }
    started([MAIN, "log", "snapshot"], env)
    for (const [command, args] of Object.entries(commandsOf(task))) {
      say(`${command}, of ${name} events`)
      const all = Array.from({ length: Math.min(rounds, 5) }, () => started([MAIN, ...args], env).cpuMs / 1000)
      spent.set(`${command} ${tasks}`, median(all))
    }
  }
  const largest = SIZES.at(-1)
  const againstList = AGAINST_LIST.map((command) => {
    const [ours, floor] = [command, LIST].map((one) => spent.get(`${one} ${largest.tasks}`))
    return {
      what: `${command} × ${LIST}, ${largest.name} events, processor time`,
      unit: "s",
      ours,
      floor,
      ratio: ours / floor,
      bound: { at: "most", value: GOAL_AGAINST_LIST },
      floorIs: `${LIST} of the same log`,
    }
  })
  const bySize = Object.keys(commandsOf("")).flatMap((command) => {
    const floor = spent.get(`${command} ${SIZES[0].tasks}`)
    return SIZES.slice(1).map(({ tasks, name }) => {
      const ours = spent.get(`${command} ${tasks}`)
      return {
        what: `${command}, ${name} events, processor time`,
        unit: "s",
        ours,
        floor,
        ratio: ours / floor,
        bound: { at: "most", value: GOAL, of: "ours" },
        floorIs: "the same of 1,000 events",
      }
    })
  })
  return [...againstList, ...bySize]
}

/** Records tasks, each scored at its close, and questions to a person. Returns the id of a task in the middle. */
const record = async (filename, tasks) => {
  const opened = []
  const recording = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const append = (requests) =>
      Effect.all(
        requests.map((request) => log.append(request)),
        { concurrency: "unbounded", discard: true },
      )
    for (const requests of history(tasks)) {
      yield* append(requests)
      const ids = [...new Set(requests.map(({ taskId }) => taskId))]
      opened.push(...ids)
      yield* append(ids.flatMap((taskId) => judged(taskId)))
    }
    // The last question is still open.
    yield* append([questionOf(opened.at(-1))])
  })
  await Effect.runPromise(Effect.provide(recording, EventLog.layerSqlite({ filename })))
  return opened[Math.floor(opened.length / 2)]
}

const questionOf = (taskId) => ({
  stream: `confirmation/${taskId}-waits`,
  taskId,
  actor: "kernel",
  events: [
    {
      type: "ConfirmationRequested",
      payload: {
        confirmationId: `${taskId}-waits`,
        commandId: taskId,
        argsDigest: sha256("args"),
        risk: "high",
        shown: { actuator: "room/open", args: { door: "cellar" } },
        expiresAt: Date.now() + 864e5,
      },
    },
  ],
})
