/** `node promises.mjs LOG PLUGIN`: a turn with the plugin `text-room`, followed; prints what it saw, and ends by itself. No Effect. */
import { Closed, open } from "hindcast/promise"

const [log, plugin] = process.argv.slice(2)

const hindcast = await open({ log, gate: { default: "allow" } })
await hindcast.plugins.import(plugin)
const seen = []
const following = (async () => {
  for await (const { type } of hindcast.events.follow({ types: ["TaskOpened", "CommandSucceeded"] })) seen.push(type)
})()
// An iteration that nobody ends.
await hindcast.events.follow()[Symbol.asyncIterator]().next()
const task = await hindcast.tasks.open({ goal: "Retrieve the old document" })
const moved = await task.act("text-room/go", { direction: "north" })
for await (const { type } of hindcast.events.follow()) if (type === "CommandSucceeded") break
await hindcast[Symbol.asyncDispose]()
await following
const late = await task.perceive().catch((error) => error)
console.log(JSON.stringify({ moved: moved.status, seen, closed: late instanceof Closed && late._tag }))
