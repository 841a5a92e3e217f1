/** A long history of working agents, as a kernel records it. */
import * as crypto from "node:crypto"
import { uuidv7 } from "uuidv7"

/** Concurrent tasks. */
const AT_ONCE = 10
const TURNS = 12

/** Events per task: it is opened, its world is set up, it gets its goal, takes turns and is closed. */
export const EVENTS_OF_TASK = 4 + 8 * TURNS

const ROOMS = ["hall", "study", "kitchen", "cellar", "garden", "attic", "library", "workshop"]
const THINGS = ["brass lamp", "letter", "ladder", "iron key", "map", "empty bottle", "rope", "notebook"]

/** One append to a task's stream. */
const request = (task, actor, events) => ({ stream: `task/${task}`, taskId: task, actor, events })

/** A task's appends in order; 267 bytes of payload per event on average. */
function* taskOf(number) {
  const task = uuidv7()
  const agent = "walker@1.0.0"
  const things = Object.fromEntries(THINGS.map((thing, index) => [thing, ROOMS[(number + index) % ROOMS.length]]))
  const state = { at: "hall", score: 0, moves: 0, things, doors: { cellar: "locked", garden: "open" } }
  yield request(task, "kernel", [
    {
      type: "TaskOpened",
      payload: { goal: `Find the ${THINGS[number % 8]} and bring it to the hall`, measures: ["room/progress"], agent },
    },
    { type: "EnvironmentReset", payload: { plugin: "room", seed: number, options: { rooms: 8 }, state } },
    {
      type: "InputReceived",
      payload: { source: "person:ada", content: "Take your time, and do not break anything on the way." },
    },
  ])
  for (let turn = 0; turn < TURNS; turn++) yield* turnOf(task, number, turn, agent)
  yield request(task, "kernel", [
    {
      type: "TaskClosed",
      payload: { outcome: number % 5 === 0 ? "failed" : "achieved", reason: "The agent was done." },
    },
  ])
}

/** Looks, decides and acts; and the world changes. */
function* turnOf(task, number, turn, agent) {
  const room = ROOMS[(number * 7 + turn) % ROOMS.length]
  const next = ROOMS[(number * 7 + turn + 1) % ROOMS.length]
  const thing = THINGS[(number + turn) % THINGS.length]
  const commandId = uuidv7()
  const args = {
    direction: next,
    carefully: turn % 2 === 0,
    say: `I go on to the ${next} now; if anyone is there, do not be afraid, I am only here for the ${thing}.`,
  }
  const view = {
    room,
    text:
      `You are in the ${room}. It is quiet; dust lies on everything but the floor, where somebody has walked not long ago. ` +
      `There is a ${thing} here, half hidden behind a chair. A door leads to the ${next}, another one back to where you came ` +
      `from. Through the window you see that it is getting dark, and a cart that stops at the gate. Somewhere a clock strikes, and nothing else is to be heard. You have made ${turn} moves so far.`,
    exits: [next, "back"],
    things: [thing, THINGS[(turn + 3) % THINGS.length]],
  }
  yield request(task, "plugin:room@1.0.0", [
    { type: "SensorRead", payload: { sensor: "room/view", reading: view, priority: 10, latencyMs: 1.25 } },
    {
      type: "SensorRead",
      payload: {
        sensor: "room/inventory",
        reading: { carried: [thing], free: turn % 4 },
        priority: 5,
        latencyMs: 0.75,
      },
    },
  ])
  yield request(task, `agent:${agent}`, [
    {
      type: "DecisionMade",
      payload: {
        agent,
        choice: { act: "room/go", args },
        rationale:
          `What I look for is not in the ${room}: there is only the ${thing}, which I may need later, so I note where it is. The ` +
          `footprints lead towards the ${next}, where I have not been since move ${turn}. It is getting dark, and the lamp will not ` +
          "last for ever; I would rather see the rest of the house first, and come back for the locked cellar when I have " +
          "found a key. Going on is also what the person asked for: nothing here has to be moved or broken.",
      },
    },
    {
      type: "ActuatorCommanded",
      payload: { commandId, actuator: "room/go", args, argsDigest: sha256(JSON.stringify(args)), priority: 0 },
    },
  ])
  yield request(task, "kernel", [
    { type: "CommandAllowed", payload: { commandId, rule: "default" } },
    { type: "CommandDispatched", payload: { commandId } },
  ])
  yield request(task, "plugin:room@1.0.0", [
    {
      type: "CommandSucceeded",
      payload: {
        commandId,
        result: {
          moved: true,
          from: room,
          to: next,
          said: `You go to the ${next}. Behind you the door falls shut; somewhere above, steps come nearer, stop, and go away again.`,
        },
        latencyMs: 3.5,
      },
    },
    {
      type: "EnvironmentChanged",
      payload: {
        plugin: "room",
        patch: [
          { op: "replace", path: "/at", value: next },
          { op: "replace", path: "/moves", value: turn + 1 },
          { op: "replace", path: `/things/${thing}`, value: next },
        ],
      },
    },
  ])
}

export const sha256 = (text) => crypto.createHash("sha256").update(text).digest("hex")

/** The appends of `tasks` tasks, some of which always overlap, in groups that are appended together. */
export function* history(tasks) {
  for (let first = 0; first < tasks; first += AT_ONCE) {
    const under = Array.from({ length: Math.min(AT_ONCE, tasks - first) }, (_, index) => taskOf(first + index))
    const requests = []
    for (let going = under; going.length > 0; ) {
      going = going.filter((task) => {
        const { value } = task.next()
        if (value !== undefined) requests.push(value)
        return value !== undefined
      })
    }
    yield requests
  }
}

const RUBRIC = {
  measures: [
    {
      plugin: "room",
      name: "progress",
      description: "Whether the thing was found, and how quickly",
      rewards: [{ name: "found", weight: 1, when: "The thing is in the hall", rule: "env.things.rope == 'hall'" }],
      punishments: [{ name: "slow", weight: 0.2, when: "More than ten moves", rule: "env.moves > 10" }],
    },
  ],
}

/** After a task's close: a question to a person about one of its commands, and its score. */
export const judged = (taskId) => {
  const [scoreSetId, confirmationId] = [uuidv7(), uuidv7()]
  const digest = sha256(JSON.stringify(RUBRIC))
  const asked = { confirmationId, commandId: uuidv7(), argsDigest: sha256("args"), risk: "high" }
  const set = { scoreSetId, taskIds: [taskId], label: "live", critic: "rule@3", criticDigest: sha256("rule@3") }
  const evidence = { because: [12], scoreSetId, measure: "room/progress" }
  return [
    {
      ...request(taskId, "kernel", [
        {
          type: "ConfirmationRequested",
          payload: { ...asked, shown: { actuator: "room/open", args: { door: "cellar" } }, expiresAt: 4e12 },
        },
        { type: "ConfirmationWithdrawn", payload: { confirmationId, reason: "its task ended" } },
      ]),
      stream: `confirmation/${confirmationId}`,
    },
    request(taskId, "critic:rule", [
      {
        type: "ScoringStarted",
        payload: { ...set, rubric: RUBRIC, rubricDigest: digest, range: { from: 1, to: 100 } },
      },
      { type: "RewardGiven", payload: { ...evidence, name: "found", weight: 1, amount: 1 } },
      { type: "ScoringFinished", payload: { scoreSetId, totals: { [taskId]: { earned: 1, lost: 0, net: 1 } } } },
    ]),
  ]
}
