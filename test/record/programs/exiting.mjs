/** A recorded program that exits without `run.end`, in one of several ways. */
import { record } from "../../../dist/record/index.js"

const [log, how] = process.argv.slice(2)
const run = await record({ log, goal: "Leave", agent: "leaver" })
await run.tool("step", (number) => number)(1)
if (how === "at-once") process.exit(0)
if (how === "killed") process.kill(process.pid, "SIGKILL")
if (how === "thrown") throw new Error("of its own")
console.log("done")
