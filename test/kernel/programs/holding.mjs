/** A kernel that holds the lease of a log until its input ends. It tells, as a line, whether it has it. Arguments: log, owner. */
import { once } from "node:events"
import { open } from "../../../dist/promise.js"

const [log, owner] = process.argv.slice(2)
try {
  const kernel = await open({ log, owner, gate: { default: "allow" } })
  const task = await kernel.tasks.open({ goal: owner })
  console.log("holds")
  await once(process.stdin.resume(), "end")
  await task.close("achieved")
  await kernel.close()
} catch (error) {
  console.log(error._tag)
}
